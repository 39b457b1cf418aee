import { describe, expect, it } from '@jest/globals';
import { pauseBeforeRetry } from './query-leg.js';

const startedAt = Date.UTC(2026, 0, 1);
const value = { setAside: [], findings: [], failure: unreachable() };
const busy = { status: 'failed', reason: 'Nobody is there.', items: 0, value } as const;
const connections = Array.from({ length: 40 }, (_, index) => `connection-${index}`);

function unreachable() {
  return { code: 'unreachable', message: 'Nobody is there.', delivered: 'no' } as const;
}

/** The pause of a connection in milliseconds, where all connections failed at the same time. */
function pauseOf(connectionId: string, deadlineMs = 60_000): number {
  const now = startedAt + 100;
  const pause = pauseBeforeRetry(busy, {
    connectionId,
    startedAt,
    now,
    endsAt: startedAt + 60_000,
    deadlineMs,
  });
  if (pause === undefined) throw new Error('The seller is not asked again.');
  return pause;
}

describe('the pause before a retry', () => {
  it('varies by up to a quarter, so that sellers that failed together are not retried together', () => {
    const pauses = connections.map((id) => pauseOf(id));
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(1_500);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(2_500);
    // Some of the 40 pauses are in each outer third, so the spread is more than a few milliseconds.
    expect(Math.min(...pauses)).toBeLessThan(1_700);
    expect(Math.max(...pauses)).toBeGreaterThan(2_300);
    expect(new Set(pauses).size).toBeGreaterThan(30);
  });

  it('varies as much if the deadline shortens it', () => {
    const pauses = connections.map((id) => pauseOf(id, 10_000));
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(375);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(625);
    expect(Math.max(...pauses) - Math.min(...pauses)).toBeGreaterThan(150);
  });
});
