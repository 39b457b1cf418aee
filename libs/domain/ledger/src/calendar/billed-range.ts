import { daysOfPeriod, nextPeriod, shiftDay } from '../finance/period.js';

/**
 * How the months are cut that a seller bills: calendar months; broadcast months, which are whole weeks from Monday and end
 * with the last Sunday of their month; or from a day of a month to the day before it in the next.
 */
export type BillingMonths =
  | { readonly calendar: 'month' | 'broadcast' }
  | { readonly calendar: 'issue_day'; readonly day: number };

/** The days that a seller bills as a month, both included, `YYYY-MM-DD`. `month` is `YYYY-MM`. */
export function billedRange(
  month: string,
  billing: BillingMonths,
): { readonly from: string; readonly to: string } {
  const { from, to } = daysOfPeriod(month);
  if (billing.calendar === 'broadcast') {
    const before = shiftDay(from, -1).slice(0, 7);
    return { from: shiftDay(lastSunday(before), 1), to: lastSunday(month) };
  }
  if (billing.calendar !== 'issue_day') return { from, to: shiftDay(to, -1) };
  const day = String(billing.day).padStart(2, '0');
  return { from: `${month}-${day}`, to: shiftDay(`${nextPeriod(month)}-${day}`, -1) };
}

function lastSunday(month: string): string {
  const last = shiftDay(daysOfPeriod(month).to, -1);
  return shiftDay(last, -new Date(`${last}T00:00:00Z`).getUTCDay());
}
