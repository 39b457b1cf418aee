import { textOf, type DecodedText } from './decode-text.js';

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

/** The rows of a file. Cells are cut on demand, so that a large file is in memory once. */
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

const separators = [',', ';', '\t', '|'] as const;
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

type Written = Pick<DecodedText, 'bytes' | 'charset'>;

/** Splits a text into rows and cells. It pauses between steps; throws `ReadingFault` beyond the limits. */
export function* splitText(written: Written, limits: GridLimits): Generator<void, SplitText> {
  const { charset } = written;
  const said = /^sep=(.)\r?\n/iu.exec(textOf(written, 0, 20));
  const bytes =
    said === null
      ? written.bytes
      : written.bytes.subarray(Buffer.byteLength(said[0], charset === 'utf-8' ? 'utf8' : 'latin1'));
  const text: Written = { bytes, charset };
  const separator = said?.[1] ?? separatorOf(text);
  return { separator, by: said === null ? 'rule' : 'said', grid: yield* gridOf(text, separator, limits) };
}

/** The separator that gives the most rows of one width, weighted with that width. */
function separatorOf({ bytes, charset }: Written): Separator {
  const sample: Written = { bytes: bytes.subarray(0, 200_000), charset };
  let best: { readonly separator: Separator; readonly score: number } = { separator: ',', score: 0 };
  for (const separator of separators) {
    const widths = new Map<number, number>();
    let seen = 0;
    for (const { start, end } of recordsIn(sample, separator)) {
      const width = cellsOf(textOf(sample, start, end), separator).length;
      if (width > 1) widths.set(width, (widths.get(width) ?? 0) + 1);
      seen += 1;
      if (seen === sampleRows) break;
    }
    const score = Math.max(0, ...[...widths].map(([width, rows]) => width * rows));
    if (score > best.score) best = { separator, score };
  }
  return best.separator;
}

function* gridOf(text: Written, separator: Separator, limits: GridLimits): Generator<void, Grid> {
  let places = new Uint32Array(2_048);
  let cut: Grid['cut'];
  let [rows, step] = [0, 0];
  for (const { start, end, isOpen } of recordsIn(text, separator)) {
    if (end - start > limits.rowLength) {
      cut = { row: rows, reason: 'The row is too long.' };
      break;
    }
    if (isOpen) {
      cut = { row: rows, reason: 'The file ends inside a quoted cell: it was cut off.' };
      break;
    }
    if (rows >= limits.rows) throw new ReadingFault(`The file has more than ${limits.rows} rows.`);
    if (rows * 2 === places.length) {
      const more = new Uint32Array(places.length * 2);
      more.set(places);
      places = more;
    }
    places[rows * 2] = start;
    places[rows * 2 + 1] = end;
    rows += 1;
    if (end - step > stepLength) {
      step = end;
      yield;
    }
  }
  return {
    rows,
    cells: (row) =>
      row < rows
        ? cellsOf(textOf(text, places[row * 2], places[row * 2 + 1]), separator, limits.columns)
        : [''],
    ...(cut !== undefined && { cut }),
  };
}

interface FoundRecord {
  readonly start: number;
  readonly end: number;
  /** The text ended inside of quotes. */
  readonly isOpen: boolean;
}

const [quote, lineFeed, carriageReturn, blank] = [0x22, 0x0a, 0x0d, 0x20];

/**
 * Rows end with LF, CR or both, outside of quotes. A quotation mark begins a quoted cell at the start of a cell alone: one
 * inside of a cell is text, as in `55" screen`.
 */
function* recordsIn({ bytes }: Written, separator: Separator): Generator<FoundRecord> {
  const split = Buffer.from(separator, 'utf8');
  const [first = 0, last = first] = [split[0], split.at(-1)];
  let [start, isQuoted, isCellStart] = [0, false, true];
  for (let at = 0; at < bytes.length; at += 1) {
    const code = bytes[at];
    if (isQuoted) {
      if (code !== quote) continue;
      if (bytes[at + 1] === quote) at += 1;
      else if (endsCell(bytes, at + 1, first)) isQuoted = false;
      continue;
    }
    if (code === lineFeed || code === carriageReturn) {
      yield { start, end: at, isOpen: false };
      if (code === carriageReturn && bytes[at + 1] === lineFeed) at += 1;
      [start, isCellStart] = [at + 1, true];
    } else if (code === last) isCellStart = true;
    else if (code === quote && isCellStart) [isQuoted, isCellStart] = [true, false];
    else if (code !== blank) isCellStart = false;
  }
  if (start < bytes.length) yield { start, end: bytes.length, isOpen: isQuoted };
}

/** Whether a cell ends here, behind blanks at most. */
function endsCell(text: Buffer | string, from: number, split: number): boolean {
  const codeAt = (place: number) => (typeof text === 'string' ? text.charCodeAt(place) : text[place]);
  let at = from;
  while (codeAt(at) === blank) at += 1;
  const code = codeAt(at);
  return at >= text.length || code === split || code === lineFeed || code === carriageReturn;
}

/** `="0012"` keeps a spreadsheet from taking a text for a number. */
const asFormula = /^="(.*)"$/s;

/** The cells of one row, trimmed. */
export function cellsOf(record: string, separator: Separator, most = 100_000): string[] {
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
  let cell = '';
  let at = from + 1;
  for (;;) {
    const end = record.indexOf('"', at);
    if (end < 0) return [(cell + record.slice(at)).trim(), record.length + 1];
    cell += record.slice(at, end);
    if (record.charCodeAt(end + 1) === quote) {
      cell += '"';
      at = end + 2;
    } else if (endsCell(record, end + 1, split)) {
      let next = end + 1;
      while (record.charCodeAt(next) === blank) next += 1;
      return [cell.trim(), next + 1];
    } else {
      cell += '"';
      at = end + 1;
    }
  }
}
