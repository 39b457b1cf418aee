import { dayOfSerial } from '@switchyard/values';
import { isDay } from '../finance/period.js';

/** How the days of a column are written. `day_first` is `20/11/2026`, `month_first` is `11/20/2026`. */
export type DateNotation =
  'year_first' | 'compact' | 'day_first' | 'month_first' | 'named' | 'epoch_ms' | 'serial';

/** The days of a cell, `YYYY-MM-DD`, by the notation that gives each; none if the cell is no day. */
export type DateReadings = Readonly<Partial<Record<DateNotation, string>>>;

const time =
  /(?:[T ]|,\s*)\s*\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?\s*(?:[AaPp]\.?[Mm]\.?)?\s*(?:Z|UTC|GMT|[+-]\d{2}:?\d{2})?$/;

const months: Readonly<Record<string, number>> = Object.fromEntries(
  [
    'jan january januar janvier janv enero ene jänner',
    'feb february februar février févr fevrier fevr febrero',
    'mar march märz maerz mär mars marzo mrz',
    'apr april avril avr abril abr',
    'may mai mayo',
    'jun june juni juin junio',
    'jul july juli juillet juil julio',
    'aug august août aout agosto ago',
    'sep sept september septembre septiembre setiembre',
    'oct october oktober okt octobre octubre',
    'nov november novembre noviembre',
    'dec december dezember dez décembre decembre déc diciembre dic',
  ].flatMap((names, at) => names.split(' ').map((name) => [name, at + 1] as const)),
);

const numeric = /^(\d{1,4})([./-])(\d{1,2})\2(\d{1,4})$/;
const dayName =
  /^(\d{1,2})(?:st|nd|rd|th|er|\.)?[\s./-]+(?:de\s+)?(\p{L}+)\.?(?:[\s./,-]+(?:de[l]?\s+)?)(\d{4}|\d{2})$/iu;
const nameDay = /^(\p{L}+)\.?[\s./-]+(\d{1,2})(?:st|nd|rd|th)?,?[\s./-]+(\d{4}|\d{2})$/iu;

/** Reads a cell in each notation that fits. A point between the numbers means that the day stands first. */
export function dateReadings(cell: string): DateReadings {
  const text = cell.trim().replace(time, '').trim();
  if (text === '' || text.length > 40) return {};
  const parts = numeric.exec(text);
  if (parts !== null) return ofParts(parts[1] ?? '', parts[2] ?? '', parts[3] ?? '', parts[4] ?? '');
  if (/^\d{8}$/.test(text))
    return only('compact', `${text.slice(0, 4)}-${text.slice(4, 6)}-${text.slice(6)}`);
  if (/^\d{13}$/.test(text)) return only('epoch_ms', new Date(Number(text)).toISOString().slice(0, 10));
  if (/^\d{5}(?:\.\d+)?$/.test(text)) return only('serial', dayOfSerial(Math.floor(Number(text))) ?? '');
  const early = dayName.exec(text);
  const late = early === null ? nameDay.exec(text) : null;
  const [day, name, year] =
    early === null ? [late?.[2], late?.[1], late?.[3]] : [early[1], early[2], early[3]];
  const month = months[name?.toLowerCase() ?? ''];
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

  take(cell: string, row: number): void {
    if (cell === '') return;
    const readings = dateReadings(cell);
    const found = Object.keys(readings) as DateNotation[];
    if (found.length === 0) {
      if (this.wrong.length < 100) this.wrong.push({ row, text: cell });
      return;
    }
    // Cells may be written in several notations, as long as each cell has one reading. Only two orders can be confused.
    const orders = found.filter((notation) => notation === 'day_first' || notation === 'month_first');
    if (orders.length === 0) return;
    const left = this.notations;
    this.notations = new Set(left === undefined ? orders : orders.filter((order) => left.has(order)));
    if (this.notations.size === 0 && this.wrong.length < 100) this.wrong.push({ row, text: cell });
    if (this.example === undefined && readings.day_first !== readings.month_first && orders.length === 2)
      this.example = cell;
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
