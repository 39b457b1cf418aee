/** Milliseconds until a seller is asked again for its capabilities. */
export const capabilitiesFreshMs = 15 * 60_000;

const firstPauseMs = 60_000;
const longestPauseMs = 60 * 60_000;

/** Milliseconds until a seller is asked again that did not answer `failures` times in a row: a minute at first, twice as long each time, an hour at most. */
export function capabilitiesPauseMs(failures: number): number {
  return Math.min(longestPauseMs, firstPauseMs * 2 ** Math.min(Math.max(failures, 1) - 1, 16));
}
