import type { Folded } from '@switchyard/buys';
import type { InboxMark } from '@switchyard/store';
import type { Instant } from '@switchyard/values';

/** What became of an event whose news were folded into its leg. */
export function outcomeOfUpdate(id: string, applied: Pick<Folded, 'kind'> | undefined): InboxMark {
  switch (applied?.kind) {
    case 'changed':
      return { id, state: 'applied' };
    case 'parked':
      return { id, state: 'applied', reason: 'leg_parked' };
    // Two different ends of one task: the first stands, and a person is shown the second.
    case 'conflict':
      return { id, state: 'quarantined', reason: 'terminal_conflict' };
    default:
      return { id, state: 'stale' };
  }
}

/** The seller's own time of its news, where that is one. */
export function notifiedAt(timestamp: string | undefined): { readonly notifiedAt?: Instant } {
  const instant = Date.parse(timestamp ?? '');
  return Number.isNaN(instant) ? {} : { notifiedAt: instant };
}
