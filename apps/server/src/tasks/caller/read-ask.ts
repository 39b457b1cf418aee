import type { ReadRequest } from '@switchyard/buys';
import type { HandledCall } from '../handler.js';
import { timeoutOf } from '../operation/patience.js';

/** A principal's question about its own buys. */
export function readRequestOf({
  call,
  scope,
  spec,
  principal,
  args,
}: HandledCall<unknown>): ReadRequest & { readonly principalId: string } {
  if (principal === undefined) throw new Error(`${spec.name} needs a principal.`);
  return {
    scope,
    principalId: principal.principalId,
    deadlineMs: timeoutOf(args, spec.deadlineMs),
    signal: call.signal,
    ...(call.onSeller === undefined ? {} : { onSeller: call.onSeller }),
  };
}
