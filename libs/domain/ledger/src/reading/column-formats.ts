import { currencyExponent, isCurrency } from '@switchyard/money';
import type { ColumnPlan } from './column-plan.js';
import { DateColumn, dateReadings, type DateNotation } from './date-formats.js';
import type { FoundTable } from './find-table.js';
import { dateFields, isTotalLabel, moneyFields } from './header-names.js';
import { isSubtotal, namesTotal } from './header-words.js';
import { currencyOfSign, NumberColumn, numberReadings, type DecimalMark } from './number-formats.js';
import type { Preset } from './presets.js';
import type { ReadingOptions, ReadingQuestion } from './reading.js';
import { daysOfText, isRangeLabel, rangeAround } from './service-days.js';
import { saysNothing, textOfCell, type Cell, type Grid } from './split-rows.js';

/** How the values of the mapped columns are written. */
export interface ColumnFormats {
  readonly marks: ReadonlyMap<number, DecimalMark>;
  readonly orders: ReadonlyMap<number, DateNotation>;
  /** Of the dates around the table. */
  readonly orderAround?: DateNotation;
  readonly questions: readonly ReadingQuestion[];
  readonly faults: readonly { readonly row: number; readonly reason: string }[];
}

/** Reads all cells of the mapped columns, and finds one notation for each column. Pauses every 500 rows. */
export function* findFormats(
  grid: Grid,
  table: FoundTable,
  { columns, taxes, fees, counts, credits, preset }: ColumnPlan,
  { answers, wants }: ReadingOptions,
): Generator<void, ColumnFormats> {
  const numbers = new Map<number, NumberColumn>();
  const dates = new Map<number, DateColumn>();
  for (const field of [...moneyFields, 'units', 'price'] as const) {
    const at = columns.get(field);
    if (at !== undefined) numbers.set(at, new NumberColumn());
  }
  const places = new Set(counts.values());
  for (const at of [...taxes, ...fees, ...places, ...(credits === undefined ? [] : [credits])])
    numbers.set(at, new NumberColumn());
  for (const field of dateFields) {
    const at = columns.get(field);
    if (at !== undefined) dates.set(at, new DateColumn());
  }
  // A range of days, such as `11/01/26 - 11/30/26`, shows the order of its days too.
  const ranges = columns.get('service_month');
  const inRanges = new DateColumn();
  if (ranges !== undefined && !dates.has(ranges)) dates.set(ranges, inRanges);
  for (let row = table.from; row < table.to; row += 1) {
    const cells = grid.cells(row);
    const place = row - table.header;
    if (isHeaderAgain(cells, table)) continue;
    const isTrailer = row >= table.to - lastRows && trailer.test(cells.map(textOfCell).find(Boolean) ?? '');
    for (const [at, column] of numbers) {
      const cell = cells[at];
      if (typeof cell === 'string' && !saysNothing(cell)) column.take(cell, place);
    }
    for (const [at, column] of dates) {
      const cell = cells[at];
      if (
        typeof cell !== 'string' ||
        isTrailer ||
        saysNothing(cell) ||
        isTotalLabel(cell) ||
        namesTotal(cell) ||
        isSubtotal(cell)
      )
        continue;
      for (const text of column === inRanges ? numericDaysIn(cell) : [cell]) column.take(text, place);
    }
    if (row % 500 === 0) yield;
  }
  const faults = [...dates].flatMap(([at, column]) =>
    column.faults.map(({ row, text }) => ({ row, reason: `${table.names[at]}: ${dayReason(text)}` })),
  );
  const isYen =
    wants === 'documents' && columns.has('number') && (yield* isWithoutDecimals(grid, table, columns));
  const amounts = new Set(moneyFields.map((field) => columns.get(field)));
  const isWhole = (at: number): boolean => places.has(at) || (isYen && amounts.has(at));
  const asksThree = wants === 'documents' && preset === undefined;
  const money = marksOf(numbers, { columns, preset, answers, table, isWhole, asksThree });
  const days = ordersOf(dates, table, answers);
  return {
    marks: money.marks,
    orders: days.orders,
    ...(days.orderAround !== undefined && { orderAround: days.orderAround }),
    questions: [...money.questions, ...days.questions],
    faults: [...faults, ...money.faults],
  };
}

/** The last record of a file that counts its records. */
const trailer = /^(?:end of (?:file|report|data)|eof|trailer|trl|t|footer|ende)$/i;

/** Rows at the end of a table that may be such a record. */
const lastRows = 5;

