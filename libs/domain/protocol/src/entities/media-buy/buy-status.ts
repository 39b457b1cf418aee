import type { MediaBuyStatus } from './media-buy-status.js';
import type { Form } from '../../versions/wire-profile.js';

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

/**
 * What each state may become next, and what brings it about (docs/protocol/media-buys.md#states). A state without a row
 * of its own is an end.
 */
const next: Readonly<Record<MediaBuyStatus, readonly MediaBuyStatus[]>> = {
  // A creative is approved; the start is reached; it is held; the seller refuses; it is canceled.
  pending_creatives: ['pending_start', 'active', 'paused', 'rejected', 'canceled'],
  // A creative that was approved is refused after all, and the buy waits for creatives again.
  pending_start: ['pending_creatives', 'active', 'paused', 'rejected', 'canceled'],
  active: ['paused', 'completed', 'canceled'],
  // The end passes while it is held.
  paused: ['active', 'completed', 'canceled'],
  completed: [],
  rejected: [],
  canceled: [],
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
 * Whether a buy last seen in one state may be seen in another: over steps that nobody told us of, as a poll sees
 * them. What cannot be reached is a seller's mistake, and is refused.
 */
export function canBecome(from: MediaBuyStatus, seen: MediaBuyStatus): boolean {
  const reached = new Set<MediaBuyStatus>([from]);
  for (const state of reached) for (const step of next[state]) reached.add(step);
  return reached.has(seen);
}

/**
 * One status for a buy over several sellers (docs/protocol/media-buys.md#states). Ends count only when all have ended;
 * then what was completed anywhere is completed. Throws a `RangeError` of no statuses at all.
 */
export function rollUp(statuses: readonly MediaBuyStatus[]): MediaBuyStatus {
  const [first] = statuses;
  if (first === undefined) throw new RangeError('a buy has at least one seller');
  if (statuses.every(isBuyOver)) return statuses.every((status) => status === first) ? first : 'completed';
  const order: readonly MediaBuyStatus[] = ['active', 'pending_creatives', 'pending_start', 'paused'];
  return order.find((status) => statuses.includes(status)) ?? 'paused';
}
