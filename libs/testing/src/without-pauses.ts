import type { Clock } from '@switchyard/values';

/** The longest pause before a seller is asked once more, in milliseconds; deadlines are longer. */
const longestPauseMs = 2_000;

/** The same clock, on which time stands still and a pause is over at once: for tests in which a seller is down. */
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
