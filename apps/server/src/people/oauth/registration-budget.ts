import type { Clock } from '@switchyard/values';

const windowMs = 3_600_000;
const perAddress = 100;
const ofAll = 1_000;

/** Limits registrations of clients per hour in one process: per address, and in total. */
export function createRegistrationBudget(clock: Clock): {
  /** Takes one. Answers the seconds to wait if none is left. */
  take(address: string): number | undefined;
} {
  let startedAt = clock.now();
  let taken = new Map<string, number>();
  let all = 0;
  return {
    take: (address) => {
      const now = clock.now();
      if (now - startedAt >= windowMs) {
        startedAt = now;
        taken = new Map();
        all = 0;
      }
      const own = taken.get(address) ?? 0;
      if (own >= perAddress || all >= ofAll)
        return Math.max(1, Math.ceil((startedAt + windowMs - now) / 1000));
      taken.set(address, own + 1);
      all += 1;
      return undefined;
    },
  };
}
