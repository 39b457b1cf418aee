import { setTimeout as pause } from 'node:timers/promises';

/** The part of the stop time that is reserved for what closes after the HTTP servers, at most; in milliseconds. */
const reserveMs = 8_000;

/** How long the HTTP servers may answer accepted requests, if everything must end within `ms`. */
export function drainMsWithin(ms: number): number {
  return ms - Math.min(reserveMs, ms / 2);
}

/**
 * Closes in order, the last opened first. Waits at most `withinMs`: what has not closed by then is told to close and
 * left, so that the process always ends. Work in progress is stored in rows.
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

export type Closer = () => Promise<unknown>;
