import { dayOfSerial } from '@switchyard/values';
import { isDay } from '../finance/period.js';
import { plainDigits } from './number-formats.js';

/** How the days of a column are written. `day_first` is `20/11/2026`, `month_first` is `11/20/2026`. */
export type DateNotation =
  | 'year_first'
  | 'compact'
  | 'day_first'
  | 'month_first'
  | 'named'
  | 'epoch_ms'
  | 'serial';

/** The days of a cell, `YYYY-MM-DD`, by the notation that gives each; none if the cell is no day. */
export type DateReadings = Readonly<Partial<Record<DateNotation, string>>>;

const time =
  /(?:[T ]|,\s*)\s*\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?\s*(?:[AaPp]\.?[Mm]\.?)?\s*(?:Z|UTC|GMT|[+-]\d{2}:?\d{2})?$/;

/** Names of months in the languages of invoices, without accents. */
const months: Readonly<Record<string, number>> = Object.fromEntries(
  [
    'jan january januar janvier janv enero ene janner januari gennaio gen janeiro stycznia styczen ledna leden ocak',
    'feb february februar februari fevrier fevr fev febrero febbraio fevereiro lutego luty unora subat',
    'mar march marz maerz mars marzo mrz maart mrt marco marca marzec brezna mart',
    'apr april avril avr abril abr aprile kwietnia kwiecien dubna nisan',
    'may mai mayo mei maggio mag maio maj maja kvetna mayis',
    'jun june juni juin junio giugno giu junho czerwca czerwiec cervna haziran',
    'jul july juli juillet juil julio luglio lug julho lipca lipiec cervence temmuz',
    'aug august aout agosto ago augustus augusti sierpnia sierpien srpna agustos',
    'sep sept september septembre septiembre setiembre settembre set setembro wrzesnia wrzesien zari eylul',
    'oct october oktober okt octobre octubre ottobre ott outubro out pazdziernika pazdziernik rijna ekim',
    'nov november novembre noviembre novembro listopada listopad kasim',
    'dec december dezember dez decembre diciembre dic dicembre dezembro grudnia grudzien prosince aralik des desember',
  ].flatMap((names, at) => names.split(' ').map((name) => [name, at + 1] as const)),
);

/** Lower case without accents. */
const plainLetters = (text: string): string =>
  text.toLowerCase().normalize('NFD').replaceAll(/\p{M}/gu, '').replaceAll('ı', 'i');

const weekday =
  /^(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)?|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|mo|di|mi|do|fr|sa|so|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|lunes|martes|miércoles|jueves|viernes|sábado|domingo)(?:\.|,)?\s+(?=\S)/iu;
const eastern = /^(\d{4})\s*年\s*(\d{1,2})\s*月\s*(\d{1,2})\s*日$/;
/** The years of the present Japanese era: its eighth is 2026, its first is written 元. */
const ofEra = /^(?:令和|R(?=\d{1,2}\s*年))\s*(\d{1,2}|元)(?=\s*年)/;
const eraBegan = 2018;
const numeric = /^(\d{1,4})([./-])(\d{1,2})\2(\d{1,4})$/;
const dayName =
  /^(\d{1,2})(?:st|nd|rd|th|er|º|°|\.)?[\s./-]+(?:de\s+|of\s+)?(\p{L}+)\.?(?:[\s./,-]+(?:de[l]?\s+)?)(\d{4}|\d{2})$/iu;
const compactName = /^(\d{1,2})(\p{L}{3,})(\d{4}|\d{2})$/u;
const nameDay = /^(\p{L}+)\.?[\s./-]*(\d{1,2})(?:st|nd|rd|th)?,?[\s./-]+(\d{4}|\d{2})$/iu;

