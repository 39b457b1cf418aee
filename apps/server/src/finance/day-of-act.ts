import { shiftDay } from '@switchyard/ledger';
import { isoOf, type Instant } from '@switchyard/values';
import type { AdminFailure } from '../platform/failure.js';

/** The day begins first at UTC+14. */
const earliestZoneMs = 14 * 3_600_000;

const twoYears = 731;

/**
 * Why a payment or a document cannot have a day, `YYYY-MM-DD`: it has begun nowhere yet, or it is more than two years ago,
 * which is most often a mistyped year.
 */
export function dayRefusal(date: string, now: Instant): AdminFailure | undefined {
  const today = isoOf(now + earliestZoneMs).slice(0, 10);
  const refused = (message: string): AdminFailure => ({ code: 'INVALID_REQUEST', message, field: 'date' });
  if (date > today) return refused(`The day ${date} is in the future.`);
  if (date < shiftDay(today, -twoYears)) return refused(`The day ${date} is more than two years ago.`);
  return undefined;
}
