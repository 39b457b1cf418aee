import { describe, expect, it } from '@jest/globals';
import { missingHorizonMs, outboxHorizonMs } from './outbox-event.js';
import { nextAttemptAt } from './retry-schedule.js';

const createdAt = Date.UTC(2026, 0, 1);
const wait = (attempt: number, random: number, retryAfterMs?: number): number | undefined => {
  const at = nextAttemptAt({
    attempt,
    createdAt,
    now: createdAt,
    random,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
  return at === undefined ? undefined : at - createdAt;
};

describe('the schedule', () => {
  it('waits about 1 s, 4 s, 15 s, 1 min, 5 min, 15 min, 1 h, 4 h, then 8 h', () => {
    const middles = Array.from({ length: 10 }, (_, index) => wait(index + 1, 0.5));
    const [second, minute, hour] = [1_000, 60_000, 3_600_000];
    expect(middles).toEqual([
      second,
      4 * second,
      15 * second,
      minute,
      5 * minute,
      15 * minute,
      hour,
      4 * hour,
      8 * hour,
      8 * hour,
    ]);
  });

  it('varies a wait by up to a fifth', () => {
    expect(wait(4, 0)).toBe(48_000);
    expect(wait(4, 0.999_999)).toBe(72_000);
  });

  it('reaches the fourth attempt within 90 seconds at any jitter', () => {
    const total = [1, 2, 3].reduce((sum, attempt) => sum + (wait(attempt, 0.999) ?? Infinity), 0);
    expect(total).toBeLessThan(30_000);
  });

  it('waits as long as the receiver requests, and never shorter', () => {
    expect(wait(1, 0.5, 30_000)).toBe(30_000);
    expect(wait(5, 0.5, 1_000)).toBe(300_000);
  });

  it('tries a missing receiver with the usual waits, a last time an hour after its first such answer', () => {
    const missingSince = createdAt + 5_000;
    const next = (attempt: number, now: number) =>
      nextAttemptAt({ attempt, createdAt, now, random: 0.5, missingSince });
    const hour = missingSince + missingHorizonMs;
    expect(next(1, missingSince)).toBe(missingSince + 1_000);
    expect(next(6, missingSince + 1_000)).toBe(missingSince + 1_000 + 900_000);
    expect(next(7, missingSince + 1_300_000)).toBe(hour);
    expect(next(8, hour)).toBeUndefined();
  });

  it('ends after a day', () => {
    const at = createdAt + outboxHorizonMs - 1_000;
    expect(nextAttemptAt({ attempt: 9, createdAt, now: at, random: 0.5 })).toBeUndefined();
    expect(wait(1, 0.5, outboxHorizonMs + 1)).toBeUndefined();
    expect(wait(1, 0.5, outboxHorizonMs)).toBe(outboxHorizonMs);
  });
});
