import { err, ok, type Result } from '@switchyard/values';
import type { StartFailure } from './open-switchyard.js';

/** How fast a budget fills, and how much it holds. */
export interface Rate {
  readonly perSecond: number;
  readonly burst: number;
}

export interface RateSettings {
  /** Of one principal. */
  readonly reads: Rate;
  readonly writes: Rate;
  /** Of one address without credentials. */
  readonly public: Rate;
  /** Credentials from one address that do not hold. */
  readonly failures: Rate;
}

/** The sustained rates are those that signing-webhooks 10 gives for a server of this kind. */
export const usualRates: RateSettings = {
  reads: { perSecond: 300, burst: 1500 },
  writes: { perSecond: 60, burst: 300 },
  public: { perSecond: 10, burst: 100 },
  failures: { perSecond: 10, burst: 200 },
};

/**
 * Reads `SWITCHYARD_RATE_READS`, `SWITCHYARD_RATE_WRITES`, `SWITCHYARD_RATE_PUBLIC` and `SWITCHYARD_RATE_FAILURES`,
 * each as `PER_SECOND/BURST`, for example `60/300`.
 */
export function readRateSettings(
  env: Readonly<Record<string, string | undefined>>,
): Result<RateSettings, StartFailure> {
  const read = { ...usualRates };
  for (const name of ['reads', 'writes', 'public', 'failures'] as const) {
    const variable = `SWITCHYARD_RATE_${name.toUpperCase()}`;
    const text = env[variable]?.trim();
    if (text === undefined || text === '') continue;
    const [, perSecond, burst] = /^(\d{1,6}(?:\.\d{1,3})?)\/(\d{1,7})$/.exec(text) ?? [];
    if (Number(perSecond) > 0 && Number(burst) > 0) {
      read[name] = { perSecond: Number(perSecond), burst: Number(burst) };
    } else {
      return err({
        code: 'settings',
        message: `${variable} should look like 60/300: per second, and at once.`,
      });
    }
  }
  return ok(read);
}
