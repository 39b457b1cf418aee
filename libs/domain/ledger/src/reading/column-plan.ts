import { DateColumn, dateReadings, type DateNotation } from './date-formats.js';
import type { FoundTable } from './find-table.js';
import {
  dateFields,
  fieldOfName,
  foldName,
  isTotalLabel,
  moneyFields,
  type ReadingField,
} from './header-names.js';
import { isNumberText, NumberColumn, numberReadings, type DecimalMark } from './number-formats.js';
import { presetOf, type Preset } from './presets.js';
import type { ReadingOptions, ReadingQuestion, RecognisedColumn } from './reading.js';
import { ReadingFault, textOfCell, type Cell, type Grid } from './split-rows.js';

/** Which column holds which field. */
export interface ColumnPlan {
  readonly preset?: Preset;
  readonly columns: ReadonlyMap<ReadingField, number>;
  readonly by: ReadonlyMap<number, RecognisedColumn['by']>;
  readonly questions: readonly ReadingQuestion[];
}

/** Words in the name of a column that may hold the amount. */
const moneyWords =
  /amount|cost|spend|revenue|charge|billed|total|betrag|summe|kosten|umsatz|montant|coût|importe|coste|importo|price|gross|net/i;

/** Finds the field of each column: what a person said, a known layout, and then its name. */
export function* planColumns(
  grid: Grid,
  table: FoundTable,
  { mapping = {}, lastMapping = {}, answers, wants }: ReadingOptions,
): Generator<void, ColumnPlan> {
  const columns = new Map<ReadingField, number>();
  const by = new Map<number, RecognisedColumn['by']>();
  const preset = presetOf(table.written);
  const set = (field: ReadingField, at: number, how: RecognisedColumn['by']): void => {
    if (columns.has(field) || by.has(at)) return;
    columns.set(field, at);
    by.set(at, how);
  };
  for (const [field, column] of Object.entries(mapping) as [ReadingField, string][])
    set(field, onlyColumn(table, column), 'person');
  const last = Object.entries(lastMapping) as [ReadingField, string][];
  if (last.every(([, column]) => table.written.includes(column)))
    for (const [field, column] of last) set(field, onlyColumn(table, column), 'mapping');
  if (preset !== undefined) {
    for (const [field, names] of Object.entries(preset.fields) as [ReadingField, readonly string[]][]) {
      const name = names.find((one) => table.written.some((written) => foldName(written) === foldName(one)));
      if (name !== undefined) set(field, onlyColumn(table, name), 'preset');
    }
  }
  const questions: ReadingQuestion[] = [];
  if (preset === undefined || preset.isOpen === true) {
    questions.push(...(yield* byNames(grid, table, { columns, set, wants, answers })));
    if (!hasMoney(columns)) questions.push(...byWords(grid, table, { columns, set, by, answers }));
  }
  return { ...(preset !== undefined && { preset }), columns, by, questions };
}

const hasMoney = (columns: ReadonlyMap<ReadingField, number>): boolean =>
  columns.has('amount') || columns.has('net') || columns.has('gross');

function onlyColumn(table: FoundTable, name: string): number {
  const found = table.written.flatMap((written, at) => (foldName(written) === foldName(name) ? [at] : []));
  const named = table.names.indexOf(name);
  const [at, another] = found;
  if (another !== undefined) throw new ReadingFault(`The header names the column ${name} twice.`);
  if (at === undefined && named < 0)
    throw new ReadingFault(
      `The mapping names the column ${name}. This file has: ${table.names.join(', ')}. Say which of them holds what.`,
    );
  return at ?? named;
}

interface Planning {
  readonly columns: ReadonlyMap<ReadingField, number>;
  readonly set: (field: ReadingField, at: number, how: RecognisedColumn['by']) => void;
  readonly answers: ReadonlyMap<string, string>;
}

