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
  const plain = text.trim().replace(/\s*['’](?=\d{2}$)/, ' 20');
  const quarter = /^(?:Q([1-4])[\s/-]*(\d{4})|(\d{4})[\s/-]*Q([1-4]))$/i.exec(plain);
  if (quarter !== null) {
    const [year, last] = [quarter[2] ?? quarter[3], Number(quarter[1] ?? quarter[4]) * 3];
    const [from, to] = [last - 2, last].map((month) => daysOf(`${year}-${String(month).padStart(2, '0')}`));
    return from === undefined || to === undefined ? undefined : { from: from.from, to: to.to };
  }
  const first =
    /^(\d{4})[-/.]?(\d{2})$/.exec(plain) ?? /^(\d{4})\s*年\s*(\d{1,2})\s*月(?:分|度)?$/.exec(plain);
  const last = /^(\d{1,2})[-/.](\d{4})$/.exec(plain) ?? /^(0?[1-9]|1[0-2])[/](2\d|3\d)$/.exec(plain);
  const period =
    first !== null
      ? `${first[1]}-${(first[2] ?? '').padStart(2, '0')}`
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
  const week = daysOfWeekText(text, order, label);
  if (week !== undefined) return week;
  const [first = '', second = ''] =
    daysOfOneMonth(text) ?? text.replace(opening, '').replaceAll(ordinal, '').split(separator);
  if (second === '') {
    const days = daysOfMonthText(text);
    const isBroadcast = days !== undefined && /broadcast/i.test(label);
    return isBroadcast ? billedRange(days.from.slice(0, 7), { calendar: 'broadcast' }) : days;
  }
  const [from, to] = [rangeStart(first, second, order), dayOf(second, order)];
  if (from === undefined || to === undefined) return ofMonths(first, second);
  return from <= to ? { from, to } : undefined;
}

/** Letters behind the number of a day: `1st`, `30th`. */
const ordinal = /(?<=\b\d{1,2})(?:st|nd|rd|th)(?!\p{L})/giu;

/** Whether the name of a column says weeks. */
export const isWeekName = (name: string): boolean => weekName.test(name);

const weekName = /(?<!\p{L})(?:weeks?|wochen?|kw|kalenderwoche|semaine|semana|settimana)(?!\p{L})/iu;

/** A week by its number (ISO 8601), `KW 45/2026` or `2026-W45`; where the label says so, by its first day or its last one. */
function daysOfWeekText(
  text: string,
  order: DateNotation | undefined,
  label: string,
): ServiceDays | undefined {
  const plain = text.trim();
  const behind = /^(?:kw|week|wk|cw|w|semaine|s)\.?\s*(\d{1,2})\s*[/\s-]\s*(\d{4})$/i.exec(plain);
  const before = /^(\d{4})\s*[-/]?\s*(?:kw|w|cw|s)\s*(\d{1,2})$/i.exec(plain);
  const [year, week] = behind === null ? [before?.[1], before?.[2]] : [behind[2], behind[1]];
  if (year !== undefined && week !== undefined) {
    if (Number(week) < 1 || Number(week) > 53) return undefined;
    // The fourth of January is in the first week, which begins on its Monday.
    const fourth = `${year}-01-04`;
    const sinceMonday = (new Date(`${fourth}T00:00:00Z`).getUTCDay() + 6) % 7;
    const from = shiftDay(fourth, 7 * (Number(week) - 1) - sinceMonday);
    return { from, to: shiftDay(from, 6) };
  }
  const day = isWeekName(label) ? dayOf(plain, order) : undefined;
  if (day === undefined) return undefined;
  return /end|bis/i.test(label) ? { from: shiftDay(day, -6), to: day } : { from: day, to: shiftDay(day, 6) };
}

/** `Oct-Nov 2026`: the first month may lack its year. */
function ofMonths(first: string, second: string): ServiceDays | undefined {
  const to = daysOfMonthText(second);
  const from =
    to === undefined
      ? undefined
      : (daysOfMonthText(first) ?? daysOfMonthText(`${first} ${to.to.slice(0, 4)}`));
  return from !== undefined && to !== undefined && from.from <= to.to
    ? { from: from.from, to: to.to }
    : undefined;
}

/** `1-15 Nov 2026` and `Nov 1-15, 2026`: two days of one month; and `2026-11-01/2026-11-30` (ISO 8601). */
function daysOfOneMonth(text: string): readonly [string, string] | undefined {
  const plain = text.trim().replaceAll(ordinal, '');
  const interval = /^(\d{4}-\d{2}-\d{2})\s*\/\s*(\d{4}-\d{2}-\d{2})$/.exec(plain);
  if (interval !== null) return [interval[1] ?? '', interval[2] ?? ''];
  const early = /^(\d{1,2})\.?\s*[-–—]\s*(\d{1,2})\.?\s+(\p{L}+\.?,?\s+\d{4})$/u.exec(plain);
  const numbers = /^(\d{1,2})\.?\s*[-–—]\s*(\d{1,2})(\.\d{1,2}\.\d{4})$/.exec(plain);
  if (numbers !== null) return [`${numbers[1]}${numbers[3]}`, `${numbers[2]}${numbers[3]}`];
  if (early !== null) return [`${early[1]} ${early[3]}`, `${early[2]} ${early[3]}`];
  const late = /^(\p{L}+\.?)\s+(\d{1,2})\s*[-–—]\s*(\d{1,2}),?\s+(\d{4})$/u.exec(plain);
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
  /date range|period|zeitraum|competenza|compet[êe]ncia|billing report|flight|service|range|dates|période|per[ií]odo|leistung|obdobie|období|okres|report(?:ing)? (?:dates|period)|(?<!\p{L})(?:month|monat|mois|mese|maand)(?!\p{L})|対象|期間|利用月|服务期/iu;

/** Between two days: a word or a dash; between whole dates also a hyphen or a comma without blanks. */
const separator =
  /(?<=\d\.)-(?=\d{1,2}\.)|(?<=\p{L})\s*[-–]\s*(?=\p{L}+\.?\s+'?\d{2,4}$)|\s+(?:-|to|bis|au|al|a|à|à|até|until|till?|tot|t\/m|do|hasta)\s+|\s*\.\.\.?\s*|\s*[–—~～〜]\s*|(?<=[./-]\d{4})\s*[-,]\s*(?=\d{1,2}[./-])|(?<=\d{4}[./]\d{1,2}[./]\d{1,2})-(?=\d{4}[./])|(?<=^\d{1,2}[./]\d{1,2}[./]\d{2})\s*-\s*(?=\d{1,2}[./]\d{1,2}[./]\d{2}$)/iu;

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

/** What may stand before a range: `Summary for `. */
const sentence = /^\p{L}[\p{L}\s]{0,40}?\s(?:for|f[üu]r|pour|para|per)\s+(?=\S)/iu;

/** A line above the table that is a range of days and nothing else. */
function alone(around: FoundTable['around'], order: DateNotation | undefined): ServiceDays | undefined {
  for (const { label, text } of around) {
    const days =
      label === '' && separator.test(text) ? daysOfText(text.replace(sentence, ''), order) : undefined;
    if (days !== undefined) return days;
  }
  return undefined;
}

const zoneLabel = /time ?zone|zeitzone|fuseau/i;

/** The time zone that the texts around a table give, as written. */
export const zoneAround = (around: FoundTable['around']): string | undefined =>
  around.find(({ label }) => zoneLabel.test(label))?.text;