/** Whether all amounts of the file are in a currency that has no decimals, such as yen: a group of three digits is one then. */
function* isWithoutDecimals(
  grid: Grid,
  table: FoundTable,
  columns: ColumnPlan['columns'],
): Generator<void, boolean> {
  const at = columns.get('currency');
  if (at === undefined) return false;
  let isFound = false;
  for (let row = table.from; row < table.to; row += 1) {
    if (row % 1_000 === 0) yield;
    const cell = grid.cells(row)[at];
    if (saysNothing(cell)) continue;
    const code = currencyOfSign(textOfCell(cell))?.code ?? '';
    if (!isCurrency(code) || currencyExponent(code) > 0) return false;
    isFound = true;
  }
  return isFound;
}

/** A header that is repeated on each page. */
export const isHeaderAgain = (cells: readonly Cell[], { written }: FoundTable): boolean =>
  written.length > 1 &&
  textOfCell(cells[0]) === written[0] &&
  textOfCell(cells[1]) === written[1] &&
  written.every((name, at) => textOfCell(cells[at]) === name);

const dayReason = (text: string): string =>
  `${text.slice(0, 40)} is no day, or it is written in another way than the other cells of the column.`;

function marksOf(
  numbers: ReadonlyMap<number, NumberColumn>,
  {
    columns,
    preset,
    answers,
    table,
    isWhole,
    asksThree,
  }: Pick<ColumnPlan, 'columns'> & {
    /** Whether its cells are whole numbers. */
    readonly isWhole: (at: number) => boolean;
    readonly asksThree: boolean;
    readonly preset: Preset | undefined;
    readonly answers: ReadonlyMap<string, string>;
    readonly table: FoundTable;
  },
): Pick<ColumnFormats, 'questions' | 'faults'> & { readonly marks: Map<number, DecimalMark> } {
  const money = new Set(moneyFields.map((field) => columns.get(field)));
  const decided = new Set(
    [...numbers].flatMap(([at, { fits }]) => (money.has(at) && fits.length === 1 ? [...fits] : [])),
  );
  const [only, another] = decided;
  const ofOthers = another === undefined ? only : undefined;
  const said = answers.get('numbers');
  const answer: DecimalMark | undefined = said === 'point' || said === 'comma' ? said : undefined;
  // Our own layout says that amounts have a point.
  const ofLayout: DecimalMark | undefined = preset?.id === 'switchyard' ? 'point' : undefined;
  const marks = new Map<number, DecimalMark>();
  const faults: { row: number; reason: string }[] = [];
  let doubt: string | undefined;
  let three: string | undefined;
  let threeBy: DecimalMark | undefined;
  for (const [at, column] of numbers) {
    const [first] = column.fits;
    if (first === undefined) {
      faults.push({
        row: 0,
        reason: `${table.names[at]}: its numbers are written in two ways, with a decimal point and with a decimal comma.`,
      });
      continue;
    }
    if (column.fits.length === 1 || column.doubt === undefined) {
      marks.set(at, first);
      if (asksThree && money.has(at)) three ??= column.lonely(first);
      if (three !== undefined) threeBy ??= first;
      continue;
    }
    const [whole, other] = isWhole(at) ? column.wholeBy : [];
    const mark = ofOthers ?? answer ?? ofLayout ?? (other === undefined ? whole : undefined);
    marks.set(at, mark ?? 'point');
    // A unit price is shown and not reckoned with.
    if (mark === undefined && at !== columns.get('price')) doubt ??= column.doubt;
  }
  const group = three === undefined || threeBy === undefined ? [] : [threeDecimals(three, threeBy)];
  const questions: readonly ReadingQuestion[] =
    doubt === undefined
      ? group.filter(({ id }) => !answers.has(id))
      : [
          {
            id: 'numbers',
            why: 'The numbers fit a decimal point and a decimal comma. Which one is it?',
            options: [
              { option: 'point', example: `${doubt} is ${shownAs(doubt, 'point')}` },
              { option: 'comma', example: `${doubt} is ${shownAs(doubt, 'comma')}` },
            ],
          },
        ];
  if (three !== undefined && answers.get('three_decimals') === 'refuse')
    faults.push({ row: 0, reason: `${three}: the amount has three decimals, and others have two.` });
  return { marks, questions, faults };
}

