import type { Clock } from '@switchyard/values';

/** The system clock. Its timers do not keep the process alive. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after: (delayMs, then) => {
    const timer = setTimeout(then, delayMs);
    timer.unref();
    return () => clearTimeout(timer);
  },
};
