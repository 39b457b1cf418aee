import type { DeliveryReport } from '@switchyard/protocol';
import { defined, err, ok, type Instant, type Result } from '@switchyard/values';
import type { PlacedPeriod } from '../calendar/place-period.js';
import type { QuarantineReason } from './observation.js';

const instantText =
  /^(\d{4}-\d{2}-\d{2})(?:[Tt ](\d{2}:\d{2}:\d{2})(?:\.(\d{1,9}))?(Z|z|[+-]\d{2}:\d{2})?)?$/;

/**
 * Reads the period of a report, which the protocol's reader has already made half-open
 * (docs/protocol/delivery.md#periods). Without a zone it is UTC.
 */
export function readPeriod(period: DeliveryReport['period']): Result<PlacedPeriod, QuarantineReason> {
  if (period === undefined) {
    return err({ code: 'missing_period', message: 'The report names no period.', field: 'period' });
  }
  const start = instantOf(period.start);
  const end = instantOf(period.end);
  if (start === undefined) return err(badPeriod('The start is not a valid time.', 'period.start'));
  if (end === undefined) return err(badPeriod('The end is not a valid time.', 'period.end'));
  if (end <= start) return err(badPeriod('The period ends before it starts.', 'period'));
  const { startOffset, endOffset } = period;
  return ok({ start, end, ...defined({ startOffset, endOffset }) });
}

function instantOf(text: string): Instant | undefined {
  const match = instantText.exec(text);
  if (match === null) return undefined;
  const [, date = '', time = '00:00:00', fraction = '0', zone = 'Z'] = match;
  const instant = Date.parse(`${date}T${time}.${fraction.slice(0, 3).padEnd(3, '0')}${zone.toUpperCase()}`);
  return isStorable(instant) ? instant : undefined;
}

/** Whether an instant can be stored and written as text: a year of four digits, since 1970. */
export function isStorable(instant: Instant): boolean {
  return instant >= 0 && instant < 253_402_300_800_000;
}

function badPeriod(message: string, field: string): QuarantineReason {
  return { code: 'bad_period', message, field };
}

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