/** Reads a cell in each notation that fits. A point between the numbers means that the day stands first. */
export function dateReadings(cell: string): DateReadings {
  const text = plainDigits(cell)
    .trim()
    .replace(ofEra, (_, year: string) => String(eraBegan + (year === '元' ? 1 : Number(year))))
    .replace(time, '')
    .replace(weekday, '')
    .replace(/^(\d{4}\.\d{1,2}\.\d{1,2})\.$/, '$1')
    .replace(/^(\d{1,2})\. (\d{1,2})\. (?=\d)/, '$1.$2.')
    .trim();
  if (text === '' || text.length > 40) return {};
  const east = eastern.exec(text);
  if (east !== null) return only('year_first', dayText(east[1] ?? '', east[2] ?? '', east[3] ?? ''));
  const parts = numeric.exec(text);
  if (parts !== null) return ofParts(parts[1] ?? '', parts[2] ?? '', parts[3] ?? '', parts[4] ?? '');
  if (/^\d{8}$/.test(text))
    return only('compact', `${text.slice(0, 4)}-${text.slice(4, 6)}-${text.slice(6)}`);
  // Seconds of this century, as databases have them.
  if (/^1[6-9]\d{8}$|^2[01]\d{8}$/.test(text))
    return only('epoch_ms', new Date(Number(text) * 1_000).toISOString().slice(0, 10));
  if (/^\d{13}$/.test(text)) return only('epoch_ms', new Date(Number(text)).toISOString().slice(0, 10));
  if (/^\d{5}(?:\.\d+)?$/.test(text)) return only('serial', dayOfSerial(Math.floor(Number(text))) ?? '');
  const early = dayName.exec(text) ?? compactName.exec(text);
  const late = early === null ? nameDay.exec(text) : null;
  const [day, name, year] =
    early === null ? [late?.[2], late?.[1], late?.[3]] : [early[1], early[2], early[3]];
  const month = months[plainLetters(name ?? '')];
  return month === undefined ? {} : only('named', dayText(fullYear(year ?? ''), String(month), day ?? ''));
}

function ofParts(first: string, mark: string, second: string, third: string): DateReadings {
  if (first.length === 4) return third.length > 2 ? {} : only('year_first', dayText(first, second, third));
  if (first.length === 3 || third.length === 3 || third.length === 1) return {};
  const year = fullYear(third);
  return {
    ...only('day_first', dayText(year, second, first)),
    ...(mark === '.' ? {} : only('month_first', dayText(year, first, second))),
  };
}

const fullYear = (text: string): string => (text.length === 2 ? `20${text}` : text);

const dayText = (year: string, month: string, day: string): string =>
  `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;

const only = (notation: DateNotation, day: string): DateReadings => (isDay(day) ? { [notation]: day } : {});

export const isDateText = (cell: string): boolean => {
  return Object.keys(dateReadings(cell)).some((notation) => notation !== 'serial');
};

/** Collects the cells of one column. */
export class DateColumn {
  private notations: Set<DateNotation> | undefined;
  private example: string | undefined;
  private readonly wrong: { row: number; text: string }[] = [];
  private readonly bounds = new Map<DateNotation, { from: string; to: string }>();

  private before = '';

  take(cell: string, row: number): void {
    if (cell === '' || cell === this.before) return;
    const readings = dateReadings(cell);
    const found = Object.keys(readings) as DateNotation[];
    if (found.length === 0) {
      if (this.wrong.length < 100) this.wrong.push({ row, text: cell });
      return;
    }
    this.before = cell;
    // Cells may be written in several notations, as long as each cell has one reading. Only two orders can be confused.
    const orders = found.filter((notation) => notation === 'day_first' || notation === 'month_first');
    if (orders.length === 0) return;
    const left = this.notations;
    this.notations = new Set(left === undefined ? orders : orders.filter((order) => left.has(order)));
    for (const order of orders) this.widen(order, readings[order] ?? '');
    if (this.notations.size === 0 && this.wrong.length < 100) this.wrong.push({ row, text: cell });
    if (this.example === undefined && readings.day_first !== readings.month_first && orders.length === 2)
      this.example = cell;
  }

  private widen(order: DateNotation, day: string): void {
    const { from, to } = this.bounds.get(order) ?? { from: day, to: day };
    this.bounds.set(order, { from: day < from ? day : from, to: day > to ? day : to });
  }

  /** Those of the orders left whose days are all within a range. */
  within(from: string, to: string): readonly DateNotation[] {
    return this.orders.filter((order) => {
      const bounds = this.bounds.get(order);
      return bounds !== undefined && bounds.from >= from && bounds.to <= to;
    });
  }

  /** The orders that fit; none if no cell needs one. */
  get orders(): readonly DateNotation[] {
    return [...(this.notations ?? [])];
  }

  /** Both orders are left, and they differ in this cell. */
  get doubt(): string | undefined {
    return this.notations?.size === 2 ? this.example : undefined;
  }

  get faults(): readonly { readonly row: number; readonly text: string }[] {
    return this.wrong;
  }
}

/** The day of a cell; `order` decides between day and month first. */
export function dayOf(cell: string, order: DateNotation | undefined): string | undefined {
  const readings = dateReadings(cell);
  const { day_first: dayFirst, month_first: monthFirst, ...others } = readings;
  if (order === 'month_first') return monthFirst ?? Object.values(others)[0];
  if (order === 'day_first') return dayFirst ?? Object.values(others)[0];
  return Object.values(others)[0] ?? (dayFirst === monthFirst ? dayFirst : (dayFirst ?? monthFirst));
}
