import { dateReadings, dayOf, type DateNotation } from './date-formats.js';
import type { FoundTable } from './find-table.js';
import { billedRange } from '../calendar/billed-range.js';
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
  const last = /^(\d{1,2})[-/.](\d{4})$/.exec(plain) ?? /^(0?[1-9]|1[0-2])[/](2\d|3\d)$/.exec(plain);
  const period =
    first !== null
      ? `${first[1]}-${first[2]}`
      : last === null
        ? named(plain)
        : `${(last[2] ?? '').padStart(4, '20')}-${(last[1] ?? '').padStart(2, '0')}`;
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

/** What stands before the first day of a range: `du 01/10/2026 au 31/10/2026`. */
const opening = /^\s*(?:from|von|vom|du|de|del|desde|dal|van|från|fra|od|von dem)\s+(?=\S*\d)/iu;

/** The days of a month or of a range, `01.11.2026 - 30.11.2026`. `label` is the name beside it. */
export function daysOfText(
  text: string,
  order: DateNotation | undefined,
  label = '',
): ServiceDays | undefined {
  const [first = '', second = ''] = daysOfOneMonth(text) ?? text.replace(opening, '').split(separator);
  if (second === '') {
    const days = daysOfMonthText(text);
    const isBroadcast = days !== undefined && /broadcast/i.test(label);
    return isBroadcast ? billedRange(days.from.slice(0, 7), { calendar: 'broadcast' }) : days;
  }
  const [from, to] = [rangeStart(first, second, order), dayOf(second, order)];
  return from !== undefined && to !== undefined && from <= to ? { from, to } : undefined;
}

/** `1-15 Nov 2026` and `Nov 1-15, 2026`: two days of one month. */
function daysOfOneMonth(text: string): readonly [string, string] | undefined {
  const early = /^(\d{1,2})\.?\s*[-–—]\s*(\d{1,2})\.?\s+(\p{L}+\.?,?\s+\d{4})$/u.exec(text.trim());
  if (early !== null) return [`${early[1]} ${early[3]}`, `${early[2]} ${early[3]}`];
  const late = /^(\p{L}+\.?)\s+(\d{1,2})\s*[-–—]\s*(\d{1,2}),?\s+(\d{4})$/u.exec(text.trim());
  return late === null
    ? undefined
    : [`${late[1]} ${late[2]}, ${late[4]}`, `${late[1]} ${late[3]}, ${late[4]}`];
}

/** The first day of a range may lack what its last day says: `1.11. - 30.11.2026`, `1 to 30 November 2026`, `Nov 1 - Nov 30, 2026`. */
function rangeStart(first: string, last: string, order: DateNotation | undefined): string | undefined {
  const year = /\d{4}/.exec(last)?.[0];
  const whole = dayOf(first, order);
  if (whole !== undefined || year === undefined) return whole;
  const candidates = [
    `${first.trim()}${first.trim().endsWith('.') ? '' : ', '}${year}`,
    `${first.trim()} ${year}`,
  ];
  if (/^\d{1,2}\.?$/.test(first.trim()))
    candidates.unshift(last.trim().replace(/^\d{1,2}/, first.trim().replace('.', '')));
  return candidates.map((text) => dayOf(text, order)).find((day) => day !== undefined);
}

/** A time of a day that is not midnight. */
const clock = /[T ]\d{1,2}:\d{2}/;

const midnight = /[T ]0?0:00(?::00(?:\.0+)?)?\s*(?:Z|UTC|GMT|[+-]\d{2}:?\d{2})?$/i;

/**
 * The last day that is billed. A range of instants ends at the midnight behind its last day: `2026-12-01T00:00Z` is the end
 * of November. Systems that write days with an empty time mean the day itself, so this counts where a range of whole months
 * or of one day comes out.
 */
export function endOfService({ from, to }: ServiceDays, first: string, last: string): string {
  if (!midnight.test(last) || to <= from) return to;
  const before = shiftDay(to, -1);
  // From a quarter of an hour to midnight: the day has ended, and the next one is not billed.
  if (!midnight.test(first)) return clock.test(first) ? before : to;
  const isMonth = from.endsWith('-01') && to.endsWith('-01');
  return isMonth || before === from ? before : to;
}

/** Reads what a person says: a month, a day, or two days with `..` between them. */
export function serviceDaysOf(text: string): ServiceDays | undefined {
  const [from = '', to = from] = text.split('..').map((part) => part.trim());
  if (isDay(from) && isDay(to) && from <= to) return { from, to };
  return isPeriod(text) ? daysOf(text) : undefined;
}

const rangeLabel =
  /date range|period|zeitraum|flight|service|range|dates|période|per[ií]odo|leistung|obdobie|období|okres|report(?:ing)? (?:dates|period)|(?<!\p{L})(?:month|monat|mois|mese|maand)(?!\p{L})/iu;

/** Between two days: a word or a dash; between whole dates also a hyphen or a comma without blanks. */
const separator =
  /\s+(?:-|to|bis|au|al|a|à|à|até|until|till?|tot|t\/m|do|hasta)\s+|\s*\.\.\.?\s*|\s*[–—~～〜]\s*|(?<=[./-]\d{4})\s*[-,]\s*(?=\d{1,2}[./-])|(?<=\d{4}[./]\d{1,2}[./]\d{1,2})-(?=\d{4}[./])|(?<=^\d{1,2}[./]\d{1,2}[./]\d{2})\s*-\s*(?=\d{1,2}[./]\d{1,2}[./]\d{2}$)/iu;

export const isRangeLabel = (label: string): boolean => rangeLabel.test(label);

/** The range of days that the texts around a table give. */
export function rangeAround(
  around: FoundTable['around'],
  order: DateNotation | undefined,
): ServiceDays | undefined {
  for (const { label, text } of around) {
    // `Report time` is the range of some reports, and of others the time at which they were made.
    const isRange = /report time/i.test(label) && separator.test(text);
    if (!isRange && !rangeLabel.test(label)) continue;
    const days = daysOfText(text, order, label);
    if (days !== undefined) return days;
  }
  return startAndEnd(around, order) ?? alone(around, order);
}

/** `Report start` and `Report end` in two lines. */
function startAndEnd(around: FoundTable['around'], order: DateNotation | undefined): ServiceDays | undefined {
  const dayWith = (label: RegExp): string | undefined =>
    around
      .map((one) => (label.test(one.label) ? dayOf(one.text, order) : undefined))
      .find((day) => day !== undefined);
  const from = dayWith(
    /(?:report|period|service|flight|start|from).*(?:start|begin|from)|^(?:start|from|von|du|desde)$|^start date$|leistungsbeginn/i,
  );
  const to = dayWith(
    /(?:report|period|service|flight|end|to).*(?:end|until|to)|^(?:end|to|bis|au|hasta)$|^end date$|leistungsende/i,
  );
  return from !== undefined && to !== undefined && from <= to ? { from, to } : undefined;
}

/** A line above the table that is a range of days and nothing else. */
function alone(around: FoundTable['around'], order: DateNotation | undefined): ServiceDays | undefined {
  for (const { label, text } of around) {
    const days = label === '' && separator.test(text) ? daysOfText(text, order) : undefined;
    if (days !== undefined) return days;
  }
  return undefined;
}

const zoneLabel = /time ?zone|zeitzone|fuseau/i;

/** The time zone that the texts around a table give, as written. */
export const zoneAround = (around: FoundTable['around']): string | undefined =>
  around.find(({ label }) => zoneLabel.test(label))?.text;
