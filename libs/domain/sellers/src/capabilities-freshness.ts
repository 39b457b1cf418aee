/** Milliseconds until a seller's capabilities are fetched again. */
export const capabilitiesFreshMs = 15 * 60_000;

const firstPauseMs = 60_000;
const longestPauseMs = 60 * 60_000;

/** Milliseconds until the next fetch after `failures` failures in a row: a minute, then doubled up to an hour. */
export function capabilitiesPauseMs(failures: number): number {
  return Math.min(longestPauseMs, firstPauseMs * 2 ** Math.min(Math.max(failures, 1) - 1, 16));
}
