import type { Clock, Instant } from '@switchyard/values';

export interface TestClock extends Clock {
  /** Advances time and runs due callbacks in order of their time, including those that they schedule. */
  advance(milliseconds: number): void;
  /** When the next callback is due; undefined if none is. */
  nextAt(): Instant | undefined;
}

interface Alarm {
  readonly at: Instant;
  readonly order: number;
  readonly then: () => void;
}

/** A clock that only a test moves. Default start: 2026-01-01T00:00:00Z. */
export function testClock(start: Instant = Date.UTC(2026, 0, 1)): TestClock {
  let now = start;
  let order = 0;
  const alarms = new Set<Alarm>();
  return {
    now: () => now,
    after: (delayMs, then) => {
      const alarm = { at: now + Math.max(0, delayMs), order: order++, then };
      alarms.add(alarm);
      return () => {
        alarms.delete(alarm);
      };
    },
    nextAt: () =>
      [...alarms].reduce<Instant | undefined>((least, { at }) => Math.min(least ?? at, at), undefined),
    advance: (milliseconds) => {
      const until = now + milliseconds;
      for (;;) {
        const next = [...alarms]
          .filter(({ at }) => at <= until)
          .sort((a, b) => a.at - b.at || a.order - b.order)[0];
        if (next === undefined) break;
        alarms.delete(next);
        now = Math.max(now, next.at);
        next.then();
      }
      now = until;
    },
  };
}
