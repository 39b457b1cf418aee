import { textOf } from './decode-text.js';
import { bytesBehind, ByteWindow, type WrittenText } from './file-bytes.js';

/** A value of a cell that its file writes as a value and not as text. */
export interface TypedCell {
  /** `fault`: the cell cannot be used, and `text` says why. */
  readonly kind: 'number' | 'date' | 'fault';
  /** A plain decimal number, a day as `YYYY-MM-DD`, or the fault. */
  readonly text: string;
  /** The file computes it: the value is the one that was stored last. */
  readonly isFormula?: true;
  /** What the format of a number shows beside it, such as a sign of a currency. */
  readonly sign?: string;
}

export type Cell = string | TypedCell;

/** The rows of a file. Their cells are cut when they are asked for. */
export interface Grid {
  readonly rows: number;
  /** Trimmed cells of a row, counted from 0. */
  readonly cells: (row: number) => readonly Cell[];
  /** The row from which on nothing can be read. */
  readonly cut?: { readonly row: number; readonly reason: string };
}

export const textOfCell = (cell: Cell | undefined): string =>
  cell === undefined ? '' : typeof cell === 'string' ? cell : cell.text;

/** Limits of one file. */
export interface GridLimits {
  readonly rows: number;
  readonly columns: number;
  /** Of one row, in characters. */
  readonly rowLength: number;
}

/** A million rows of a table, and what stands around it. */
export const usualGridLimits: GridLimits = { rows: 1_001_000, columns: 500, rowLength: 100_000 };

/** A file that is no table, or larger than its limits. */
export class ReadingFault extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ReadingFault';
  }
}

const separators = [',', ';', '\t', '|', '~', '^'] as const;
type Separator = string;

export interface SplitText {
  readonly separator: Separator;
  readonly by: 'said' | 'rule';
  readonly grid: Grid;
}

/** Bytes that are read in one step. */
const stepLength = 200_000;

/** Rows that decide the separator. */
const sampleRows = 200;

/** Splits a text into rows and cells. It pauses between steps; throws `ReadingFault` beyond the limits. */
export function* splitText(written: WrittenText, limits: GridLimits): Generator<void, SplitText> {
  const { charset } = written;
  const said = /^sep=(.)\r?\n/iu.exec(textOf(written, 0, 20));
  const first = Buffer.byteLength(said?.[0] ?? '', charset === 'utf-8' ? 'utf8' : 'latin1');
  const text: WrittenText = { bytes: bytesBehind(written.bytes, first), charset };
  const separator = said?.[1] ?? separatorOf(text);
  return { separator, by: said === null ? 'rule' : 'said', grid: yield* gridOf(text, separator, limits) };
}

/** The separator that gives the most rows of one width, weighted with that width. */
function separatorOf({ bytes, charset }: WrittenText): Separator {
  const sample: WrittenText = { bytes: bytes.subarray(0, 200_000), charset };
  let best: { readonly separator: Separator; readonly score: number } = { separator: ',', score: 0 };
  for (const separator of separators) {
    const widths = new Map<number, number>();
    let seen = 0;
    for (const { start, next } of recordsIn(new ByteWindow(sample), separator)) {
      const width = cellsOf(textOf(sample, start, next).replace(/[\r\n]+$/, ''), separator).length;
      if (width > 1) widths.set(width, (widths.get(width) ?? 0) + 1);
      seen += 1;
      if (seen === sampleRows) break;
    }
    const score = Math.max(0, ...[...widths].map(([width, rows]) => width * rows));
    if (score > best.score) best = { separator, score };
  }
  return best.separator;
}

/** Places of rows in one array: a list that grows is never copied. */
const placesAtOnce = 65_536;

/** Where rows begin. The last place is where the rows end. */
class RowPlaces {
  private last = new Uint32Array(placesAtOnce);
  private readonly parts = [this.last];
  private count = 0;

  add(place: number): void {
    if (this.count > 0 && this.count % placesAtOnce === 0) {
      this.last = new Uint32Array(placesAtOnce);
      this.parts.push(this.last);
    }
    this.last[this.count % placesAtOnce] = place;
    this.count += 1;
  }

  at(row: number): number {
    return this.parts[Math.floor(row / placesAtOnce)]?.[row % placesAtOnce] ?? 0;
  }
}

function* gridOf(text: WrittenText, separator: Separator, limits: GridLimits): Generator<void, Grid> {
  const places = new RowPlaces();
  let cut: Grid['cut'];
  let [rows, step, behind] = [0, 0, 0];
  for (const { start, next, isOpen } of recordsIn(new ByteWindow(text), separator, limits.rowLength)) {
    if (next - start > limits.rowLength) {
      cut = { row: rows, reason: 'The row is too long.' };
      break;
    }
    if (isOpen) {
      cut = { row: rows, reason: 'The file ends inside a quoted cell: it was cut off.' };
      break;
    }
    if (rows >= limits.rows) throw new ReadingFault(`The file has more than ${limits.rows} rows.`);
    places.add(start);
    behind = next;
    rows += 1;
    if (next - step > stepLength) {
      step = next;
      yield;
    }
  }
  places.add(behind);
  const window = new ByteWindow(text);
  let last: { readonly row: number; readonly cells: readonly string[] } = { row: -1, cells: [''] };
  const cellsAt = (row: number): readonly string[] => {
    const [start, next] = [places.at(row), places.at(row + 1)];
    return cellsOf(window.text(start, endOf(window, start, next)), separator, limits.columns);
  };
  return {
    rows,
    // The same row is asked for several times before the next one.
    cells: (row) => {
      if (row >= rows) return [''];
      if (row !== last.row) last = { row, cells: cellsAt(row) };
      return last.cells;
    },
    ...(cut !== undefined && { cut }),
  };
}

