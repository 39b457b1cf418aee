import { StringDecoder } from 'node:string_decoder';
import { streamXlsxRows } from 'hucre/xlsx';
import { guardWorkbook, type GuardedWorkbook } from './zip-guard.js';
import { namesOfHeader, rowsAtOnce, TableFault, type TableLimits, type TableRow } from './table-row.js';

/**
 * Rows of the first sheet of a workbook, in batches. Run it in a thread of its own: unpacking and reading block the
 * event loop.
 *
 * The reader returns numbers as doubles, which money must not pass through. So each row is also read as raw text: a
 * number is that text, and a formula, a number in exponent form or one of more than 15 digits is a fault of its cell.
 * Throws `TableFault`.
 */
export async function* workbookRows(bytes: Buffer, limits: TableLimits): AsyncGenerator<readonly TableRow[]> {
  const workbook = await guardWorkbook(bytes);
  await checkStrings(workbook, limits);
  const raw = rawRows(workbook.read(await firstSheet(workbook)), limits);
  // The first row is checked before the reader gets the sheet.
  let next = await raw.next();
  let names: readonly (string | undefined)[] | undefined;
  let header = 0;
  let batch: TableRow[] = [];
  try {
    for await (const { index, values } of streamXlsxRows(bytes)) {
      while (next.done !== true && next.value.index < index) next = await raw.next();
      const cells =
        next.done !== true && next.value.index === index ? next.value.cells : new Map<number, RawCell>();
      const row = cellsOf(values, cells);
      if (row.every(({ text, fault }) => text === '' && fault === undefined)) continue;
      if (names === undefined) {
        names = namesOfHeader(
          row.map(({ text }) => text),
          limits,
        );
        header = index;
        continue;
      }
      if (index - header > limits.rows) throw new TableFault(`The file has more than ${limits.rows} rows.`);
      batch.push(rowOf(names, row, index - header));
      if (batch.length < rowsAtOnce) continue;
      yield batch;
      batch = [];
    }
  } catch (error) {
    if (error instanceof TableFault) throw error;
    throw new TableFault('The first sheet of the workbook cannot be read.');
  }
  if (batch.length > 0) yield batch;
}

interface Read {
  readonly text: string;
  readonly fault?: string;
}

/** The raw text of one cell. */
interface RawCell {
  readonly isFormula: boolean;
  readonly value: string | undefined;
}

function cellsOf(values: readonly unknown[], raw: ReadonlyMap<number, RawCell>): readonly Read[] {
  const width = Math.max(values.length, ...[...raw.keys()].map((at) => at + 1));
  return Array.from({ length: width }, (_, at) => readCell(values[at] ?? null, raw.get(at)));
}

/** Excel stores 15 digits exactly; further digits are unknown. */
const digitsAtMost = 15;

function readCell(value: unknown, raw: RawCell | undefined): Read {
  if (raw === undefined) {
    if (value === null) return { text: '' };
    throw new TableFault('The sheet is written in a way that cannot be checked. Save it as CSV.');
  }
  if (raw.isFormula) return { text: '', fault: 'The cell is a formula. Paste its value in its place.' };
  if (value instanceof Date) {
    if (Number.isNaN(value.getTime())) return { text: '', fault: 'The cell is no day that there is.' };
    const text = value.toISOString();
    return { text: text.endsWith('T00:00:00.000Z') ? text.slice(0, 10) : text };
  }
  if (typeof value === 'string') return { text: value.trim() };
  if (typeof value === 'boolean') return { text: value ? 'TRUE' : 'FALSE' };
  if (raw.value === undefined) return { text: '' };
  if (!/^-?\d+(\.\d+)?$/.test(raw.value))
    return { text: '', fault: `The number ${raw.value.slice(0, 40)} is no plain decimal number.` };
  if (raw.value.replace(/^-?0*\.?0*/, '').replace('.', '').length > digitsAtMost)
    return {
      text: '',
      fault: `The number has more than ${digitsAtMost} digits. Round it, or keep it as text.`,
    };
  return { text: raw.value };
}

function rowOf(names: readonly (string | undefined)[], row: readonly Read[], index: number): TableRow {
  const named = names.flatMap((name, at) =>
    name === undefined ? [] : [[name, row[at] ?? { text: '' }] as const],
  );
  const faults = named.flatMap(([name, { fault }]) => (fault === undefined ? [] : [[name, fault] as const]));
  return {
    row: index,
    cells: Object.fromEntries(named.map(([name, { text }]) => [name, text])),
    ...(faults.length > 0 && { faults: Object.fromEntries(faults) }),
  };
}

