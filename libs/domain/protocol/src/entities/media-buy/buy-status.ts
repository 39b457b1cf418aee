import type { Form } from '../../versions/wire-profile.js';

/** Each form's values for a buy's status, and ours. */
const readings: Readonly<Record<string, MediaBuyStatus>> = {
  pending: 'pending_start',
  pending_activation: 'pending_start',
  pending_start: 'pending_start',
  pending_creatives: 'pending_creatives',
  active: 'active',
  // A state of the report, not of the buy: a buy that reports late is still active.
  reporting_delayed: 'active',
  paused: 'paused',
  completed: 'completed',
  rejected: 'rejected',
  canceled: 'canceled',
  cancelled: 'canceled',
};

const words: Readonly<Record<Form, Partial<Record<MediaBuyStatus, string>>>> = {
  service: { pending_creatives: 'pending', pending_start: 'pending' },
  // 2.5 has four statuses: a rejected or canceled buy is completed there.
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
 * The states that may follow each state, and the cause (docs/protocol/media-buys.md#states). A state without followers
 * is final.
 */
const next: Readonly<Record<MediaBuyStatus, readonly MediaBuyStatus[]>> = {
  // A creative is approved; the start is reached; the buy is paused; the seller rejects it; it is canceled.
  pending_creatives: ['pending_start', 'active', 'paused', 'rejected', 'canceled'],
  // An approved creative is rejected later, and the buy waits for creatives again.
  pending_start: ['pending_creatives', 'active', 'paused', 'rejected', 'canceled'],
  active: ['paused', 'completed', 'canceled'],
  // The end is reached while the buy is paused.
  paused: ['active', 'completed', 'canceled'],
  completed: [],
  rejected: [],
  canceled: [],
};

const ends: ReadonlySet<MediaBuyStatus> = new Set<MediaBuyStatus>(['completed', 'rejected', 'canceled']);

/** Reads a media buy status of any form; `undefined` where it is none, such as a report's `failed`. */
export function readBuyStatus(word: unknown): MediaBuyStatus | undefined {
  return typeof word === 'string' && Object.hasOwn(readings, word) ? readings[word] : undefined;
}

/** Our status as a form names it. */
export function buyStatusWord(status: MediaBuyStatus, form: Form): string {
  return words[form][status] ?? status;
}

export function isBuyOver(status: MediaBuyStatus): boolean {
  return ends.has(status);
}

/**
 * Whether a buy can go from one state to another, also over states that were not seen between two polls. Any other
 * change is a seller's mistake and is rejected.
 */
export function canBecome(from: MediaBuyStatus, seen: MediaBuyStatus): boolean {
  const reached = new Set<MediaBuyStatus>([from]);
  for (const state of reached) for (const step of next[state]) reached.add(step);
  return reached.has(seen);
}

/**
 * One status for a buy with several sellers (docs/protocol/media-buys.md#states). Final states count only when all are
 * final; then the buy is completed if any part is. Throws a `RangeError` for an empty list.
 */
export function rollUp(statuses: readonly MediaBuyStatus[]): MediaBuyStatus {
  const [first] = statuses;
  if (first === undefined) throw new RangeError('a buy has at least one seller');
  if (statuses.every(isBuyOver)) return statuses.every((status) => status === first) ? first : 'completed';
  const order: readonly MediaBuyStatus[] = ['active', 'pending_creatives', 'pending_start', 'paused'];
  return order.find((status) => statuses.includes(status)) ?? 'paused';
}

export type MediaBuyStatus =
  | 'pending_creatives'
  | 'pending_start'
  | 'active'
  | 'paused'
  | 'completed'
  | 'rejected'
  | 'canceled';
