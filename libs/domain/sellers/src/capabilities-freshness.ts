import type { Instant } from '@switchyard/values';

/** Milliseconds until a seller's capabilities are fetched again. */
export const capabilitiesFreshMs = 15 * 60_000;

const firstPauseMs = 60_000;
const longestPauseMs = 60 * 60_000;

/** Milliseconds until the next fetch after `failures` failures in a row: a minute, then doubled up to an hour. */
export function capabilitiesPauseMs(failures: number): number {
  return Math.min(longestPauseMs, firstPauseMs * 2 ** Math.min(Math.max(failures, 1) - 1, 16));
}

const hourMs = 60 * 60_000;
/** No two hourly looks are nearer to each other, in milliseconds. */
const shortestPauseMs = 5 * 60_000;

/** The next hourly look at a seller: each has an instant of the hour of its own, so that many are spread over the hour. */
export function nextLookAt(sellerId: string, now: Instant): Instant {
  const own = Number.parseInt(sellerId.slice(-8), 16) % hourMs;
  const from = now + shortestPauseMs;
  const at = Math.floor(from / hourMs) * hourMs + own;
  return at < from ? at + hourMs : at;
}
