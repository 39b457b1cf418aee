import { SaxesParser, type SaxesTagPlain } from 'saxes';
import { dayOfSerial, plainDecimal } from '@switchyard/values';
import { rowsInBlock } from './packed-bytes.js';
import { packRow, unpackRow, type UnpackedCell } from './packed-row.js';
import { TableFault, type TableLimits } from './table-row.js';
import { guardWorkbook, type GuardedWorkbook } from './zip-guard.js';

/** Rows of each sheet that are looked at to choose one. */
const sampleRows = 100;
const depthAtMost = 64;
const textsAtMost = 2_000_000;
const partLength = 4_000_000;

/** The first rows of a sheet that was not chosen, packed. */
export interface OtherSheet {
  readonly sheet: string;
  readonly rows: readonly string[];
}

/**
 * Rows of the sheet `wanted`, else of the one with the best table that is not hidden, packed, in batches of `rowsInBlock`. The last batch says
 * what stands behind the rows of a sheet, and the other sheets that are shown. Numbers are the digits that a spreadsheet shows: 15 at most.
 * Of a formula the value counts that was stored last. Run it in a thread of its own. Throws `TableFault`.
 */
export async function* workbookGrid(
  bytes: Buffer,
  limits: TableLimits,
  wanted?: string,
): AsyncGenerator<{
  readonly sheet: string;
  readonly rows: readonly string[];
  readonly merges?: readonly MergedCells[];
  /** Rows that the sheet does not show, from 0. */
  readonly hidden?: readonly number[];
  readonly others?: readonly OtherSheet[];
}> {
  const workbook = await guardWorkbook(bytes);
  const book = await readBook(workbook);
  const texts = await readTexts(workbook, limits);
  const context = { texts, styles: await readStyles(workbook), is1904: book.is1904, limits };
  const shown = book.sheets.filter(({ isHidden }) => !isHidden);
  const tables: { readonly sheet: SheetPart; readonly rows: readonly string[]; readonly score: number }[] =
    [];
  for (const sheet of shown.length > 0 ? shown : book.sheets) {
    const sample = await sampleOf(workbook, sheet, context);
    if (sample.score > 0 || book.sheets.length === 1) tables.push({ sheet, ...sample });
  }
  const [best] = tables.toSorted(
    (a, b) => Number(b.sheet.name === wanted) - Number(a.sheet.name === wanted) || b.score - a.score,
  );
  if (best === undefined) throw new TableFault('The workbook has no sheet with a table.');
  let rows: string[] = [];
  const spans: SheetSpans = { numbers: [], merged: [], hidden: [] };
  for await (const row of sheetRows(workbook, best.sheet.path, context, spans)) {
    rows.push(packRow(row));
    if (rows.length < rowsInBlock) continue;
    yield { sheet: best.sheet.name, rows };
    rows = [];
  }
  const others = tables
    .filter((one) => one !== best)
    .map((one) => ({ sheet: one.sheet.name, rows: one.rows }));
  yield { sheet: best.sheet.name, rows, merges: mergesOf(spans), hidden: spans.hidden, others };
}

/** Cells of one column that a sheet shows as one: rows of the grid, from 0, both included. */
export interface MergedCells {
  readonly from: number;
  readonly to: number;
  readonly column: number;
}

/** What a sheet says behind its rows. */
interface SheetSpans {
  /** The number of each row that was given. */
  readonly numbers: number[];
  readonly merged: { readonly from: number; readonly to: number; readonly column: number }[];
  /** Rows that are not shown, from 0. */
  readonly hidden: number[];
}

const mergesAtMost = 10_000;

function mergesOf({ numbers, merged }: SheetSpans): readonly MergedCells[] {
  if (merged.length === 0) return [];
  const places = new Map(numbers.map((number, at) => [number, at]));
  return merged.flatMap(({ from, to, column }) => {
    const [first, last] = [places.get(from), places.get(to)];
    return first === undefined || last === undefined ? [] : [{ from: first, to: last, column }];
  });
}

/** Packed rows by their number. */
interface RowsToFill {
  at(row: number): string | undefined;
  set(row: number, packed: string): void;
}

/** Rows that merged cells of one sheet may be written into. */
const filledAtMost = 10_000;

/** Writes the text or the day of merged cells into each of their rows. Throws `TableFault` beyond ten thousand rows. A merged number is that of all rows together, and stays alone. */
export function fillMerged(rows: RowsToFill, merges: readonly MergedCells[]): void {
  let filled = 0;
  for (const { from, to, column } of merges) {
    filled += to - from;
    if (filled > filledAtMost) throw new TableFault('The workbook has too many merged cells.');
    const value = unpackRow(rows.at(from) ?? '')[column];
    if (value === undefined || value === '' || (typeof value !== 'string' && value.kind !== 'date')) continue;
    for (let at = from + 1; at <= to; at += 1) {
      const cells = [...unpackRow(rows.at(at) ?? '')];
      if (cells.every((cell) => cell === '')) continue;
      while (cells.length <= column) cells.push('');
      if (cells[column] === '') cells[column] = value;
      rows.set(at, packRow(cells));
    }
  }
}

