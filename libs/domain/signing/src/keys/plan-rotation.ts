import type { Instant } from '@switchyard/values';
import type { KeyMove, PlatformKey } from './platform-key.js';

/** How long keys stay in between, in milliseconds. */
export interface RotationTimes {
  /** From publishing a key to signing with it: as long as anybody may keep a copy of our key set. */
  readonly wait: number;
  /** From the last signature of a key to its end: as long as a signature may be valid, and clocks differ. */
  readonly retire: number;
}

/** A key set may be kept for 30 minutes; a signature is valid for five, and clocks may differ by one. */
export const defaultRotationTimes: RotationTimes = { wait: 30 * 60_000, retire: 6 * 60_000 };

/**
 * What is due for the keys of one principal: the moves that have to happen together. Publish, wait, switch, retire,
 * so that whoever looked our keys up at any time finds the key of every signature it can meet.
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
  // The old key steps down first: two keys of one principal are never live at the same moment.
  if (live !== undefined) moves.push({ kid: live.kid, from: 'live', to: 'retiring' });
  moves.push({ kid: next.kid, from: 'published', to: 'live' });
  return moves;
}
