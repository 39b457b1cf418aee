import type { Clock } from '@switchyard/values';

/** The longest pause before a retry at a seller, in milliseconds; deadlines are longer. */
const longestPauseMs = 2_000;

/** A clock on which time stands still and a pause ends at once: for tests in which a seller is down. */
export function withoutPauses(clock: Clock): Clock {
  return {
    now: () => clock.now(),
    after: (delayMs, then) => {
      if (delayMs > longestPauseMs) return clock.after(delayMs, then);
      const pause = setImmediate(then);
      return () => {
        clearImmediate(pause);
      };
    },
  };
}
