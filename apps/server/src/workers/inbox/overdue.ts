import type { InboxMark, WaitingEvent } from '@switchyard/store';
import type { Instant } from '@switchyard/values';

/** How long an event may wait for its object, in milliseconds. Then a person decides, and it delays nothing else. */
export const waitsAtMostMs = 24 * 3_600_000;

/** The mark of an event that cannot be applied now: undefined keeps it waiting, until it has waited too long. */
export function overdue(event: WaitingEvent, now: Instant): InboxMark | undefined {
  if (now - event.receivedAt < waitsAtMostMs) return undefined;
  return { id: event.id, state: 'quarantined', reason: 'not_applied_in_time' };
}