/** Limit, in bytes, of the parts that list the sheets. */
const smallPart = 1_000_000;

async function firstSheet(workbook: GuardedWorkbook): Promise<string> {
  const workbookXml = await textOf(workbook, 'xl/workbook.xml');
  const relations = await textOf(workbook, 'xl/_rels/workbook.xml.rels');
  const id = /<(?:\w+:)?sheet\s[^<>]*?\br:id="([^"]{1,100})"/.exec(workbookXml)?.[1];
  const relation = [...relations.matchAll(/<Relationship\s[^<>]*>/g)]
    .map(([text]) => text)
    .find((text) => id !== undefined && text.includes(` Id="${id}"`));
  const target = relation === undefined ? undefined : / Target="([^"]{1,200})"/.exec(relation)?.[1];
  const path = target?.startsWith('/') === true ? target.slice(1) : `xl/${target ?? ''}`;
  if (target === undefined || !workbook.parts.includes(path))
    throw new TableFault('The workbook has no first sheet.');
  return path;
}

async function textOf(workbook: GuardedWorkbook, name: string): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of workbook.read(name)) {
    bytes += chunk.length;
    if (bytes > smallPart) throw new TableFault(`The part ${name} of the workbook is too large.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Checks the shared texts one by one: the reader would need minutes for a single one of many megabytes. */
async function checkStrings(workbook: GuardedWorkbook, limits: TableLimits): Promise<void> {
  for (const name of workbook.parts.filter((part) => /sharedStrings\.xml$/i.test(part)))
    for await (const _ of pieces(workbook.read(name), '</si>', limits)) continue;
}

/** Yields the text between two ends of an element. Throws if it is longer than a row may be. */
async function* pieces(
  chunks: AsyncIterable<Buffer>,
  end: string,
  { rowLength }: TableLimits,
): AsyncGenerator<string> {
  // Cells have about as much markup as text.
  const most = rowLength * 4;
  const decoder = new StringDecoder('utf8');
  let rest = '';
  for await (const chunk of chunks) {
    rest += decoder.write(chunk);
    if (/<!(?:DOCTYPE|ENTITY|--|\[CDATA)/.test(rest))
      throw new TableFault(
        'The workbook has a document type, comments or sections that no spreadsheet writes.',
      );
    let from = 0;
    for (let at = rest.indexOf(end); at >= 0; at = rest.indexOf(end, from)) {
      yield rest.slice(from, at);
      from = at + end.length;
    }
    rest = rest.slice(from);
    if (rest.length > most) throw new TableFault('The workbook has a row or a text that is too long.');
  }
}

interface RawRow {
  /** Counts from 0, as the reader does. */
  readonly index: number;
  readonly cells: ReadonlyMap<number, RawCell>;
}

async function* rawRows(chunks: AsyncIterable<Buffer>, limits: TableLimits): AsyncGenerator<RawRow> {
  let index = -1;
  for await (const piece of pieces(chunks, '</row>', limits)) {
    // Rows without cells have no end tag.
    const start = piece.lastIndexOf('<row');
    const head = start < 0 ? '' : piece.slice(start, piece.indexOf('>', start));
    const stated = Number(/\sr="(\d{1,7})"/.exec(head)?.[1] ?? Number.NaN);
    if (Number.isNaN(stated) || stated <= index + 1)
      throw new TableFault('The rows of the sheet have no numbers, or not in their order.');
    index = stated - 1;
    yield { index, cells: rawCells(piece.slice(start), limits, index) };
  }
}

/** A cell. None of its parts runs past the next cell, so that a row of cells without ends is not searched many times. */
const cellShape = /<c\b([^<>]*?)(?:\/>|>((?:(?!<c\b).)*?)<\/c>)/gs;

function rawCells(row: string, { columns }: TableLimits, index: number): ReadonlyMap<number, RawCell> {
  const cells = new Map<number, RawCell>();
  for (const [, attributes = '', body = ''] of row.matchAll(cellShape)) {
    const letters = /\sr="([A-Z]{1,3})\d{1,7}"/.exec(` ${attributes}`)?.[1];
    if (letters === undefined) throw new TableFault('A cell of the sheet does not say where it is.', index);
    const at = Array.from(letters).reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
    if (at >= columns) throw new TableFault(`The file has more than ${columns} columns.`, index);
    const value = /<v\b[^<>]*>([^<]*)<\/v>/.exec(body)?.[1];
    cells.set(at, { isFormula: /<f[\s/>]/.test(body), value });
  }
  return cells;
}
