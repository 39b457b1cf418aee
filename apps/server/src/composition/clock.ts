import type { Clock } from '@switchyard/values';

/** The real clock. Its timers never keep the process alive by themselves. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after: (delayMs, then) => {
    const timer = setTimeout(then, delayMs);
    timer.unref();
    return () => clearTimeout(timer);
  },
};