interface SheetPart {
  readonly name: string;
  readonly path: string;
  readonly isHidden: boolean;
}

interface SheetContext {
  readonly texts: readonly string[];
  /** What each style shows, by its number. */
  readonly styles: readonly CellStyle[];
  readonly is1904: boolean;
  readonly limits: TableLimits;
}

/** The first rows of a sheet, packed, and the cells of those that have more than one. */
async function sampleOf(
  workbook: GuardedWorkbook,
  sheet: SheetPart,
  context: SheetContext,
): Promise<{ readonly rows: readonly string[]; readonly score: number }> {
  const rows: string[] = [];
  let cells = 0;
  for await (const row of sheetRows(workbook, sheet.path, context)) {
    const filled = row.filter((cell) => cell !== '').length;
    if (filled > 1) cells += filled;
    rows.push(packRow(row));
    if (rows.length === sampleRows) break;
  }
  return { rows, score: cells };
}

interface Handlers {
  readonly open?: (name: string, attributes: Readonly<Record<string, string>>) => void;
  readonly text?: (text: string) => void;
  readonly close?: (name: string) => void;
}

/** Reads a part of the workbook with a parser that knows no entities and refuses document types. */
async function parsePart(
  workbook: GuardedWorkbook,
  part: string,
  handlers: Handlers,
  step?: () => boolean,
): Promise<void> {
  const parser = partParser(handlers);
  const decoder = new TextDecoder();
  for await (const chunk of workbook.read(part)) {
    parser.write(decoder.decode(chunk, { stream: true }));
    if (step?.() === false) return;
  }
  parser.close();
}

function partParser({ open, text, close }: Handlers): SaxesParser {
  const parser = new SaxesParser();
  let depth = 0;
  parser.on('error', () => {
    throw new TableFault('A part of the workbook is no valid XML.');
  });
  parser.on('doctype', () => {
    throw new TableFault('The workbook has a document type, which no spreadsheet writes.');
  });
  parser.on('opentag', ({ name, attributes }: SaxesTagPlain) => {
    depth += 1;
    if (depth > depthAtMost) throw new TableFault('A part of the workbook is too deep.');
    open?.(localName(name), attributes);
  });
  if (text !== undefined) {
    parser.on('text', text);
    parser.on('cdata', text);
  }
  parser.on('closetag', ({ name }) => {
    depth -= 1;
    close?.(localName(name));
  });
  return parser;
}

const localName = (name: string): string => {
  const at = name.indexOf(':');
  return at < 0 ? name : name.slice(at + 1);
};

async function readBook(
  workbook: GuardedWorkbook,
): Promise<{ readonly sheets: readonly SheetPart[]; readonly is1904: boolean }> {
  const targets = new Map<string, string>();
  await parsePart(workbook, 'xl/_rels/workbook.xml.rels', {
    open: (name, { Id: id = '', Target: target = '' }) => {
      if (name === 'Relationship' && targets.size < 1_000) targets.set(id, target);
    },
  });
  const sheets: SheetPart[] = [];
  let is1904 = false;
  await parsePart(workbook, 'xl/workbook.xml', {
    open: (name, attributes) => {
      if (name === 'workbookPr') is1904 = /^(?:1|true)$/.test(attributes['date1904'] ?? '');
      if (name !== 'sheet') return;
      const target = targets.get(attributes['r:id'] ?? attributes['id'] ?? '') ?? '';
      const path = target.startsWith('/') ? target.slice(1) : `xl/${target}`;
      if (workbook.parts.includes(path) && sheets.length < 100)
        sheets.push({
          name: (attributes['name'] ?? '').slice(0, 100),
          path,
          isHidden: /hidden$/i.test(attributes['state'] ?? ''),
        });
    },
  });
  return { sheets, is1904 };
}

/** Texts that sheets share. A workbook without them is ordinary. */
async function readTexts(workbook: GuardedWorkbook, { rowLength }: TableLimits): Promise<readonly string[]> {
  const texts: string[] = [];
  for (const part of workbook.parts.filter((name) => /sharedStrings\.xml$/i.test(name))) {
    let text = '';
    let [isText, isPhonetic] = [false, false];
    await parsePart(workbook, part, {
      open: (name) => {
        if (name === 'si') text = '';
        if (name === 'rPh') isPhonetic = true;
        isText = name === 't' && !isPhonetic;
      },
      text: (piece) => {
        if (!isText) return;
        text += piece;
        if (text.length > rowLength) throw new TableFault('The workbook has a text that is too long.');
      },
      close: (name) => {
        if (name === 't') isText = false;
        if (name === 'rPh') isPhonetic = false;
        if (name !== 'si') return;
        if (texts.length >= textsAtMost) throw new TableFault('The workbook has too many texts.');
        texts.push(unescaped(text));
      },
    });
  }
  return texts;
}

