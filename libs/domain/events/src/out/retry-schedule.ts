import type { Instant } from '@switchyard/values';
import { missingHorizonMs, outboxHorizonMs } from './outbox-event.js';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** The wait after each failed attempt, in milliseconds; the last one repeats until the event is a day old. */
const waits = [second, 4 * second, 15 * second, minute, 5 * minute, 15 * minute, hour, 4 * hour, 8 * hour];

/** Maximum relative change of a wait. */
const jitter = 0.2;

interface RetryRequest {
  /** Attempts made so far, at least 1. */
  readonly attempt: number;
  readonly createdAt: Instant;
  readonly now: Instant;
  /** In [0, 1); passed in so that tests can set it. */
  readonly random: number;
  /** The receiver's `Retry-After` in milliseconds. It lengthens a wait and never shortens one. */
  readonly retryAfterMs?: number;
  /** For an answer of a missing receiver: when the first such answer to this event came. */
  readonly missingSince?: Instant;
}

/**
 * When an event is retried; undefined when this would be more than a day after its creation. A missing receiver is
 * tried a last time at the end of its hour.
 */
export function nextAttemptAt({
  attempt,
  createdAt,
  now,
  random,
  retryAfterMs,
  missingSince,
}: RetryRequest): Instant | undefined {
  const wait = waits[Math.min(attempt, waits.length) - 1] ?? 0;
  const spread = Math.round(wait * (1 - jitter + 2 * jitter * random));
  const usual = now + Math.max(spread, retryAfterMs ?? 0);
  const end = missingSince === undefined ? Infinity : missingSince + missingHorizonMs;
  if (now >= end) return undefined;
  const at = Math.min(usual, end);
  return at > createdAt + outboxHorizonMs ? undefined : at;
}