function* byNames(
  grid: Grid,
  table: FoundTable,
  { columns, set, wants, answers }: Planning & Pick<ReadingOptions, 'wants'>,
): Generator<void, readonly ReadingQuestion[]> {
  const found = new Map<
    ReadingField,
    { readonly at: number; readonly rank: number; readonly name: string }[]
  >();
  for (const [at, name] of table.written.entries()) {
    const known = name === '' ? undefined : fieldOfName(name);
    if (known === undefined) continue;
    found.set(known.field, [...(found.get(known.field) ?? []), { at, rank: known.rank, name }]);
  }
  const questions: ReadingQuestion[] = [];
  // A report has one date for each line, and no day of issue.
  const isReport = wants === 'figures' || !found.has('number');
  for (const [field, candidates] of found) {
    const [first, second] = candidates.toSorted((one, other) => one.rank - other.rank);
    if (first === undefined || columns.has(field)) continue;
    if (second !== undefined && second.rank === first.rank)
      throw new ReadingFault(`The header names the column ${first.name} twice.`);
    if (field === 'issued' && isReport && isPlainDate(first.name)) {
      set('day', first.at, 'rule');
      continue;
    }
    if (field === 'amount' && second !== undefined && !found.has('net')) {
      const chosen = yield* chosenAmount(grid, table, candidates, answers);
      if ('question' in chosen) questions.push(chosen.question);
      set('amount', chosen.at, 'question' in chosen ? 'rule' : chosen.by);
      continue;
    }
    set(field, first.at, 'rule');
    const isSpare = field === 'issued' && second !== undefined && isPlainDate(second.name);
    if (isSpare && !found.has('day')) set('day', second.at, 'rule');
  }
  return questions;
}

const isPlainDate = (name: string): boolean => /^(?:date|datum|fecha)$/i.test(name);

/** Several columns may be the amount: the same values in all of them need no answer. */
function* chosenAmount(
  grid: Grid,
  table: FoundTable,
  candidates: readonly { readonly at: number; readonly name: string }[],
  answers: ReadonlyMap<string, string>,
): Generator<
  void,
  | { readonly at: number; readonly by: 'person' | 'rule' }
  | { readonly at: number; readonly question: ReadingQuestion }
> {
  const said = answers.get('amount');
  const chosen = candidates.find(({ at }) => table.names[at] === said);
  if (chosen !== undefined) return { at: chosen.at, by: 'person' };
  const first = candidates[0]?.at ?? 0;
  let differs: number | undefined;
  for (let row = table.from; row < table.to && differs === undefined; row += 1) {
    if (row % 1_000 === 0) yield;
    const cells = grid.cells(row).map(textOfCell);
    if (new Set(candidates.map(({ at }) => cells[at] ?? '')).size > 1) differs = row;
  }
  if (differs === undefined) return { at: first, by: 'rule' };
  const cells = grid.cells(differs).map(textOfCell);
  return {
    at: first,
    question: {
      id: 'amount',
      why: 'Several columns hold amounts. Which of them is billed?',
      options: candidates.map(({ at }) => ({ option: table.names[at] ?? '', example: cells[at] ?? '' })),
    },
  };
}

/** No column has a known name for an amount: one whose name has such a word, or any with numbers. */
function byWords(
  grid: Grid,
  table: FoundTable,
  { set, by, answers }: Planning & { readonly by: ReadonlyMap<number, unknown> },
): readonly ReadingQuestion[] {
  const free = table.names.flatMap((name, at) => (by.has(at) ? [] : [{ name, at }]));
  const numeric = free.filter(({ at }) => {
    const texts = sampleOf(grid, table, at).filter((text) => text !== '');
    return texts.length > 0 && texts.filter((text) => isNumberText(text)).length * 2 > texts.length;
  });
  const named = numeric.filter(({ name }) => moneyWords.test(name));
  const candidates = named.length > 0 ? named : numeric;
  const [first, second] = candidates;
  if (first === undefined)
    throw new ReadingFault(
      `No column of the file holds an amount. It has: ${table.names.join(', ')}. Say which of them holds what.`,
    );
  const said = candidates.find(({ name }) => name === answers.get('amount'));
  set('amount', said?.at ?? first.at, said === undefined ? 'rule' : 'person');
  if (said !== undefined || (second === undefined && named.length === 1)) return [];
  const example = (at: number): string => sampleOf(grid, table, at).find((text) => text !== '') ?? '';
  return [
    {
      id: 'amount',
      why: 'No column has a name that surely means the amount. Which of them is billed?',
      options: candidates.map(({ name, at }) => ({ option: name, example: example(at) })),
    },
  ];
}

