import type { ReadAsk } from '@switchyard/buys';
import type { HandledCall } from '../handler.js';
import { patienceOf } from '../operation/patience.js';

/** A principal's question about its own buys. */
export function readAskOf({
  call,
  scope,
  spec,
  principal,
  args,
}: HandledCall<unknown>): ReadAsk & { readonly principalId: string } {
  if (principal === undefined) throw new Error(`${spec.name} needs a principal.`);
  return {
    scope,
    principalId: principal.principalId,
    deadlineMs: patienceOf(args, spec.deadlineMs),
    signal: call.signal,
    ...(call.onSeller === undefined ? {} : { onSeller: call.onSeller }),
  };
}
