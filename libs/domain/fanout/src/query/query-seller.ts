import {
  requestedPart,
  lostInReading,
  lostToTool,
  readReply,
  shapeArgs,
  type Finding,
  type ReadAnswer,
  type SellerReply,
  type TaskError,
  type TaskSpec,
  type WireProfile,
  profileOf,
} from '@switchyard/protocol';
import {
  callSignerFor,
  credentialFailure,
  targetOf,
  type Connection,
  type PrincipalSigner,
  type SellerAnswer,
  type SellerTarget,
  type SellerTransport,
  type TransportFailure,
} from '@switchyard/sellers';
import { defined, err, type JsonObject } from '@switchyard/values';
import { furtherPages, type Pages } from './further-pages.js';
import type { LegReport } from './fan-out.js';
import type { SellerRequest } from '../project-requests.js';
import { readInSlices } from './read-in-slices.js';
import type { LegAnswer, PendingTask } from './leg-answer.js';

export interface SellerQuestion<Request, Answer> {
  readonly spec: TaskSpec<Request, Answer>;
  readonly connection: Connection;
  readonly tool: string;
  /** The request in this seller's wire profile, as `TaskSpec.projectRequest` made it. */
  readonly projected: Pick<SellerRequest, 'args' | 'findings' | 'searched'>;
  readonly credential?: SellerTarget['credential'];
  readonly signer?: PrincipalSigner;
  readonly transport: SellerTransport;
  /** Number of items in an answer. */
  readonly count: (answer: Answer) => number;
  readonly signal: AbortSignal;
  readonly mayRead: (members: number) => boolean;
  readonly wantsText?: true;
  /** How further pages are read. `signal` makes one that fires before the deadline, so that received pages still count. */
  readonly pages?: Pages<Answer> & { readonly signal: () => AbortSignal };
}

/**
 * Queries one seller and reports the result. Never rejects for a seller's fault.
 *
 * The seller's texts stay out of the row: they are untrusted, and could contain our credential.
 */
export async function querySeller<Request, Answer>(
  question: SellerQuestion<Request, Answer>,
): Promise<LegReport<LegAnswer<Answer>>> {
  const { connection, projected } = question;
  const { args, dropped } = shapeArgs(projected.args, connection.tools?.[question.tool]);
  const findings = [...projected.findings, ...lostToTool(dropped)];
  const called = await call(question, args, question.signal);
  if (!called.ok) return failedCall(called.error, findings);
  const profile: WireProfile = profileOf(connection);
  const { payload: raw, isError, a2a, text } = called.value;
  const reply = readReply(question.spec.name, raw, isError, a2a);
  const { status, errors } = reply;
  if (status === 'submitted' || status === 'working') {
    // Without a task id to poll and without a webhook, the answer could never be received.
    const isUnreachable =
      reply.taskId === undefined && a2a?.taskId === undefined && !('push_notification_config' in args);
    if (isUnreachable) return notConformant([noTaskId], findings);
    return pendingReply(status, args, { reply, answer: called.value, findings });
  }
  if (status !== 'completed' && status !== 'unknown') return refusal(status, errors, findings);
  // Before the payload is read, counted or reported, because its other rows may belong to another tenant.
  const payload = requestedPart(question.spec.name, projected.args, reply.payload);
  const read = await readInSlices(question.spec, payload, profile);
  if (!read.ok) return unreadable(read.error, findings);
  const first = pageOf(question.spec, payload, read.value, profile);
  const pages: Page<Answer>[] = [first];
  const all = await onward(question, first.answer, pages);
  const report = withText(answered(all.answer, pages, question.count(all.answer), findings), text);
  return all.isWhole ? report : truncated(report);
}

/** One page of an answer, with its invalid items and its unsupported members. */
interface Page<Answer> extends ReadAnswer<Answer> {
  readonly payload: JsonObject;
  readonly unread: readonly Finding[];
}

function pageOf<Request, Answer>(
  spec: TaskSpec<Request, Answer>,
  payload: JsonObject,
  read: ReadAnswer<Answer>,
  profile: WireProfile,
): Page<Answer> {
  return { ...read, payload, unread: lostInReading(spec, payload, read.answer, profile) };
}

/** Calls the seller, for all pages. Fails if the arguments contain a credential. */
async function call<Request, Answer>(
  question: SellerQuestion<Request, Answer>,
  args: JsonObject,
  signal: AbortSignal,
): ReturnType<SellerTransport['call']> {
  const { connection, projected, spec, tool } = question;
  const fault = credentialFailure(spec.name, unsearched(args, projected.searched));
  if (fault !== undefined) return err(fault);
  const signer = callSignerFor(connection, spec, question.signer);
  return question.transport.call(
    { ...targetOf(connection, question.credential), ...(signer === undefined ? {} : { signer }) },
    {
      tool,
      args,
      mayRead: question.mayRead,
      ...(question.wantsText === undefined ? {} : { wantsText: question.wantsText }),
    },
    signal,
  );
}

/** The arguments that the common scan for credentials did not cover. */
function unsearched(args: JsonObject, searched: JsonObject | undefined): JsonObject {
  if (searched === undefined) return args;
  return Object.fromEntries(Object.entries(args).filter(([name, value]) => searched[name] !== value));
}

