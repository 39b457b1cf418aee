import type { Instant } from '@switchyard/values';
import type { Connection } from './connection.js';

/** `fresh`: use them. `stale`: use them and ask again behind the answer. `missing`: ask before anything else. */
export type CapabilitiesFreshness = 'fresh' | 'stale' | 'missing';

export interface CapabilitiesTtl {
  /** Milliseconds until they are asked for again. */
  readonly freshMs: number;
  /** Milliseconds after which they no longer count at all. */
  readonly keepMs: number;
}

export const defaultCapabilitiesTtl: CapabilitiesTtl = { freshMs: 15 * 60_000, keepMs: 24 * 3_600_000 };

/** Decides whether what a connection remembers of its seller may still be used. */
export function capabilitiesFreshness(
  connection: Pick<Connection, 'capabilities' | 'capabilitiesAt'>,
  at: Instant,
  ttl: CapabilitiesTtl = defaultCapabilitiesTtl,
): CapabilitiesFreshness {
  if (connection.capabilities === undefined || connection.capabilitiesAt === undefined) return 'missing';
  const age = at - connection.capabilitiesAt;
  if (age < ttl.freshMs) return 'fresh';
  return age < ttl.keepMs ? 'stale' : 'missing';
}

const firstPauseMs = 60_000;
const longestPauseMs = 60 * 60_000;

/** Milliseconds until a seller is asked again that did not answer `failures` times in a row: a minute at first, twice as long each time, an hour at most. */
export function capabilitiesPauseMs(failures: number): number {
  return Math.min(longestPauseMs, firstPauseMs * 2 ** Math.min(Math.max(failures, 1) - 1, 16));
}
