import type { Instant } from '@switchyard/values';
import type { Leg } from './operation.js';

/** How long one send keeps others off its leg, in milliseconds. Longer than any single call may take. */
export const leaseMs = 45_000;

/** Whether somebody is at this send right now, or has put it off: its answer may be on its way. */
export function isTaken({ status, sealed, nextPollAt }: Leg, now: Instant): boolean {
  return status === 'sent' && sealed !== true && nextPollAt !== undefined && nextPollAt > now;
}
