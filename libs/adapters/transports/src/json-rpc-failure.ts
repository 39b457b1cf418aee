import type { SellerAnswer, TransportFailure } from '@switchyard/sellers';
import { isJsonObject } from '@switchyard/values';
import { failureOf } from './failure.js';

/**
 * The server did not start the request: parse error, invalid request, unknown method. -32602 is not among them: servers
 * also return it if the work is done and the result fails their own check.
 */
const refusedCodes = new Set([-32700, -32600, -32601]);
/** A2A errors about a task, known or unknown: a refusal of the request, not a broken protocol. */
const refusals: Readonly<Record<number, NonNullable<TransportFailure['refusal']>>> = {
  [-32001]: 'task_not_found',
  [-32002]: 'task_not_cancelable',
  [-32004]: 'unsupported_operation',
};
const errorMembers = ['adcp_error', 'ads_error', 'errors', 'error'];

/** Reads a JSON-RPC error: a task's own error in `data` is an answer, everything else is a failure of the protocol. */
export function jsonRpcFailure(
  code: number,
  data: unknown,
): TransportFailure | { readonly answer: SellerAnswer } {
  if (isJsonObject(data) && errorMembers.some((member) => Object.hasOwn(data, member))) {
    return { answer: { payload: data, isError: true } };
  }
  const refusal = refusals[code];
  const failure = failureOf('protocol_error', refusedCodes.has(code) ? 'no' : 'maybe');
  return refusal === undefined ? failure : { ...failure, refusal };
}