function threeDecimals(cell: string, mark: DecimalMark): ReadingQuestion {
  const read = shownAs(cell, mark);
  return {
    id: 'three_decimals',
    why: `${cell} has three decimals, and other amounts of its column have two. Is it ${read}?`,
    options: [
      { option: 'as_read', example: `${cell} is ${read}` },
      { option: 'refuse', example: 'nothing is booked: its digits are a group, as in 1,234' },
    ],
  };
}

const shownAs = (cell: string, mark: DecimalMark): string => numberReadings(cell)[mark] ?? '';

function ordersOf(
  dates: ReadonlyMap<number, DateColumn>,
  table: FoundTable,
  answers: ReadonlyMap<string, string>,
): Pick<ColumnFormats, 'questions' | 'orderAround'> & { readonly orders: Map<number, DateNotation> } {
  const decided = new Set([...dates].flatMap(([, { orders }]) => (orders.length === 1 ? [...orders] : [])));
  for (const { text } of table.around) for (const order of ordersIn(text)) decided.add(order);
  const range = certainRange(table);
  if (range !== undefined)
    for (const [, column] of dates) {
      const [fits, other] = column.doubt === undefined ? [] : column.within(range.from, range.to);
      if (fits !== undefined && other === undefined) decided.add(fits);
    }
  const [only, another] = decided;
  const ofOthers = another === undefined ? only : undefined;
  const said = answers.get('dates');
  const answer: DateNotation | undefined = said === 'day_first' || said === 'month_first' ? said : undefined;
  const around = ofOthers ?? answer;
  const orderAround = around === undefined ? {} : { orderAround: around };
  const orders = new Map<number, DateNotation>();
  let doubt: string | undefined;
  for (const [at, column] of dates) {
    const [first] = column.orders;
    if (first === undefined) continue;
    if (column.doubt === undefined) {
      orders.set(at, first);
      continue;
    }
    const order = ofOthers ?? answer;
    orders.set(at, order ?? 'day_first');
    if (order === undefined) doubt ??= column.doubt;
  }
  if (around === undefined) doubt ??= doubtAround(table);
  if (doubt === undefined) return { orders, ...orderAround, questions: [] };
  const { day_first: dayFirst = '', month_first: monthFirst = '' } = dateReadings(doubt);
  return {
    orders,
    ...orderAround,
    questions: [
      {
        id: 'dates',
        why: 'The dates fit two orders. Which number is the day?',
        options: [
          { option: 'day_first', example: `${doubt} is ${dayFirst}` },
          { option: 'month_first', example: `${doubt} is ${monthFirst}` },
        ],
      },
    ],
  };
}

/** The range of days around the table, if it is certain in which order its days are written. */
function certainRange(table: FoundTable): ReturnType<typeof rangeAround> {
  const [one, other] = (['day_first', 'month_first'] as const).map((order) =>
    rangeAround(table.around, order),
  );
  return one?.from === other?.from && one?.to === other?.to ? one : undefined;
}

/** A day of a range around the table that fits two orders. */
function doubtAround({ around }: FoundTable): string | undefined {
  for (const { label, text } of around) {
    if (!isRangeLabel(label)) continue;
    const [one, other] = (['day_first', 'month_first'] as const).map((order) => daysOfText(text, order));
    if (one === undefined || other === undefined || (one.from === other.from && one.to === other.to))
      continue;
    return /\d{1,2}[./-]\d{1,2}[./-]\d{2,4}/.exec(text)?.[0];
  }
  return undefined;
}

/** Days within a text, such as both of `01/11/2026 - 30/11/2026`. */
const numericDaysIn = (text: string): readonly string[] =>
  [...text.slice(0, 100).matchAll(/(?<![\d-])\d{1,2}([./-])\d{1,2}\1(?:\d{4}|\d{2})\b/g)].map(
    ([date]) => date,
  );

/** The order of the days in a text around the table, where it is certain. */
function ordersIn(text: string): readonly DateNotation[] {
  return numericDaysIn(text).flatMap((date): readonly DateNotation[] => {
    const { day_first: dayFirst, month_first: monthFirst } = dateReadings(date);
    if (dayFirst === monthFirst) return [];
    if (monthFirst === undefined) return ['day_first'];
    return dayFirst === undefined ? ['month_first'] : [];
  });
}

/** The plain decimal text of a cell in one notation. */
export function numberAs(cell: Cell | undefined, mark: DecimalMark): string | undefined {
  if (cell === undefined) return undefined;
  if (typeof cell !== 'string') return cell.kind === 'number' ? cell.text : undefined;
  return numberReadings(cell)[mark];
}
