import type { Rate, RateSettings } from '../../platform/caller/rate-limits.js';
import type { Settings } from './settings.js';

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

/** Default of the combined budget of one principal. */
const usualCombined: Rate = { perSecond: 350, burst: 1700 };

/** Unless the combined budget is set, it is at least the sum of the other two, so that a raised one takes effect. */
function atLeast({ reads, writes }: Pick<RateSettings, 'reads' | 'writes'>): Rate {
  return {
    perSecond: Math.max(reads.perSecond, writes.perSecond, usualCombined.perSecond),
    burst: Math.max(reads.burst, writes.burst, usualCombined.burst),
  };
}