/** Where the text of a row ends: before its LF, CR or both. */
function endOf(window: ByteWindow, start: number, next: number): number {
  let end = next;
  if (end > start && window.at(end - 1) === lineFeed) end -= 1;
  if (end > start && window.at(end - 1) === carriageReturn) end -= 1;
  return end;
}

interface FoundRecord {
  readonly start: number;
  /** Behind its end of line. */
  readonly next: number;
  /** The text ended inside of quotes. */
  readonly isOpen: boolean;
}

const [quote, lineFeed, carriageReturn, blank] = [0x22, 0x0a, 0x0d, 0x20];

/**
 * Rows end with LF, CR or both, outside of quotes. A quotation mark begins a quoted cell at the start of a cell alone: one
 * inside of a cell is text, as in `55" screen`. A row that is longer than `most` bytes is the last one, and its end is not
 * searched.
 */
function* recordsIn(window: ByteWindow, separator: Separator, most = Infinity): Generator<FoundRecord> {
  const split = Buffer.from(separator, 'utf8');
  const [first = 0, last = first] = [split[0], split.at(-1)];
  const byteAt = (place: number): number | undefined => window.at(place);
  let [start, isQuoted, isCellStart] = [0, false, true];
  let at = 0;
  for (let code = window.at(0); code !== undefined; at += 1, code = window.at(at)) {
    if (at - start > most) break;
    if (isQuoted) {
      if (code !== quote) continue;
      if (window.at(at + 1) === quote) at += 1;
      else if (endsCell(byteAt, at + 1, first)) isQuoted = false;
      continue;
    }
    if (code === lineFeed || code === carriageReturn) {
      if (code === carriageReturn && window.at(at + 1) === lineFeed) at += 1;
      yield { start, next: at + 1, isOpen: false };
      [start, isCellStart] = [at + 1, true];
    } else if (code === last) isCellStart = true;
    else if (code === quote && isCellStart) [isQuoted, isCellStart] = [true, false];
    else if (code !== blank) isCellStart = false;
  }
  if (start < at) yield { start, next: at, isOpen: isQuoted };
}

/** Whether a cell ends here, behind blanks at most. */
function endsCell(codeAt: (place: number) => number | undefined, from: number, split: number): boolean {
  let at = from;
  while (codeAt(at) === blank) at += 1;
  const code = codeAt(at);
  return code === undefined || code === split || code === lineFeed || code === carriageReturn;
}

/** `="0012"` keeps a spreadsheet from taking a text for a number. */
const asFormula = /^="(.*)"$/s;

/** A line that is drawn between rows, as lists of SAP have. */
const drawn = /^[-=+|\s]*-{5}[-=+|\s]*$/;

/** The cells of one row, trimmed. */
export function cellsOf(record: string, separator: Separator, most = 100_000): string[] {
  if (separator === '|' && drawn.test(record)) return [''];
  const cells = plainCellsOf(record, separator, most);
  return record.includes('="') || record.includes('"=""')
    ? cells.map((cell) => asFormula.exec(cell)?.[1] ?? cell)
    : cells;
}

function plainCellsOf(record: string, separator: Separator, most: number): string[] {
  if (!record.includes('"')) {
    const plain = record.split(separator, most + 1);
    if (plain.length > most) throw new ReadingFault(`The file has more than ${most} columns.`);
    return plain.map((cell) => cell.trim());
  }
  const cells: string[] = [];
  const split = separator.charCodeAt(0);
  let at = 0;
  for (;;) {
    while (record.charCodeAt(at) === blank) at += 1;
    if (record.charCodeAt(at) === quote) {
      const [cell, next] = quotedCell(record, at, split);
      cells.push(cell);
      at = next;
    } else {
      const end = record.indexOf(separator, at);
      cells.push(record.slice(at, end < 0 ? undefined : end).trim());
      at = end < 0 ? record.length + 1 : end + 1;
    }
    if (cells.length > most) throw new ReadingFault(`The file has more than ${most} columns.`);
    if (at > record.length) return cells;
  }
}

function quotedCell(record: string, from: number, split: number): readonly [cell: string, next: number] {
  const codeAt = (place: number): number | undefined =>
    place < record.length ? record.charCodeAt(place) : undefined;
  let cell = '';
  let at = from + 1;
  for (;;) {
    const end = record.indexOf('"', at);
    if (end < 0) return [(cell + record.slice(at)).trim(), record.length + 1];
    cell += record.slice(at, end);
    if (record.charCodeAt(end + 1) === quote) {
      cell += '"';
      at = end + 2;
    } else if (endsCell(codeAt, end + 1, split)) {
      let next = end + 1;
      while (record.charCodeAt(next) === blank) next += 1;
      return [cell.trim(), next + 1];
    } else {
      cell += '"';
      at = end + 1;
    }
  }
}

const emptyMarks = new Set(['-', '--', '---', '–', '—', 'n/a', 'N/A', 'null', 'NULL']);

/** A cell that says nothing: empty, or a dash. */
export const saysNothing = (cell: Cell | undefined): boolean => {
  const text = textOfCell(cell);
  return text === '' || emptyMarks.has(text);
};
