import {
  listAccounts,
  profileOf,
  projectExtras,
  readReply,
  shapeArgs,
  type SellerReply,
  type TaskError,
  type TaskSpec,
} from '@switchyard/protocol';
import { concealInText, err, ok, type JsonObject, type Result } from '@switchyard/values';
import { credentialForms } from '../credential-forms.js';
import { cut } from '../keys/discovery-failure.js';
import { objectsIn } from '../keys/read-adagents.js';
import type { SellerTarget, TransportFailure } from '../transport.js';
import type { GateContext } from './gate-context.js';

/** What a task of a seller answered. */
export interface Called {
  readonly tool: string;
  readonly payload: JsonObject;
  readonly isError: boolean;
  readonly a2a?: { readonly taskId?: string; readonly contextId?: string; readonly state?: string };
}

/** Calls a task by the first of its names that the seller lists, with the arguments that its schema has. */
export async function callTask(
  context: GateContext,
  names: readonly string[],
  args: JsonObject,
  change: (target: SellerTarget) => SellerTarget = (target) => target,
): Promise<Result<Called, TransportFailure>> {
  const { tools } = context.connection();
  const tool = names.find((name) => Object.hasOwn(tools ?? {}, name)) ?? names[0] ?? '';
  const target = await context.target();
  if (target === undefined)
    return err({
      code: 'unreachable',
      delivered: 'no',
      message: 'Our credential for it cannot be opened now.',
    });
  const shaped = shapeArgs(args, tools?.[tool]);
  const called = await context.inTime((signal) =>
    context.transport.call(change(target), { tool, args: shaped.args }, signal),
  );
  return called.ok ? ok({ tool, ...called.value }) : called;
}

/** The seller's own words, without our credential in them. */
export async function said(context: GateContext, errors: readonly TaskError[]): Promise<string> {
  const target = await context.target();
  const secrets = credentialForms(target?.credential);
  const text = errors.map(({ code, message }) => `${code}: ${message}`).join('; ');
  return cut(concealInText(text.slice(0, 2_000), secrets));
}

/** Whether the seller lists one of the task's names. */
export function offers(context: GateContext, { names }: Pick<TaskSpec<unknown, unknown>, 'names'>): boolean {
  const { tools = {}, dialect } = context.connection();
  return names[dialect].some((name) => Object.hasOwn(tools, name));
}

/** Calls a task and reads the reply; the words of a refusal or a failure are the seller's, or ours about it. */
export async function ask(
  context: GateContext,
  { name, names }: Pick<TaskSpec<unknown, unknown>, 'name' | 'names'>,
  args: JsonObject,
): Promise<Result<SellerReply, { readonly words: string; readonly errors: readonly TaskError[] }>> {
  const called = await callTask(context, names[context.connection().dialect], args);
  if (!called.ok) return err({ words: cut(called.error.message), errors: [] });
  const { payload, isError, a2a } = called.value;
  const reply = readReply(name, payload, isError, a2a);
  const { errors, status } = reply;
  if (status === 'completed' || status === 'unknown' || status === 'submitted' || status === 'working')
    return ok(reply);
  return err({ words: errors.length === 0 ? `It answered ${status}.` : await said(context, errors), errors });
}

const mostAccounts = 200;

/** Our active accounts there, as the seller lists them; none if it lists none. */
export async function activeAccounts(context: GateContext): Promise<readonly JsonObject[]> {
  const args = projectExtras({}, profileOf(context.connection()), 'read');
  const listed = await ask(context, listAccounts, args);
  const rows = listed.ok ? objectsIn(listed.value.payload['accounts']).slice(0, mostAccounts) : [];
  return rows.filter(
    ({ account_id: id, status = 'active' }) => typeof id === 'string' && status === 'active',
  );
}
