import type { MediaBuyStatus } from './model.js';
import type { Form } from './voice.js';

/** Each form's words for what a buy is, as the seller says them, beside ours. */
const readings: Readonly<Record<string, MediaBuyStatus>> = {
  pending: 'pending_start',
  pending_activation: 'pending_start',
  pending_start: 'pending_start',
  pending_creatives: 'pending_creatives',
  active: 'active',
  // A state of the report, not of the buy: what reports late is still running.
  reporting_delayed: 'active',
  paused: 'paused',
  completed: 'completed',
  rejected: 'rejected',
  canceled: 'canceled',
  cancelled: 'canceled',
};

const words: Readonly<Record<Form, Partial<Record<MediaBuyStatus, string>>>> = {
  service: { pending_creatives: 'pending', pending_start: 'pending' },
  // 2.5 knows four words: a refused or canceled buy has come to its end.
  '2.5': {
    pending_creatives: 'pending_activation',
    pending_start: 'pending_activation',
    rejected: 'completed',
    canceled: 'completed',
  },
  '3.0': {},
  '3.1': {},
};

const ends: ReadonlySet<MediaBuyStatus> = new Set<MediaBuyStatus>(['completed', 'rejected', 'canceled']);

/** Any form's word for a media buy status; `undefined` where it is none, a report's `failed` included. */
export function readBuyStatus(word: unknown): MediaBuyStatus | undefined {
  return typeof word === 'string' && Object.hasOwn(readings, word) ? readings[word] : undefined;
}

/** Our status in a form's own word. */
export function buyStatusWord(status: MediaBuyStatus, form: Form): string {
  return words[form][status] ?? status;
}

export function isBuyOver(status: MediaBuyStatus): boolean {
  return ends.has(status);
}

/**
 * One status for a buy over several sellers (tasks 5). Ends count only when all have ended; then what was completed
 * anywhere is completed. Throws a `RangeError` of no statuses at all.
 */
export function rollUp(statuses: readonly MediaBuyStatus[]): MediaBuyStatus {
  const [first] = statuses;
  if (first === undefined) throw new RangeError('a buy has at least one seller');
  if (statuses.every(isBuyOver)) return statuses.every((status) => status === first) ? first : 'completed';
  const order: readonly MediaBuyStatus[] = ['active', 'pending_creatives', 'pending_start', 'paused'];
  return order.find((status) => statuses.includes(status)) ?? 'paused';
}
