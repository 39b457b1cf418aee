import { dateReadings, dayOf, type DateNotation } from './date-formats.js';
import type { FoundTable } from './find-table.js';
import { isDay, isPeriod, daysOfPeriod, shiftDay } from '../finance/period.js';

/** The days that a document bills, both included, `YYYY-MM-DD`. */
export interface ServiceDays {
  readonly from: string;
  readonly to: string;
}

const monthNames = new Set(['year_first', 'named']);

/** The days of a month that is written `2026-11`, `2026/11`, `11/2026`, `202611`, `Nov 2026` or as one of its days. */
export function daysOfMonthText(text: string): ServiceDays | undefined {
  const plain = text.trim();
  const first = /^(\d{4})[-/.]?(\d{2})$/.exec(plain);
  const last = /^(\d{1,2})[-/.](\d{4})$/.exec(plain);
  const period =
    first !== null
      ? `${first[1]}-${first[2]}`
      : last === null
        ? named(plain)
        : `${last[2]}-${(last[1] ?? '').padStart(2, '0')}`;
  return period === undefined || !isPeriod(period) ? undefined : daysOf(period);
}

function named(text: string): string | undefined {
  const [notation, day] = Object.entries(dateReadings(text))[0] ?? [];
  if (notation !== undefined && day !== undefined && monthNames.has(notation)) return day.slice(0, 7);
  return dateReadings(`1 ${text.replaceAll(/[-/.]/g, ' ')}`).named?.slice(0, 7);
}

function daysOf(period: string): ServiceDays {
  const { from, to } = daysOfPeriod(period);
  return { from, to: shiftDay(to, -1) };
}

/** Reads what a person says: a month, a day, or two days with `..` between them. */
export function serviceDaysOf(text: string): ServiceDays | undefined {
  const [from = '', to = from] = text.split('..').map((part) => part.trim());
  if (isDay(from) && isDay(to) && from <= to) return { from, to };
  return isPeriod(text) ? daysOf(text) : undefined;
}

const rangeLabel =
  /date range|period|zeitraum|flight|service|range|dates|période|periodo|leistung|report(?:ing)? (?:dates|period)/i;

const separator = /\s+(?:-|–|—|to|bis|au|al|a|until)\s+|\s*\.\.\.?\s*|\s*[–—]\s*/i;

/** The range of days that the texts around a table give. */
export function rangeAround(
  around: FoundTable['around'],
  order: DateNotation | undefined,
): ServiceDays | undefined {
  for (const { label, text } of around) {
    if (!rangeLabel.test(label)) continue;
    const [first = '', second = ''] = text.split(separator);
    const [from, to] = [dayOf(first, order), dayOf(second, order)];
    if (from !== undefined && to !== undefined && from <= to) return { from, to };
    const month = second === '' ? daysOfMonthText(text) : undefined;
    if (month !== undefined) return month;
  }
  return undefined;
}

const zoneLabel = /time ?zone|zeitzone|fuseau/i;

/** The time zone that the texts around a table give, as written. */
export const zoneAround = (around: FoundTable['around']): string | undefined =>
  around.find(({ label }) => zoneLabel.test(label))?.text;
