import type { JsonObject, JsonValue } from '@switchyard/values';
import type { Caller } from '../../application/task-call.js';
import type { DoorAnswer } from '../door-answer.js';
import { rpcFault, type JsonRpcId } from '../json-rpc.js';
import type { Generation } from './a2a-task.js';

/** One request of A2A on its way to an answer. */
export interface A2aCall {
  readonly id: JsonRpcId;
  readonly params: JsonObject;
  /** The whole message, which may hold what has no place in it. */
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

/** What is not there and what is somebody else's: the same answer, to the last member. */
export function noTask({ id }: Pick<A2aCall, 'id'>, message = 'There is no such task.'): DoorAnswer {
  const fault = { code: 'NOT_FOUND' as const, message, field: 'params.id' };
  return { status: 200, body: rpcFault(id, a2aCodes.taskNotFound, fault) };
}
