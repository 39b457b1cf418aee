import { err, ok, type Result } from '@switchyard/values';
import type { StartFailure } from './open-switchyard.js';

/** How fast a budget fills, and how much it holds. */
export interface Rate {
  readonly perSecond: number;
  readonly burst: number;
}

export interface RateSettings {
  /** Of one principal, over all its accounts. */
  readonly reads: Rate;
  readonly writes: Rate;
  /** Of one principal, over reads and writes together. */
  readonly combined: Rate;
  /** Changes that one account of one principal has taken in: counted in the database, over all processes. */
  readonly inserts: Rate;
  /** Of one address without credentials. */
  readonly public: Rate;
  /** Credentials from one address that do not hold. */
  readonly failures: Rate;
}

/**
 * Changes of one account, questions, and both together are what signing-webhooks 10 gives for a server of this kind. A
 * principal's changes come to more than one account's, so that one that is at its limit leaves room for the others.
 */
export const usualRates: RateSettings = {
  reads: { perSecond: 300, burst: 1500 },
  writes: { perSecond: 240, burst: 1200 },
  combined: { perSecond: 350, burst: 1700 },
  inserts: { perSecond: 60, burst: 300 },
  public: { perSecond: 10, burst: 100 },
  failures: { perSecond: 10, burst: 200 },
};

/**
 * Reads `SWITCHYARD_RATE_READS`, `SWITCHYARD_RATE_WRITES`, `SWITCHYARD_RATE_COMBINED`, `SWITCHYARD_RATE_INSERTS`,
 * `SWITCHYARD_RATE_PUBLIC` and `SWITCHYARD_RATE_FAILURES`, each as `PER_SECOND/BURST`, for example `60/300`.
 */
export function readRateSettings(
  env: Readonly<Record<string, string | undefined>>,
): Result<RateSettings, StartFailure> {
  const read = { ...usualRates };
  const given = new Set<string>();
  for (const name of ['reads', 'writes', 'combined', 'inserts', 'public', 'failures'] as const) {
    const variable = `SWITCHYARD_RATE_${name.toUpperCase()}`;
    const text = env[variable]?.trim();
    if (text === undefined || text === '') continue;
    const [, perSecond, burst] = /^(\d{1,6}(?:\.\d{1,3})?)\/(\d{1,7})$/.exec(text) ?? [];
    if (Number(perSecond) > 0 && Number(burst) > 0) {
      read[name] = { perSecond: Number(perSecond), burst: Number(burst) };
      given.add(name);
    } else {
      return err({
        code: 'settings',
        message: `${variable} should look like 60/300: per second, and at once.`,
      });
    }
  }
  return ok(given.has('combined') ? read : { ...read, combined: atLeast(read) });
}

/** Who raises one budget means it: unless it is set itself, the common one never holds it back. */
function atLeast({ reads, writes, combined }: RateSettings): Rate {
  return {
    perSecond: Math.max(reads.perSecond, writes.perSecond, combined.perSecond),
    burst: Math.max(reads.burst, writes.burst, combined.burst),
  };
}
