import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { AdminAnswers, AnswerPlace, KeptAdminAnswer } from '@switchyard/store';
import type { TenantScope } from '@switchyard/tenancy';
import { err, isJsonObject, ok, type Clock, type JsonObject, type Result } from '@switchyard/values';
import type { AdminFailure } from '../failure.js';
import type { HttpFault } from '../http/http-answer.js';
import { headerValues } from '../http/raw-headers.js';
import { StartedJob, WaitsForApproval, type AdminCaller, type AnyRoute } from './route.js';

/** The result of a handler, or a refusal of the stage. */
export type StageAnswer = Result<object, AdminFailure | HttpFault>;

/** An answer that was kept and is sent again. */
export class RepeatedAnswer {
  constructor(
    readonly status: number,
    readonly location: string | undefined,
    readonly body: JsonObject,
  ) {}
}

/** Runs an act, or answers as it was answered before if the request has a key that was used. */
export type OncePerKey = (
  route: AnyRoute,
  request: FastifyRequest,
  caller: AdminCaller,
  run: () => Promise<StageAnswer>,
) => Promise<StageAnswer>;

/** Nest's token of it. */
export const ONCE_PER_KEY = Symbol('ONCE_PER_KEY');

/** How long an answer is kept, in milliseconds: 24 hours after its request began. */
export const answersKeptMs = 24 * 3_600_000;

/** As long as its request may run, in milliseconds, an act without an end is said to run; then its end is unknown. */
const mayRunMs = 120_000;

/** The longest body that is kept, in characters. */
const longestBody = 256 * 1024;

interface OncePerKeyDeps {
  readonly answers: AdminAnswers;
  readonly clock: Clock;
  /** The scope in which the holder of the data folder's admin secret acts. */
  readonly local: { readonly scope: TenantScope };
  readonly onUnexpected: (error: unknown, where: string) => void;
}

/**
 * Acts of administration once per `Idempotency-Key` (docs/protocol/idempotency.md#keys-of-administration). The key is
 * claimed before the act and its answer is kept after it. A refusal frees the key. If the process dies between, the key
 * stays claimed: the act is never done a second time under it, and a repetition is told that its end is unknown.
 */
export function oncePerKey(deps: OncePerKeyDeps): OncePerKey {
  const { answers, clock, local, onUnexpected } = deps;
  return async (route, request, caller, run) => {
    const key = keyOf(request);
    if (!key.ok) return key;
    if (key.value === undefined || !takesKey(route)) return run();
    const scope = caller === 'local' ? local.scope : { organizationId: caller.organizationId };
    const place = { caller: caller === 'local' ? caller : caller.principalId, key: key.value };
    const now = clock.now();
    const claim = await answers.claim(
      scope,
      { ...place, route: route.id, digest: digestOf(request, caller) },
      { now, keepUntil: now + answersKeptMs },
    );
    if (claim.kind === 'other') return err(anotherRequest);
    if (claim.kind === 'unended') return err(now - claim.beganAt < mayRunMs ? stillRuns : endUnknown);
    if (claim.kind === 'answered') return repeated(claim.answer);
    const answer = await run();
    // The act is over: a failure here must not hide its answer.
    await end({ answers, clock }, scope, place, keptOf(route, answer)).catch((error: unknown) =>
      onUnexpected(error, `the answer of ${route.id} under its key`),
    );
    return answer;
  };
}

/** Whether the answers of a route are kept: it changes something, and its answer fits into memory. */
export const takesKey = ({ method, readsOnly, inParts }: AnyRoute): boolean =>
  method !== 'get' && readsOnly !== true && inParts !== true;

async function end(
  { answers, clock }: Pick<OncePerKeyDeps, 'answers' | 'clock'>,
  scope: TenantScope,
  place: AnswerPlace,
  kept: KeptAdminAnswer | undefined,
): Promise<void> {
  if (kept === undefined) return answers.release(scope, place);
  return answers.keep(scope, place, kept, clock.now());
}

/** The alphabet of buyers' keys; the quotes of a structured string (RFC 9651) may stand around it. */
const written = /^"?([A-Za-z0-9_.:-]{16,255})"?$/;

function keyOf({ raw }: FastifyRequest): Result<string | undefined, HttpFault> {
  const values = headerValues(raw.rawHeaders, 'idempotency-key');
  if (values.length === 0) return ok(undefined);
  const key = values.length === 1 ? written.exec(values[0] ?? '')?.[1] : undefined;
  return key === undefined ? err(malformed) : ok(key);
}

/** What makes two requests the same: their address, their bytes, and the program that sends them for a person. */
function digestOf({ method, url, body }: FastifyRequest, caller: AdminCaller): string {
  const hash = createHash('sha256');
  hash.update(JSON.stringify([method, url, caller === 'local' ? null : (caller.program ?? null)]));
  if (Buffer.isBuffer(body)) hash.update(body);
  return hash.digest('hex');
}

/** What is kept of an answer; nothing of a refusal. */
function keptOf(route: AnyRoute, answer: StageAnswer): KeptAdminAnswer | undefined {
  if (!answer.ok) return undefined;
  const { value } = answer;
  if (value instanceof StartedJob)
    return { status: 202, location: value.location, body: JSON.stringify(value.body()), isWithheld: false };
  if (value instanceof WaitsForApproval)
    return { status: 202, body: JSON.stringify(value.body()), isWithheld: false };
  const status = route.status ?? 200;
  const body = JSON.stringify(value);
  if (route.showsOnce !== true && body.length <= longestBody) return { status, body, isWithheld: false };
  const ids = Object.entries(value).filter(
    ([name, member]) => name.endsWith('_id') && typeof member === 'string' && member.length <= 100,
  );
  return { status, body: JSON.stringify(Object.fromEntries(ids)), isWithheld: true };
}

function repeated({ status, location, body, isWithheld }: KeptAdminAnswer): StageAnswer {
  const value: unknown = JSON.parse(body);
  if (!isJsonObject(value)) throw new Error('An answer of an act is an object.');
  if (!isWithheld) return ok(new RepeatedAnswer(status, location, value));
  const ids = Object.entries(value).flatMap(([name, id]) =>
    typeof id === 'string' ? [`${name} ${id}`] : [],
  );
  return err({
    code: 'CONFLICT',
    message: `This request was done. Its answer was shown once and is not kept.${ids.length === 0 ? '' : ` It was about ${ids.join(', ')}.`}`,
    field: header,
  });
}

const header = 'Idempotency-Key';

const malformed = {
  code: 'INVALID_REQUEST',
  message: 'The key must have 16 to 255 characters of A-Z a-z 0-9 _ . : and -, and be sent once.',
  field: header,
  suggestion: 'Send a new UUID for each act, and the same one if you repeat it.',
} as const satisfies HttpFault;

const anotherRequest = {
  code: 'IDEMPOTENCY_CONFLICT',
  message: 'This key was used for another request.',
  field: header,
  suggestion: 'Send a new key.',
  status: 422,
} as const satisfies HttpFault;

const stillRuns = {
  code: 'IDEMPOTENCY_IN_FLIGHT',
  message: 'The first request with this key is not answered yet.',
  field: header,
  retryAfter: 2,
} as const satisfies HttpFault;

const endUnknown = {
  code: 'CONFLICT',
  message:
    'The first request with this key began and got no answer, so it is not known whether it was done. It is not done a second time.',
  field: header,
  suggestion: 'Read the object. If it is as before, send the request with a new key.',
} as const satisfies AdminFailure;
