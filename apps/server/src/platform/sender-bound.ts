import type { Clock } from '@switchyard/values';

/** How many webhooks one verified sender may bring in a minute: far above what any honest one has to say. */
export const webhooksPerMinute = 60_000;

export interface SenderBound {
  /** Undefined where there is room; else after how many seconds to try again. */
  take(sender: string): number | undefined;
}

const minute = 60_000;

/**
 * Counts what each verified sender brings, by the minute, in this process. Only what has verified counts, so that a
 * stranger cannot use up a seller's room; over the bound nothing is stored and nothing forgotten: the sender waits.
 */
export function senderBound(clock: Clock, perMinute: number = webhooksPerMinute): SenderBound {
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

/** `SWITCHYARD_WEBHOOKS_PER_MINUTE`, where it is a whole number above zero. */
export function boundFrom(env: Readonly<Record<string, string | undefined>>): number {
  const text = env['SWITCHYARD_WEBHOOKS_PER_MINUTE'] ?? '';
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : webhooksPerMinute;
}
