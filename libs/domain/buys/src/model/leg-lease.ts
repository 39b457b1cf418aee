import type { Instant } from '@switchyard/values';
import type { Leg } from './operation.js';

/** Lease of a leg for one send, in milliseconds. Longer than any single call may take. */
export const leaseMs = 45_000;

/** Whether a process is sending this leg or has postponed it: its answer may still arrive. */
export function isTaken({ status, sealed, nextPollAt }: Leg, now: Instant): boolean {
  return status === 'sent' && sealed !== true && nextPollAt !== undefined && nextPollAt > now;
}
