import { setTimeout as pause } from 'node:timers/promises';
import type { Closer } from './open-switchyard.js';

/** Of the time to stop, what is left to those that come after the doors, at most; in milliseconds. */
const reserveMs = 8_000;

/** How long the doors may take to answer what they have taken, when everything has to end within `ms`. */
export function drainMsWithin(ms: number): number {
  return ms - Math.min(reserveMs, ms / 2);
}

/**
 * Closes one after the other, the last that was opened first. Nobody is waited for beyond `withinMs`: what hangs by then
 * is told to close and left, so that the process ends whatever does not answer. Rows hold what is under way.
 */
export async function closeInOrder(closers: readonly Closer[], withinMs: number): Promise<void> {
  const endsAt = Date.now() + withinMs;
  for (const closer of [...closers].reverse()) {
    const given = new AbortController();
    const left = pause(Math.max(endsAt - Date.now(), 50), undefined, { signal: given.signal });
    await Promise.race([closer(), left]).catch(() => undefined);
    left.catch(() => undefined);
    given.abort();
  }
}