/** A character that XML cannot hold is written `_x000D_` in the texts of a workbook (ECMA-376, part 1, 22.9.2.19). */
const unescaped = (text: string): string =>
  (text.includes('_x')
    ? text.replaceAll(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) =>
        String.fromCharCode(Number.parseInt(code, 16)),
      )
    : text
  ).trim();

/** A day, a share (`0.19` is shown as 19 %), a number of so many digits, or what stands beside it, such as a sign of a currency. */
type CellStyle = 'day' | 'share' | { readonly digits: number } | { readonly sign: string } | undefined;

/** Number formats that show a day or a time (ECMA-376, 18.8.30). */
const dayFormats = (id: number): boolean =>
  (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 45 && id <= 47) || (id >= 50 && id <= 58);

async function readStyles(workbook: GuardedWorkbook): Promise<readonly CellStyle[]> {
  if (!workbook.parts.includes('xl/styles.xml')) return [];
  const own = new Map<number, CellStyle>();
  const styles: CellStyle[] = [];
  let isCell = false;
  await parsePart(workbook, 'xl/styles.xml', {
    open: (name, attributes) => {
      if (name === 'cellXfs') isCell = true;
      if (name === 'numFmt' && own.size < 10_000)
        own.set(Number(attributes['numFmtId']), styleOf((attributes['formatCode'] ?? '').slice(0, 500)));
      if (name !== 'xf' || !isCell || styles.length >= 100_000) return;
      const id = Number(attributes['numFmtId'] ?? 0);
      const builtIn = dayFormats(id) ? 'day' : id === 9 || id === 10 ? 'share' : undefined;
      styles.push(own.has(id) ? own.get(id) : builtIn);
    },
    close: (name) => {
      if (name === 'cellXfs') isCell = false;
    },
  });
  return styles;
}

/** A day if the format has a letter of days or hours outside of quotes and brackets; else what it shows of the number, or beside it. */
function styleOf(format: string): CellStyle {
  const bare = format.replaceAll(/"[^"]*"|\\.|\[[^\]]*\]/g, '');
  if (/[ymdh]/i.test(bare)) return 'day';
  if (bare.includes('%')) return 'share';
  if (/^0{2,30}$/.test(format)) return { digits: format.length };
  // `_€` is a space as wide as the sign, and `* ` fills the cell.
  const shown = format.replaceAll(/[_*]./gu, '');
  const [, inBrackets, inQuotes, plain] =
    /\[\$([^\]-]{1,10})[^\]]*\]|"([^"]{1,20})"|([\p{Sc}])/u.exec(shown) ?? [];
  const sign = (inBrackets ?? inQuotes ?? plain ?? '').trim();
  return sign === '' ? undefined : { sign };
}

interface OpenCell {
  at: number;
  type: string;
  style: number;
  value: string | undefined;
  text: string;
  isFormula: boolean;
}

async function* sheetRows(
  workbook: GuardedWorkbook,
  part: string,
  context: SheetContext,
  spans?: SheetSpans,
): AsyncGenerator<readonly UnpackedCell[]> {
  const { limits } = context;
  const ready: (readonly UnpackedCell[])[] = [];
  let row: UnpackedCell[] = [];
  let [number, length, total] = [0, 0, 0];
  let isHidden = false;
  let cell: OpenCell | undefined;
  let taking: 'v' | 't' | undefined;
  const parser = partParser({
    open: (name, attributes) => {
      if (name === 'row') {
        const stated = Number(attributes['r'] ?? number + 1);
        // Rows without cells may be left out. Many of them are as one.
        if (stated > number + 1) {
          ready.push([]);
          spans?.numbers.push(0);
        }
        [number, row, length] = [stated, [], 0];
        isHidden = /^(?:1|true)$/.test(attributes['hidden'] ?? '');
      } else if (name === 'c') cell = openCell(attributes, row.length, limits);
      else if (name === 'f' && cell !== undefined) cell.isFormula = true;
      else if (name === 'v') taking = 'v';
      else if (name === 't') taking = 't';
      else if (name === 'rPh') taking = undefined;
      else if (name === 'mergeCell') spans?.merged.push(...mergedIn(attributes['ref'] ?? '', spans, limits));
    },
    text: (piece) => {
      if (cell === undefined || taking === undefined) return;
      length += piece.length;
      if (length > limits.rowLength) throw new TableFault('The workbook has a row that is too long.', number);
      if (taking === 'v') cell.value = (cell.value ?? '') + piece;
      else cell.text += piece;
    },
    close: (name) => {
      if (name === 'v' || name === 't') taking = undefined;
      if (name === 'c' && cell !== undefined) {
        while (row.length < cell.at) row.push('');
        row.push(cellOf(cell, context));
        cell = undefined;
      }
      if (name !== 'row') return;
      total += 1;
      if (total > limits.rows + 1) throw new TableFault(`The file has more than ${limits.rows} rows.`);
      ready.push(row);
      if (isHidden) spans?.hidden.push(spans.numbers.length);
      spans?.numbers.push(number);
    },
  });
  const decoder = new TextDecoder();
  for await (const chunk of workbook.read(part)) {
    if (chunk.length > partLength) throw new TableFault('A part of the workbook is too large.');
    parser.write(decoder.decode(chunk, { stream: true }));
    yield* ready.splice(0);
  }
  parser.close();
  yield* ready.splice(0);
}

