import { isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';
import type { Caller, TaskReply } from '../tasks/call/task-call.js';
import type { HttpAnswer } from '../http/http-answer.js';
import { rpcCodes, rpcError, rpcFault, type JsonRpcId } from '../http/json-rpc.js';
import type { Generation } from './a2a-task.js';

/** One A2A request. */
export interface A2aCall {
  readonly id: JsonRpcId;
  readonly params: JsonObject;
  /** The whole message, which may contain members that are not allowed. */
  readonly message: JsonValue;
  readonly generation: Generation;
  readonly caller: Caller;
  readonly exact: ReadonlyMap<string, string>;
  readonly signal: AbortSignal;
}

/** Codes that A2A adds to JSON-RPC's. */
export const a2aCodes = {
  taskNotFound: -32001,
  taskNotCancelable: -32002,
  unsupportedOperation: -32004,
  extendedCardNotConfigured: -32007,
  versionNotSupported: -32009,
} as const;

/** Missing tasks and tasks of others get the same answer, to the last member. */
export function noTask(
  { id }: Pick<A2aCall, 'id'>,
  message = 'There is no task with this id.',
  field = 'params.id',
): HttpAnswer {
  const fault = { code: 'NOT_FOUND' as const, message, field };
  return { status: 200, body: rpcFault(id, a2aCodes.taskNotFound, fault) };
}

/**
 * The refusal of one of our tasks for an A2A method: `places` maps the fields that the task names to the caller's own.
 * Errors that may pass later, or are our own fault, get another code than the others.
 */
export function refusedBy(
  { id }: Pick<A2aCall, 'id'>,
  { body, errors, httpStatus }: TaskReply,
  why: string,
  places: Readonly<Record<string, string>>,
): HttpAnswer {
  const isTheirs = httpStatus < 500 && httpStatus !== 429;
  const code = isTheirs ? rpcCodes.invalidParams : rpcCodes.internal;
  return { status: 200, body: rpcError(id, code, errors[0]?.message ?? why, renamed(body, places)) };
}

/** The same answer with renamed fields in every error. */
export function renamed(body: JsonObject, places: Readonly<Record<string, string>>): JsonObject {
  const received = (error: JsonValue): JsonValue => {
    const field = isJsonObject(error) ? error['field'] : undefined;
    if (!isJsonObject(error) || typeof field !== 'string' || !Object.hasOwn(places, field)) return error;
    return { ...error, field: places[field] ?? field };
  };
  const members = Object.entries(body).map(([name, value]) => [
    name,
    Array.isArray(value) && name === 'errors' ? value.map(received) : received(value),
  ]);
  return Object.fromEntries(members) as JsonObject;
}
