import type { Clock } from '@switchyard/values';

export interface SenderBound {
  /** Undefined if the sender is under its limit; else the seconds until it may try again. */
  take(sender: string): number | undefined;
  /** Counts one less: the message was no new one of the sender. */
  giveBack(sender: string): void;
}

const minute = 60_000;

/**
 * Counts the webhooks of each verified sender per minute, in this process. Only verified ones count, so that a stranger
 * cannot use up a seller's limit; over the limit nothing is stored and nothing lost: the sender retries.
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
    giveBack: (sender) => {
      counts.set(sender, Math.max(0, (counts.get(sender) ?? 0) - 1));
    },
  };
}
