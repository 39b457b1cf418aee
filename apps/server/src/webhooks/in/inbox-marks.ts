import type { Applied } from '@switchyard/buys';
import type { InboxMark, WaitingEvent } from '@switchyard/store';
import type { Instant } from '@switchyard/values';
import type { EndedBuy } from '../../buys/index.js';

/** The mark of an event whose update was applied to its leg. */
export function markOfUpdate(id: string, applied: Pick<Applied, 'kind'> | undefined): InboxMark {
  switch (applied?.kind) {
    case 'changed':
      return { id, state: 'applied' };
    case 'parked':
      return { id, state: 'applied', reason: 'leg_parked' };
    // Two different ends of one task: the first is kept, and a person sees the second.
    case 'conflict':
      return { id, state: 'quarantined', reason: 'terminal_conflict' };
    default:
      return { id, state: 'stale' };
  }
}

/** The seller's own time of its update, if it is valid. */
export function reportedAt(timestamp: string | undefined): { readonly reportedAt?: Instant } {
  const instant = Date.parse(timestamp ?? '');
  return Number.isNaN(instant) ? {} : { reportedAt: instant };
}

/** How long an event may wait for its object, in milliseconds. Then a person decides, and it delays nothing else. */
export const longestWaitMs = 24 * 3_600_000;

/** The mark of an event that cannot be applied now: undefined keeps it waiting, until it has waited too long. */
export function markIfOverdue(event: WaitingEvent, now: Instant): InboxMark | undefined {
  if (now - event.receivedAt < longestWaitMs) return undefined;
  return { id: event.id, state: 'quarantined', reason: 'not_applied_in_time' };
}

export interface InboxRound {
  /** How many events left the inbox. */
  readonly done: number;
  /** Buys with a last report or an impairment: their state is polled, because no webhook carries it. */
  readonly ended: readonly EndedBuy[];
}