/** The columns of merged cells that have several rows. */
function mergedIn(ref: string, { merged }: SheetSpans, { columns }: TableLimits): SheetSpans['merged'] {
  const found = /^([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})$/.exec(ref);
  const [from, to] = [Number(found?.[2] ?? 0), Number(found?.[4] ?? 0)];
  const column = columnOf(found?.[1] ?? 'A');
  const isTall = found !== null && to > from && to - from < 10_000 && column < columns;
  return isTall && merged.length < mergesAtMost ? [{ from, to, column }] : [];
}

const columnOf = (letters: string): number =>
  Array.from(letters).reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;

function openCell(
  attributes: Readonly<Record<string, string>>,
  next: number,
  { columns }: TableLimits,
): OpenCell {
  const letters = /^([A-Z]{1,3})\d{1,7}$/.exec(attributes['r'] ?? '')?.[1];
  const at = letters === undefined ? next : columnOf(letters);
  if (at >= columns) throw new TableFault(`The file has more than ${columns} columns.`);
  if (at < next) throw new TableFault('The cells of a row are not in their order.');
  return {
    at,
    type: attributes['t'] ?? 'n',
    style: Number(attributes['s'] ?? 0),
    value: undefined,
    text: '',
    isFormula: false,
  };
}

function cellOf(cell: OpenCell, { texts, styles, is1904 }: SheetContext): UnpackedCell {
  const { type, value, isFormula } = cell;
  const mark = isFormula ? ({ isFormula: true } as const) : {};
  if (type === 'inlineStr') return unescaped(cell.text);
  if (value === undefined)
    return isFormula ? { kind: 'fault', text: 'The cell is a formula without a stored value.' } : '';
  if (type === 's')
    return texts[Number(value)] ?? { kind: 'fault', text: 'The text of the cell is missing.' };
  if (type === 'str') return unescaped(value);
  if (type === 'b') return value === '1' ? 'TRUE' : 'FALSE';
  if (type === 'e')
    return { kind: 'fault', text: `The cell holds the error ${value.slice(0, 20)}.`, ...mark };
  if (type === 'd') return { kind: 'date', text: value.slice(0, 10), ...mark };
  const style = styles[cell.style];
  if (style === 'day') {
    const day = dayOfSerial(Math.floor(Number(value)), is1904);
    return day === undefined
      ? { kind: 'fault', text: 'The cell is no day that there is.', ...mark }
      : { kind: 'date', text: day, ...mark };
  }
  const number = numberOf(value);
  if (style === undefined || number.kind === 'fault') return { ...number, ...mark };
  if (style === 'share') return `${plainDecimal(`${number.text}e2`) ?? number.text}%`;
  // Ids are kept as numbers that are shown with zeros before them.
  if ('digits' in style)
    return /^\d+$/.test(number.text) ? number.text.padStart(style.digits, '0') : { ...number, ...mark };
  return { ...number, ...style, ...mark };
}

/** A spreadsheet keeps 15 digits; a double has up to 17, of which the last ones are noise. */
export function numberOf(value: string): { readonly kind: 'number' | 'fault'; readonly text: string } {
  const number = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d{1,3})?$/.test(value) ? Number(value) : Number.NaN;
  if (!Number.isFinite(number))
    return { kind: 'fault', text: `The number ${value.slice(0, 40)} is no decimal number.` };
  if (Number.isInteger(number) && Math.abs(number) >= 1e15)
    return {
      kind: 'fault',
      text: 'The number has more than 15 digits, and a spreadsheet keeps 15. Keep it as text.',
    };
  return { kind: 'number', text: plainDecimal(number.toPrecision(15)) ?? '0' };
}
