import { divideHalfEven, roundToMicros } from '@switchyard/money';
import { numberAs, saysNothing, type ColumnFormats, type ColumnPlan } from './column-plan.js';
import { dayOf } from './date-formats.js';
import type { FoundTable } from './find-table.js';
import { isTotalLabel, lineTypeOfWords, moneyFields, nameFields, type ReadingField } from './header-names.js';
import { lineTypes, type LineName, type LineType } from './reading.js';
import { daysOfMonthText, type ServiceDays } from './service-days.js';
import { textOfCell, type Cell, type Grid } from './split-rows.js';

/** One row with its values. Amounts are micros. */
export interface ReadRow {
  /** From 1, without the header. */
  readonly row: number;
  readonly text: (field: ReadingField) => string;
  readonly day: (field: ReadingField) => string | undefined;
  readonly amount: (field: ReadingField) => bigint | undefined;
  readonly service?: ServiceDays;
  readonly names: readonly LineName[];
  /** Cells that have more than six decimals. */
  readonly rounded: number;
  readonly formulas: number;
  /** More cells with text than the header has, or fewer than a whole row. */
  readonly width: 'whole' | 'short' | 'long';
  readonly faults: readonly string[];
}

/** By how much the amounts of a file are larger than its currency. */
export type Factor = 'units' | 'thousands' | 'micros';

const isMoney: ReadonlySet<ReadingField> = new Set(moneyFields);

/** Reads single rows of a table. */
export function rowReader(
  grid: Grid,
  table: FoundTable,
  { columns }: ColumnPlan,
  { marks, orders }: ColumnFormats,
  factor: Factor,
): (row: number) => ReadRow | undefined {
  const units = columns.get('units');
  return (at) => {
    const cells = grid.cells(at);
    if (cells.every((cell) => textOfCell(cell) === '')) return undefined;
    const faults: string[] = [];
    const amounts = new Map<ReadingField, bigint>();
    let rounded = 0;
    let formulas = 0;
    for (const [field, place] of columns) {
      const cell = cells[place];
      if (typeof cell !== 'string' && cell?.kind === 'fault')
        faults.push(`${table.names[place]}: ${cell.text}`);
      if (typeof cell !== 'string' && cell?.isFormula === true) formulas += 1;
      if (!isMoney.has(field) || saysNothing(cell)) continue;
      const amount = amountOf(cell, marks.get(place) ?? 'point', factor);
      if (amount === undefined) {
        if (typeof cell === 'string' || cell?.kind !== 'fault')
          faults.push(`${table.names[place]}: ${textOfCell(cell).slice(0, 40)} is no number.`);
      } else if (typeof amount === 'string') faults.push(`${table.names[place]}: ${amount}`);
      else {
        amounts.set(field, amount.micros);
        if (amount.isRounded) rounded += 1;
      }
    }
    const text = (field: ReadingField): string => {
      const place = columns.get(field);
      const written = place === undefined ? '' : textOfCell(cells[place]);
      return written === '-' || written === '---' ? '' : written;
    };
    const day = (field: ReadingField): string | undefined => {
      const place = columns.get(field);
      const cell = place === undefined ? undefined : cells[place];
      if (place === undefined || saysNothing(cell)) return undefined;
      return dayOf(textOfCell(cell), orders.get(place));
    };
    const lacking = [...columns].find(([field, place]) => place >= cells.length && isNeeded(field));
    if (lacking !== undefined)
      faults.push(`The row ends before its column ${table.names[lacking[1]]}: it was cut off.`);
    const service = serviceOf(text, day);
    return {
      row: at - table.header,
      text: (field) =>
        field === 'units' && units !== undefined ? unitsOf(cells[units], marks.get(units)) : text(field),
      day,
      amount: (field) => amounts.get(field),
      ...(service !== undefined && { service }),
      names: nameFields.flatMap((kind) => {
        const name = text(kind);
        return name === '' ? [] : [{ kind, text: name }];
      }),
      rounded,
      formulas,
      width: widthOf(cells, table),
      faults,
    };
  };
}

