import type { InboxMark, WaitingEvent } from '@switchyard/store';
import type { Instant } from '@switchyard/values';

/** How long an event may wait for what it is about. Afterwards a person decides, and it stands in nobody's way. */
export const waitsAtMostMs = 24 * 3_600_000;

/** What becomes of an event that cannot be applied now: it stays, unless it has waited long enough. */
export function overdue(event: WaitingEvent, now: Instant): InboxMark | undefined {
  if (now - event.receivedAt < waitsAtMostMs) return undefined;
  return { id: event.id, state: 'quarantined', reason: 'not_applied_in_time' };
}
