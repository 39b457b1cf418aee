import type { Instant } from '@switchyard/values';

export type Granularity = 'hourly' | 'daily' | 'monthly' | 'range';

const hour = 3_600_000;

/**
 * What a period is by its length alone, because reports do not say. A day may have 23 or 25 hours where a seller
 * reports in a zone of its own (docs/ledger.md#periods-and-granularity).
 */
export function granularityOf(start: Instant, end: Instant): Granularity {
  const hours = (end - start) / hour;
  if (hours <= 1) return 'hourly';
  if (hours >= 23 && hours <= 25) return 'daily';
  if (hours >= 28 * 24 - 1 && hours <= 31 * 24 + 1) return 'monthly';
  return 'range';
}
