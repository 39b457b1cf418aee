import { taskError, type TaskError } from '@switchyard/protocol';
import type { Instant } from '@switchyard/values';
import type { BuyerAccount } from './buyer-account.js';
import { accountScope } from './keys.js';

/** The maximum number of requests of one account of a principal within a rolling window. */
export interface InsertCeiling {
  /** Milliseconds. */
  readonly windowMs: number;
  readonly most: number;
}

/** The account whose requests are counted with a new one, and their limits. */
export interface InsertBudget {
  readonly scope: string;
  readonly ceilings: readonly InsertCeiling[];
}

/** The full window, and when it has space again. */
export interface Crowded {
  readonly kind: 'crowded';
  readonly until: Instant;
  readonly ceiling: InsertCeiling;
}

const burstMs = 10_000;
const sustainedMs = 60_000;

/**
 * The two limits (docs/protocol/idempotency.md#limits-of-changes), given per second: `burst` over ten
 * seconds, `perSecond` over a minute.
 */
export function insertCeilings(rate: {
  readonly perSecond: number;
  readonly burst: number;
}): readonly InsertCeiling[] {
  return [
    { windowMs: burstMs, most: Math.max(1, Math.ceil((rate.burst * burstMs) / 1_000)) },
    { windowMs: sustainedMs, most: Math.max(1, Math.ceil((rate.perSecond * sustainedMs) / 1_000)) },
  ];
}

/** The limits of a principal's account; empty where none is set. */
export function insertBudget(
  ceilings: readonly InsertCeiling[] | undefined,
  principalId: string,
  account: BuyerAccount | undefined,
): { readonly budget?: InsertBudget } {
  if (ceilings === undefined) return {};
  return { budget: { scope: accountScope(principalId, account), ceilings } };
}

/** Returns the window that is full at `at`, given the times of stored requests of one scope, newest first. */
export function crowdedBy(
  ceilings: readonly InsertCeiling[],
  newestFirst: readonly Instant[],
  at: Instant,
): Crowded | undefined {
  const full = ceilings.flatMap((ceiling): Crowded[] => {
    const last = newestFirst[ceiling.most - 1];
    const until = last === undefined ? at : last + ceiling.windowMs;
    return until > at ? [{ kind: 'crowded', until, ceiling }] : [];
  });
  // Both windows need space again.
  return full.toSorted((one, other) => other.until - one.until)[0];
}

/** The error for a refused insert; nothing was stored under the key of the request. */
export function crowdedError({ until, ceiling }: Crowded, at: Instant): TaskError {
  const retryAfter = Math.min(3600, Math.max(1, Math.ceil((until - at) / 1_000)));
  const { most, windowMs } = ceiling;
  return taskError('RATE_LIMITED', 'This account sent too many changes: wait before you send the next.', {
    retryAfter,
    details: { limit: most, remaining: 0, window_seconds: windowMs / 1_000, scope: 'account' },
  });
}
