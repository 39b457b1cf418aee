import type { Instant } from '@switchyard/values';

export type Granularity = 'hourly' | 'daily' | 'monthly' | 'range';

const hour = 3_600_000;

/**
 * The granularity of a period by its length, because reports do not contain it. A day may have 23 or 25 hours
 * where a seller reports in its own time zone (docs/ledger.md#periods-and-granularity).
 */
export function granularityOf(start: Instant, end: Instant): Granularity {
  const hours = (end - start) / hour;
  if (hours <= 1) return 'hourly';
  if (hours >= 23 && hours <= 25) return 'daily';
  if (hours >= 28 * 24 - 1 && hours <= 31 * 24 + 1) return 'monthly';
  return 'range';
}
