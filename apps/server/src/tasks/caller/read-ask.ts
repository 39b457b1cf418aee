import type { ReadRequest } from '@switchyard/buys';
import type { Reach } from '@switchyard/tenancy';
import type { HandledCall } from '../handler.js';
import { timeoutOf } from '../operation/patience.js';
import { reachOfTask } from './reach-of-task.js';

/** A principal's read of the buys within its reach. */
export function readRequestOf({
  call,
  scope,
  spec,
  principal,
  args,
}: HandledCall<unknown>): ReadRequest & { readonly principalId: string; readonly reach: Reach } {
  if (principal === undefined) throw new Error(`${spec.name} needs a principal.`);
  return {
    scope,
    principalId: principal.principalId,
    reach: reachOfTask(principal, spec),
    deadlineMs: timeoutOf(args, spec.deadlineMs),
    signal: call.signal,
    ...(call.onSeller === undefined ? {} : { onSeller: call.onSeller }),
  };
}
