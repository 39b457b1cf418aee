import { createHash, randomBytes } from 'node:crypto';
import { requestHash, tellSellers } from '@switchyard/buys';
import type { StoredAnswer } from '@switchyard/fanout';
import {
  errorsIn,
  exactIn,
  lifecycleMember,
  lifecycleTask,
  lifecycleTaskOf,
  releasesWith,
  taskError,
  type Kept,
  type LifecycleTask,
  type TaskError,
  type ToldSeller,
  type WireProfile,
} from '@switchyard/protocol';
import { err, isJsonObject, ok, type Instant, type JsonObject, type Result } from '@switchyard/values';
import type { HandlerDeps } from '../call/handler.js';
import { duplicateTimeoutMs, inFlight, pause } from '../operation/await-duplicate.js';
import { scopeOf, type Caller, type TaskCall, type TaskReply } from '../call/task-call.js';

type Principal = Extract<Caller, { readonly kind: 'principal' }>;
type Parts = Pick<HandlerDeps, 'ports' | 'answers'>;

/** A call of a lifecycle task, as the older task that serves it takes it, and how its reply is written. */
export interface Lifecycle {
  readonly call: TaskCall;
  readonly args: JsonObject;
  /** The whole reply, where no seller is asked. */
  readonly body?: JsonObject;
  /** Writes the older task's reply in the shape of this one, and keeps what it promises. */
  reply(reply: Promise<TaskReply>): Promise<TaskReply>;
}

/** The hash of the stored row, so that no page of an answer is read as a promise. */
const mark = 'lifecycle';
const keptForMs = 24 * 60 * 60_000;
/** How long a search has its key to itself; one that takes longer lost its process. Milliseconds. */
const searchedForMs = 90_000;

/** Whether a call names a task of a release that its caller does not speak. */
export function notInRelease(name: string, profile: WireProfile): TaskError | undefined {
  if (lifecycleTask(name) === undefined || lifecycleTaskOf(name, profile) !== undefined) return undefined;
  return taskError('UNSUPPORTED_FEATURE', 'The release of this request has no such task.', {
    field: 'task',
    suggestion: `Name its release: ${releasesWith(name).join(', ')}.`,
  });
}

/**
 * Translates a call of a lifecycle task (docs/protocol/requests-and-versions.md#lifecycle-tasks); `undefined` for every
 * other call. What earlier answers promised is found by this caller alone.
 */
export async function serveLifecycle(
  deps: Parts,
  call: TaskCall,
  args: JsonObject,
  profile: WireProfile,
): Promise<Result<Lifecycle | undefined, readonly TaskError[]>> {
  const task = lifecycleTaskOf(call.task, profile);
  if (task === undefined) return ok(undefined);
  const recalled = new Map<string, JsonObject>();
  for (const key of task.recalls(args)) {
    const value = await recall(deps, call.caller, key);
    if (value !== undefined) recalled.set(key, value);
  }
  const served = task.serve(args, recalled);
  const found = await repeated(deps, call, { task, args, isClaimed: served.ok });
  if (found !== undefined && 'code' in found) return err([found]);
  if (found !== undefined) return ok({ call, args, body: found.body, reply: (reply) => reply });
  if (!served.ok) return served;
  const own = { ...call, exact: exactIn(task, call.exact) };
  if ('tells' in served.value) {
    const { tells, body } = served.value;
    const said = await told(deps, call, args, tells);
    return ok({ call: own, args, body: body(said), reply: (reply) => reply });
  }
  if ('body' in served.value)
    return ok({ call: own, args, body: served.value.body, reply: (reply) => reply });
  const asked = served.value.args[lifecycleMember];
  return ok({
    call: own,
    args: served.value.args,
    reply: (reply) => kept(deps, { call, task, args, asked: isJsonObject(asked) ? asked : {} }, reply),
  });
}

/** What sellers said to what they were told; a caller without a credential has none to tell. */
async function told(
  { ports }: Parts,
  { caller }: TaskCall,
  args: JsonObject,
  tells: readonly ToldSeller[],
): Promise<ReadonlyMap<string, JsonObject>> {
  if (caller.kind !== 'principal') return new Map();
  const buyerKey = typeof args['idempotency_key'] === 'string' ? args['idempotency_key'] : '';
  return tellSellers(ports, { scope: scopeOf(caller), principalId: caller.principalId, buyerKey }, tells);
}

/** A refusal in the shape of the task that was called, with its own names of places. */
export function refusedIn(deps: Parts, call: TaskCall, reply: TaskReply): TaskReply {
  const task = lifecycleTaskOf(call.task, reply.profile);
  if (task === undefined || !reply.isError) return reply;
  const { body } = task.answer(reply.body, {}, { at: deps.ports.clock.now() });
  return { ...reply, body };
}

interface Asked {
  readonly call: TaskCall;
  readonly task: LifecycleTask;
  readonly args: JsonObject;
  readonly asked: JsonObject;
}

/** A search that was not completed frees its key: the next copy asks the market again. */
async function kept(deps: Parts, asked: Asked, reply: Promise<TaskReply>): Promise<TaskReply> {
  const { call, task, args } = asked;
  let done: TaskReply | undefined;
  try {
    done = await reply;
    return await written(deps, asked, done);
  } finally {
    if (keyOf(task, args) !== undefined && !isFinal(done))
      await promised(deps, call.caller, searching(task, args, deps.ports.clock.now()));
  }
}

const isFinal = (reply: TaskReply | undefined): boolean => reply?.status === 'completed' && !reply.isError;