function sampleOf(grid: Grid, table: FoundTable, at: number): readonly string[] {
  const texts: string[] = [];
  for (let row = table.from; row < Math.min(table.to, table.from + 20); row += 1)
    texts.push(textOfCell(grid.cells(row)[at]));
  return texts;
}

/** How the values of the mapped columns are written. */
export interface ColumnFormats {
  readonly marks: ReadonlyMap<number, DecimalMark>;
  readonly orders: ReadonlyMap<number, DateNotation>;
  /** Of the dates around the table. */
  readonly orderAround?: DateNotation;
  readonly questions: readonly ReadingQuestion[];
  readonly faults: readonly { readonly row: number; readonly reason: string }[];
}

const emptyMarks = new Set(['-', '--', '---', '–', '—', 'n/a', 'N/A', 'null', 'NULL']);

/** A cell that says nothing: empty, or a dash. */
export const saysNothing = (cell: Cell | undefined): boolean => {
  const text = textOfCell(cell);
  return text === '' || emptyMarks.has(text);
};

/** Reads all cells of the mapped columns, and finds one notation for each column. Pauses every thousand rows. */
export function* findFormats(
  grid: Grid,
  table: FoundTable,
  { columns, preset }: ColumnPlan,
  { answers }: ReadingOptions,
): Generator<void, ColumnFormats> {
  const numbers = new Map<number, NumberColumn>();
  const dates = new Map<number, DateColumn>();
  for (const field of [...moneyFields, 'units', 'price'] as const) {
    const at = columns.get(field);
    if (at !== undefined) numbers.set(at, new NumberColumn());
  }
  for (const field of dateFields) {
    const at = columns.get(field);
    if (at !== undefined) dates.set(at, new DateColumn());
  }
  for (let row = table.from; row < table.to; row += 1) {
    const cells = grid.cells(row);
    const place = row - table.header;
    for (const [at, column] of numbers) {
      const cell = cells[at];
      if (typeof cell === 'string' && !saysNothing(cell)) column.take(cell, place);
    }
    for (const [at, column] of dates) {
      const cell = cells[at];
      if (typeof cell === 'string' && !saysNothing(cell) && !isTotalLabel(cell.replace(/[:\s]+$/, '')))
        column.take(cell, place);
    }
    if (row % 1_000 === 0) yield;
  }
  const faults = [...dates].flatMap(([at, column]) =>
    column.faults.map(({ row, text }) => ({ row, reason: `${table.names[at]}: ${dayReason(text)}` })),
  );
  const money = marksOf(numbers, { columns, preset, answers, table });
  const days = ordersOf(dates, table, answers);
  return {
    marks: money.marks,
    orders: days.orders,
    ...(days.orderAround !== undefined && { orderAround: days.orderAround }),
    questions: [...money.questions, ...days.questions],
    faults: [...faults, ...money.faults],
  };
}

const dayReason = (text: string): string =>
  `${text.slice(0, 40)} is no day, or it is written in another way than the other cells of the column.`;

function marksOf(
  numbers: ReadonlyMap<number, NumberColumn>,
  {
    columns,
    preset,
    answers,
    table,
  }: Pick<ColumnPlan, 'columns'> & {
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
      continue;
    }
    const mark = ofOthers ?? answer ?? ofLayout;
    marks.set(at, mark ?? 'point');
    if (mark === undefined) doubt ??= column.doubt;
  }
  const questions: readonly ReadingQuestion[] =
    doubt === undefined
      ? []
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
  return { marks, questions, faults };
}

const shownAs = (cell: string, mark: DecimalMark): string => numberReadings(cell)[mark] ?? '';

function ordersOf(
  dates: ReadonlyMap<number, DateColumn>,
  table: FoundTable,
  answers: ReadonlyMap<string, string>,
): Pick<ColumnFormats, 'questions' | 'orderAround'> & { readonly orders: Map<number, DateNotation> } {
  const decided = new Set([...dates].flatMap(([, { orders }]) => (orders.length === 1 ? [...orders] : [])));
  for (const { text } of table.around) for (const order of ordersIn(text)) decided.add(order);
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

/** The order of the days in a text around the table, where it is certain. */
function ordersIn(text: string): readonly DateNotation[] {
  const found = [...text.matchAll(/\b\d{1,2}[./-]\d{1,2}[./-]\d{2,4}\b/g)].map(([date]) => date);
  return found.flatMap((date): readonly DateNotation[] => {
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