const needed: ReadonlySet<ReadingField> = new Set(['number', 'issued', 'currency', 'net', 'amount', 'gross']);

/** Whether a row without this cell is not whole. */
const isNeeded = (field: ReadingField): boolean => needed.has(field);

function widthOf(cells: readonly Cell[], { names }: FoundTable): ReadRow['width'] {
  if (cells.length < names.length) return 'short';
  return cells.slice(names.length).some((cell) => textOfCell(cell) !== '') ? 'long' : 'whole';
}

/** An amount in micros, or why it cannot be one; undefined for text that is no number. */
function amountOf(
  cell: Cell | undefined,
  mark: 'point' | 'comma',
  factor: Factor,
): { readonly micros: bigint; readonly isRounded: boolean } | string | undefined {
  const text = numberAs(cell, mark);
  if (text === undefined) return undefined;
  const decimals = text.split('.')[1]?.length ?? 0;
  const read = roundToMicros(text);
  if (!read.ok)
    return read.error.code === 'too_large' ? 'The amount is larger than the ledger can hold.' : undefined;
  if (factor === 'units') return { micros: read.value, isRounded: decimals > 6 };
  if (factor === 'thousands') return { micros: read.value * 1_000n, isRounded: decimals > 6 };
  return { micros: divideHalfEven(read.value, 1_000_000n), isRounded: decimals > 0 };
}

function unitsOf(cell: Cell | undefined, mark: 'point' | 'comma' = 'point'): string {
  const text = saysNothing(cell) ? undefined : numberAs(cell, mark);
  return text === undefined || !/^-?\d{1,18}$/.test(text) ? '' : text;
}

function serviceOf(
  text: (field: ReadingField) => string,
  day: (field: ReadingField) => string | undefined,
): ServiceDays | undefined {
  const [from, to] = [day('service_from'), day('service_to')];
  if (from !== undefined && to !== undefined) return { from, to };
  const month = text('service_month');
  if (month !== '') return daysOfMonthText(month);
  const one = day('day');
  return one === undefined ? undefined : { from: one, to: one };
}

/** Whether a row says that it is a total: by a label, or because everything else is empty. */
export function isTotalRow(row: ReadRow, texts: readonly string[], hasKeys: boolean): boolean {
  if (texts.some((text) => isTotalLabel(text.replace(/[:\s]+$/, ''), row.text('number')))) return true;
  return hasKeys && row.width !== 'short' && keyFields.every((field) => row.text(field) === '');
}

/** Fields that a line has and a total lacks. */
export const keyFields = [
  'number',
  'issued',
  'currency',
  'description',
  'day',
  ...nameFields,
] as const satisfies readonly ReadingField[];

/** The type of a line: its own column, then words, then whether it names what it bills. */
export function typeOfLine(
  row: ReadRow,
  amountMicros: bigint,
): { readonly type: LineType; readonly by: 'column' | 'words' | 'name' | 'none' } {
  const said = row.text('line_type').toLowerCase();
  const type = lineTypes.find((one) => one === said) ?? lineTypeOfWords(said);
  if (type !== undefined) return { type, by: 'column' };
  return typeByWords(row.text('description'), row.names.length > 0, amountMicros);
}

/** Words of a credit count for a negative amount alone, and other words where nothing is named. */
export function typeByWords(
  description: string,
  isNamed: boolean,
  amountMicros: bigint,
): { readonly type: LineType; readonly by: 'words' | 'name' | 'none' } {
  const word = lineTypeOfWords(description);
  if (word === 'credit' ? amountMicros < 0n : word !== undefined && !isNamed)
    return { type: word ?? 'open', by: 'words' };
  return isNamed ? { type: 'media', by: 'name' } : { type: 'open', by: 'none' };
}
