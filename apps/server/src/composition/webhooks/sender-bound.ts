import type { Clock } from '@switchyard/values';

export interface SenderBound {
  /** Undefined where there is room; else after how many seconds to try again. */
  take(sender: string): number | undefined;
}

const minute = 60_000;

/**
 * Counts what each verified sender brings, by the minute, in this process. Only what has verified counts, so that a
 * stranger cannot use up a seller's room; over the bound nothing is stored and nothing forgotten: the sender waits.
 */
export function senderBound(clock: Clock, perMinute: number): SenderBound {
  let window = -1;
  let counts = new Map<string, number>();
  return {
    take: (sender) => {
      const now = clock.now();
      const current = Math.floor(now / minute);
      if (current !== window) {
        window = current;
        counts = new Map();
      }
      const count = (counts.get(sender) ?? 0) + 1;
      counts.set(sender, count);
      return count <= perMinute ? undefined : Math.ceil(((current + 1) * minute - now) / 1000);
    },
  };
}
