import { isoOf, type Instant } from '@switchyard/values';

/** A calendar month of days, as in the ledger's postings: `2026-09`. */
export type AccountingPeriod = string;

/** Only years of four digits, because periods and days are compared as text. */
const shape = /^[12]\d{3}-(0[1-9]|1[0-2])$/;
const dayMs = 86_400_000;

export function isPeriod(text: string): text is AccountingPeriod {
  return shape.test(text);
}

/** Whether a text is an existing day, `YYYY-MM-DD`. */
export function isDay(text: string): boolean {
  const at = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text);
}

/** The first day of a period and the first day after it, `YYYY-MM-DD`. */
export function daysOfPeriod(period: AccountingPeriod): { readonly from: string; readonly to: string } {
  return { from: `${period}-01`, to: `${nextPeriod(period)}-01` };
}

export function nextPeriod(period: AccountingPeriod): AccountingPeriod {
  const [year = 0, month = 0] = period.split('-').map(Number);
  return month === 12 ? `${year + 1}-01` : `${year}-${String(month + 1).padStart(2, '0')}`;
}

export function periodOfDay(day: string): AccountingPeriod {
  return day.slice(0, 7);
}

/** The UTC day of an instant, `YYYY-MM-DD`. */
export function dayOf(instant: Instant): string {
  return isoOf(instant).slice(0, 10);
}

/** The day that is `days` later, or earlier if negative. */
export function shiftDay(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * dayMs).toISOString().slice(0, 10);
}
