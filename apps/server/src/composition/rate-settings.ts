import type { Settings } from './settings.js';

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

/** The rates of the settings. */
export function readRateSettings(settings: Settings): RateSettings {
  const read = {
    reads: settings.SWITCHYARD_RATE_READS,
    writes: settings.SWITCHYARD_RATE_WRITES,
    inserts: settings.SWITCHYARD_RATE_INSERTS,
    public: settings.SWITCHYARD_RATE_PUBLIC,
    failures: settings.SWITCHYARD_RATE_FAILURES,
  };
  return { ...read, combined: settings.SWITCHYARD_RATE_COMBINED ?? atLeast(read) };
}

/** What one principal reads and changes together, unless it is set. */
const usualCombined: Rate = { perSecond: 350, burst: 1700 };

/** Who raises one budget means it: unless it is set itself, the common one never holds it back. */
function atLeast({ reads, writes }: Pick<RateSettings, 'reads' | 'writes'>): Rate {
  return {
    perSecond: Math.max(reads.perSecond, writes.perSecond, usualCombined.perSecond),
    burst: Math.max(reads.burst, writes.burst, usualCombined.burst),
  };
}
