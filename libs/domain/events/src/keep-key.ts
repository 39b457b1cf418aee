import type { Instant } from '@switchyard/values';
import type { InboxEventKind } from './inbox-port.js';

/**
 * How long a key without money behind it is remembered: a week, where a day is demanded
 * (docs/protocol/webhooks-in.md#duplicates).
 */
export const keyMemoryMs = 7 * 24 * 3_600_000;

/** Kinds that move money or commit it: their keys are never forgotten. */
const aboutMoney: ReadonlySet<InboxEventKind> = new Set(['delivery_report', 'task_status']);

/** Until when the key of an event is remembered; undefined is forever. */
export function keyRetainedUntil(kind: InboxEventKind, at: Instant): Instant | undefined {
  return aboutMoney.has(kind) ? undefined : at + keyMemoryMs;
}