async function onward<Request, Answer>(
  question: SellerQuestion<Request, Answer>,
  first: Answer,
  came: Page<Answer>[],
): Promise<{ readonly answer: Answer; readonly isWhole: boolean }> {
  const { connection, pages, projected, spec } = question;
  if (pages === undefined) return { answer: first, isWhole: true };
  if (pages.cursorOf(first) === undefined) return { answer: first, isWhole: true };
  // A tool without pages would return the first page again.
  const named = connection.tools?.[question.tool];
  if (shapeArgs({ pagination: {} }, named).dropped.length > 0) return { answer: first, isWhole: false };
  const profile: WireProfile = profileOf(connection);
  const signal = pages.signal();
  return furtherPages(pages, first, projected.args, async (args) => {
    const called = await call(question, shapeArgs(args, named).args, signal);
    if (!called.ok) return undefined;
    const { payload: raw, isError, a2a } = called.value;
    const reply = readReply(spec.name, raw, isError, a2a);
    if (reply.status !== 'completed' && reply.status !== 'unknown') return undefined;
    const payload = requestedPart(spec.name, projected.args, reply.payload);
    const read = await readInSlices(spec, payload, profile);
    if (!read.ok) return undefined;
    came.push(pageOf(spec, payload, read.value, profile));
    return read.value.answer;
  });
}

function withText<Answer>(report: Report<Answer>, text: string | undefined): Report<Answer> {
  const { value } = report;
  return text === undefined || value === undefined ? report : { ...report, value: { ...value, text } };
}

function truncated<Answer>(report: Report<Answer>): Report<Answer> {
  const { value } = report;
  return {
    ...report,
    reason: `${report.reason} It has more, which did not come in time.`,
    ...(value === undefined ? {} : { value: { ...value, isTruncated: true } }),
  };
}

type Report<Answer> = LegReport<LegAnswer<Answer>>;

function answered<Answer>(
  answer: Answer,
  pages: readonly Page<Answer>[],
  items: number,
  findings: readonly Finding[],
): Report<Answer> {
  const setAside = pages.flatMap((page) => page.setAside);
  const aside = setAside.length;
  const what = items === 1 ? '1 item' : `${items} items`;
  const reason = aside === 0 ? `${what}.` : `${what}; left out as invalid: ${aside}.`;
  const unread = pages.flatMap((page) => page.unread);
  const payloads = pages.map(({ payload }) => payload);
  return {
    status: 'answered',
    reason,
    items,
    value: { answer, payloads, setAside, findings: [...findings, ...eachOnce(unread)] },
  };
}

/** Findings of several pages without duplicates. */
function eachOnce(findings: readonly Finding[]): readonly Finding[] {
  return [
    ...new Map(
      findings.map((finding) => [JSON.stringify([finding.field, finding.message]), finding]),
    ).values(),
  ];
}

function pendingReply<Answer>(
  status: 'submitted' | 'working',
  args: JsonObject,
  {
    reply,
    answer,
    findings,
  }: { readonly reply: SellerReply; readonly answer: SellerAnswer; readonly findings: readonly Finding[] },
): Report<Answer> {
  const pending: PendingTask = {
    status,
    args,
    ...defined({ taskId: reply.taskId, contextId: reply.contextId }),
    ...(answer.a2a?.taskId === undefined ? {} : { a2aTaskId: answer.a2a.taskId }),
    ...(answer.a2a?.contextId === undefined ? {} : { a2aContextId: answer.a2a.contextId }),
  };
  return {
    status: 'answered',
    reason: 'Accepted; the answer comes later.',
    code: status.toUpperCase(),
    items: 0,
    value: { setAside: [], findings, pending },
  };
}

function refusal<Answer>(
  status: string,
  errors: readonly TaskError[],
  findings: readonly Finding[],
): Report<Answer> {
  const code = showableCode(errors[0]?.code) ?? status.toUpperCase().replaceAll('-', '_');
  return {
    status: 'refused',
    reason: `The seller refused: ${code}.`,
    code,
    items: 0,
    value: { setAside: [], findings, errors },
  };
}

const noTaskId: TaskError = {
  code: 'NOT_CONFORMANT',
  message: 'It will answer later, but named no task to ask about.',
};

function unreadable<Answer>(errors: readonly TaskError[], findings: readonly Finding[]): Report<Answer> {
  const large = errors.find(({ code }) => code === 'TOO_LARGE');
  if (large === undefined) return notConformant(errors, findings);
  return { ...notConformant(errors, findings), reason: large.message, code: large.code };
}

function notConformant<Answer>(errors: readonly TaskError[], findings: readonly Finding[]): Report<Answer> {
  return {
    status: 'failed',
    reason: 'The answer does not follow the protocol.',
    code: 'NOT_CONFORMANT',
    items: 0,
    value: { setAside: [], findings, errors },
  };
}

function failedCall<Answer>(failure: TransportFailure, findings: readonly Finding[]): Report<Answer> {
  return {
    status: statusOf[failure.code] ?? 'failed',
    reason: failure.message,
    code: failure.code.toUpperCase(),
    items: 0,
    value: { setAside: [], findings, failure },
  };
}

/** The row's status after a failed call, if it is not `failed`. */
const statusOf: Readonly<Partial<Record<TransportFailure['code'], LegReport<unknown>['status']>>> = {
  stopped: 'skipped',
  timeout: 'slow',
  unauthorized: 'refused',
};

/** Returns the code if it has the form of an error code; other texts of sellers are not shown. */
function showableCode(code: string | undefined): string | undefined {
  return code !== undefined && /^[A-Za-z][A-Za-z0-9_]{1,63}$/.test(code) ? code : undefined;
}
