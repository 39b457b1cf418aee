import type { Applied } from '@switchyard/buys';
import type { InboxMark } from '@switchyard/store';
import type { Instant } from '@switchyard/values';

/** The mark of an event whose update was applied to its leg. */
export function outcomeOfUpdate(id: string, applied: Pick<Applied, 'kind'> | undefined): InboxMark {
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
export function notifiedAt(timestamp: string | undefined): { readonly notifiedAt?: Instant } {
  const instant = Date.parse(timestamp ?? '');
  return Number.isNaN(instant) ? {} : { notifiedAt: instant };
}
