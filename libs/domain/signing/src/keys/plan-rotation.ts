import type { Instant } from '@switchyard/values';
import type { KeyMove, PlatformKey } from './platform-key.js';

/** Waiting times of a rotation, in milliseconds. */
export interface RotationTimes {
  /** From the publication of a key to its first signature: as long as a copy of our key set may be cached. */
  readonly wait: number;
  /** From the last signature of a key to its end: the validity of a signature plus the allowed clock difference. */
  readonly retire: number;
}

/** A key set may be cached for 30 minutes; a signature is valid for five, and clocks may differ by one. */
export const defaultRotationTimes: RotationTimes = { wait: 30 * 60_000, retire: 6 * 60_000 };

/**
 * Returns the moves that are due for the keys of one owner, a principal or the organization; they must be made together. The order is publish, wait,
 * switch, retire, so that any cached key set has the key of every valid signature.
 */
export function planRotation(
  keys: readonly PlatformKey[],
  times: RotationTimes,
  at: Instant,
): readonly KeyMove[] {
  const moves: KeyMove[] = keys
    .filter((key) => key.state === 'retiring' && (key.retiringAt ?? key.createdAt) + times.retire <= at)
    .map(({ kid }) => ({ kid, from: 'retiring', to: 'retired' }));
  const next = keys.find((key) => key.state === 'published');
  if (next === undefined) return moves;
  const live = keys.find((key) => key.state === 'live');
  if (live !== undefined && next.createdAt + times.wait > at) return moves;
  // The old key is moved first: an owner never has two live keys.
  if (live !== undefined) moves.push({ kid: live.kid, from: 'live', to: 'retiring' });
  moves.push({ kid: next.kid, from: 'published', to: 'live' });
  return moves;
}