async function written(
  deps: Parts,
  { call, task, args, asked }: Asked,
  reply: TaskReply,
): Promise<TaskReply> {
  const at = deps.ports.clock.now();
  const operationId = operationIn(reply.body);
  const named = errorsIn(task, reply.errors);
  const { body, kept = [] } = task.answer(withPlaces(reply.body, named), asked, {
    at,
    ...(operationId === undefined ? {} : { operationId }),
  });
  for (const promise of kept) await promised(deps, call.caller, promise);
  if (keyOf(task, args) !== undefined && isFinal(reply)) {
    const value = { hash: requestHash(args), body };
    await promised(deps, call.caller, { key: repetitionKey(task, args), value, until: at + keptForMs });
  }
  return { ...reply, body, errors: named };
}

/** The errors of a body with other places: they are its own errors in the same order. */
function withPlaces(body: JsonObject, errors: readonly TaskError[]): JsonObject {
  const shown = body['errors'];
  if (!Array.isArray(shown) || shown.length !== errors.length) return body;
  return {
    ...body,
    errors: shown.map((error, place) => {
      const field = errors[place]?.field;
      return isJsonObject(error) && field !== undefined ? { ...error, field } : error;
    }),
  };
}

function operationIn(body: JsonObject): string | undefined {
  const ext = isJsonObject(body['ext']) ? body['ext'] : {};
  const ours = isJsonObject(ext['switchyard']) ? ext['switchyard'] : {};
  const { operation_id: id } = ours;
  return typeof id === 'string' ? id : undefined;
}

/** The idempotency key of a search, whose first answer is every answer under its key. */
function keyOf(task: LifecycleTask, args: JsonObject): string | undefined {
  const { idempotency_key: key } = args;
  return task.isRepeatable === true && typeof key === 'string' ? key : undefined;
}

function repetitionKey(task: LifecycleTask, args: JsonObject): string {
  return `key ${task.name} ${keyOf(task, args) ?? ''}`;
}

/** What stands under the key of a search while the market is asked. */
function searching(task: LifecycleTask, args: JsonObject, until: Instant): Kept {
  return { key: repetitionKey(task, args), value: { hash: requestHash(args) }, until };
}

interface Repeated {
  readonly task: LifecycleTask;
  readonly args: JsonObject;
  /** Whether the key is taken for this copy where it is free. */
  readonly isClaimed: boolean;
}

/**
 * The first answer under the key of a search, for which a copy waits a little; a conflict where the request is another
 * one. `undefined`: this copy is the first.
 */
async function repeated(
  deps: Parts,
  { caller }: TaskCall,
  { task, args, isClaimed }: Repeated,
): Promise<{ readonly body: JsonObject } | TaskError | undefined> {
  const { clock } = deps.ports;
  if (keyOf(task, args) === undefined || caller.kind !== 'principal' || deps.answers === undefined)
    return undefined;
  for (const begun = clock.now(); ; await pause(clock)) {
    const first = await recall(deps, caller, repetitionKey(task, args));
    if (first === undefined) {
      if (!isClaimed) return undefined;
      const now = clock.now();
      const row = rowOf(caller, searching(task, args, now + searchedForMs));
      if (await deps.answers.claim(scopeOf(caller), row, now)) return undefined;
    } else if (first['hash'] !== requestHash(args))
      return taskError('IDEMPOTENCY_CONFLICT', 'Another request was sent under this idempotency key.', {
        field: 'idempotency_key',
        suggestion: 'Send a fresh key with a new request.',
      });
    else if (isJsonObject(first['body'])) {
      const context = isJsonObject(args['context']) ? { context: args['context'] } : {};
      return { body: { ...first['body'], ...context, replayed: true } };
    }
    if (clock.now() >= begun + duplicateTimeoutMs) return inFlight(duplicateTimeoutMs);
  }
}

async function recall(deps: Parts, caller: Caller, key: string): Promise<JsonObject | undefined> {
  if (caller.kind !== 'principal') return undefined;
  const { principalId } = caller;
  const stored = await deps.answers?.find(scopeOf(caller), idOf(principalId, key), deps.ports.clock.now());
  if (stored?.requestHash !== mark || stored.principalId !== principalId) return undefined;
  const value: unknown = JSON.parse(stored.answer);
  return isJsonObject(value) ? value : undefined;
}

async function promised(deps: Parts, caller: Caller, { key, value, adds, until }: Kept): Promise<void> {
  if (caller.kind !== 'principal' || deps.answers === undefined) return;
  const before = adds === undefined ? undefined : (await recall(deps, caller, key))?.[adds];
  const own = adds === undefined ? undefined : value[adds];
  const whole =
    adds === undefined || !isJsonObject(before) || !isJsonObject(own)
      ? value
      : { ...value, [adds]: { ...before, ...own } };
  const row = rowOf(caller, { key, value: whole, until });
  await deps.answers.store(scopeOf(caller), row, deps.ports.clock.now());
}

function rowOf({ principalId }: Principal, { key, value, until }: Kept): StoredAnswer {
  return {
    id: idOf(principalId, key),
    principalId,
    task: mark,
    requestHash: mark,
    answer: JSON.stringify(value),
    cursorKey: randomBytes(32),
    expiresAt: until,
  };
}

/** A UUID of version 8 (RFC 9562) for what one principal was promised under a key. */
function idOf(principalId: string, key: string): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([principalId, key]))
    .digest('hex');
  return `${hash.slice(0, 8)}-${hash.slice(8, 12)}-8${hash.slice(13, 16)}-a${hash.slice(17, 20)}-${hash.slice(20, 32)}`;
}
