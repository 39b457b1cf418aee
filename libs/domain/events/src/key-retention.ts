import type { Instant } from '@switchyard/values';
import type { InboxEventKind } from './inbox-port.js';

/**
 * How long a key of an event without money is retained, in milliseconds: a week; the protocol requires a day
 * (docs/protocol/webhooks-in.md#duplicates).
 */
export const keyMemoryMs = 7 * 24 * 3_600_000;

/** Kinds that report or commit money: their keys are retained forever. */
const aboutMoney: ReadonlySet<InboxEventKind> = new Set(['delivery_report', 'task_status']);

/** When the key of an event expires; undefined: never. */
export function keyRetainedUntil(kind: InboxEventKind, at: Instant): Instant | undefined {
  return aboutMoney.has(kind) ? undefined : at + keyMemoryMs;
}
