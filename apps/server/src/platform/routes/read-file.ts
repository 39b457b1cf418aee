import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { decodingWork, ReadingFault, textOf, type FileContent } from '@switchyard/ledger';
import {
  csvRows,
  embeddedInvoice,
  htmlBytes,
  htmlRows,
  isHtml,
  isXmlWorkbook,
  PackedBytes,
  rowsAtOnce,
  TableFault,
  unpackRow,
  usualLimits,
  workbookGridInThread,
  workbookLimits,
  workbookRowsInThread,
  xmlSheets,
  xmlTree,
  type TableLimits,
  type TableRow,
  type UnpackedCell,
  type XmlElement,
} from '@switchyard/tables';
import type { FinanceFiles } from '@switchyard/store';
import type { TenantScope } from '@switchyard/tenancy';
import { err, inTurns, isUuid, nextTurn, ok, type Result } from '@switchyard/values';
import { z } from 'zod';
import { quotaFailure, type Quotas } from '../caller/quotas.js';
import type { AdminFailure } from '../failure.js';

/** The limits of one file. */
interface FileLimits {
  readonly bytes: number;
  readonly rows: number;
}

/** Admits a fixed number of readers and refuses the next: each file that is read uses two database connections. */
interface ReadingGate {
  readonly isEntered: (scope: TenantScope) => boolean;
  readonly leave: (scope: TenantScope) => void;
  /** How long a file waits for the one before it, in milliseconds. */
  readonly waitMs: number;
}

/**
 * One organization reads one file at a time, so that its large files do not keep the others out. The next one waits for
 * `waitMs`, because most are read in a moment.
 */
export function readingGate(most: number, waitMs = 0): ReadingGate {
  const inside = new Set<string>();
  return {
    waitMs,
    isEntered: ({ organizationId }) => {
      if (inside.size >= most || inside.has(organizationId)) return false;
      inside.add(organizationId);
      return true;
    },
    leave: ({ organizationId }) => {
      inside.delete(organizationId);
    },
  };
}

export interface FileDeps {
  readonly files: FinanceFiles;
  readonly fileLimits: FileLimits;
  readonly fileReads: ReadingGate;
  /** Each file that is opened counts, also to be shown alone. */
  readonly quotas?: Pick<Quotas, 'takeNow'>;
}

/** A file in a request: the text of a small one, or the id of one that was uploaded in parts. */
export const fileMembers = {
  file: z
    .strictObject({
      name: z.string().min(1).max(255),
      text: z
        .string()
        .min(1)
        .describe('The whole file, CSV with a header row or a JSON array of objects of text.'),
    })
    .exactOptional(),
  file_id: z
    .uuid()
    .exactOptional()
    .describe('A file that was brought with POST /v1/files: CSV, XLSX or JSON. Instead of file.'),
};

/** A file whose rows can be read more than once. */
export interface OpenFile {
  readonly name: string;
  /** SHA-256, hexadecimal. */
  readonly hash: string;
  /** Where the bytes are: in the database, or in memory. */
  readonly stored: { readonly id: string } | { readonly bytes: Buffer };
  /** Throws `TableFault`, at the latest at the end if the bytes are not those that were announced. */
  readonly rows: () => AsyncGenerator<readonly TableRow[]>;
  /** The whole file for the reader of documents; of a workbook one sheet. Throws `TableFault` like `rows`. */
  readonly content: (sheet?: string) => Promise<FileContent>;
}

export async function openFile(
  { files, fileLimits, quotas }: FileDeps,
  scope: TenantScope,
  {
    file,
    file_id: id,
  }: { readonly file?: { readonly name: string; readonly text: string }; readonly file_id?: string },
): Promise<Result<OpenFile, AdminFailure>> {
  if (file !== undefined && id === undefined) {
    const bytes = Buffer.from(file.text, 'utf8');
    const over = await quotas?.takeNow(scope, 'import_bytes', bytes.length);
    if (over !== undefined) return err(quotaFailure(over));
    const hash = createHash('sha256').update(bytes).digest('hex');
    return ok({
      name: file.name,
      hash,
      stored: { bytes },
      rows: () => rowsOf(one(bytes), fileLimits),
      content: (sheet) => contentOf(bytes, fileLimits, { wanted: sheet }),
    });
  }
  if (id === undefined || file !== undefined)
    return err({ code: 'INVALID_REQUEST', message: 'Give either file or file_id.', field: 'file' });
  const found = await wholeFile(files, scope, id);
  if (!found.ok) return found;
  const { name, sha256, bytes: length } = found.value;
  const over = await quotas?.takeNow(scope, 'import_bytes', length);
  if (over !== undefined) return err(quotaFailure(over));
  return ok({
    name,
    hash: sha256,
    stored: { id },
    rows: () => rowsOf(verified(files.read(scope, id), sha256), fileLimits),
    content: (sheet) => storedContent(verified(files.read(scope, id), sha256), length, fileLimits, sheet),
  });
}

/** The rows of a small file whose text is in a request. */
export async function rowsOfText(
  text: string,
  limits: Pick<FileLimits, 'rows'>,
): Promise<Result<readonly TableRow[], AdminFailure>> {
  const read: TableRow[] = [];
  try {
    for await (const rows of rowsOf(one(Buffer.from(text, 'utf8')), limits)) read.push(...rows);
    return ok(read);
  } catch (error) {
    if (!(error instanceof TableFault)) throw error;
    const at = error.row === undefined ? '' : ` (row ${error.row})`;
    return err({ code: 'INVALID_REQUEST', message: `${error.message}${at}`, field: 'file.text' });
  }
}

/** The tree of a small XML document whose text is in a request; undefined of any other text. */
export async function xmlOfText(text: string): Promise<Result<XmlElement | undefined, AdminFailure>> {
  const bytes = Buffer.from(text, 'utf8');
  if (!isXml(bytes)) return ok(undefined);
  try {
    return ok(await xmlTree(bytes));
  } catch (error) {
    if (!(error instanceof TableFault)) throw error;
    return err({ code: 'INVALID_REQUEST', message: error.message, field: 'file.text' });
  }
}

/** A file that was uploaded completely. */
export async function wholeFile(files: FinanceFiles, scope: TenantScope, id: string) {
  const found = isUuid(id) ? await files.find(scope, id) : undefined;
  if (found === undefined)
    return err({
      code: 'NOT_FOUND' as const,
      message: 'No file of yours has this id. An unused file is stored for a day.',
      field: 'file_id',
    });
  if (found.received !== found.bytes)
    return err({
      code: 'INVALID_REQUEST' as const,
      message: `The file was cut off: ${found.received} of ${found.bytes} bytes are here.`,
      field: 'file_id',
      suggestion: 'Send the parts that are missing.',
    });
  return ok(found);
}

async function* one(bytes: Buffer): AsyncGenerator<Buffer> {
  yield await Promise.resolve(bytes);
}

async function* verified(chunks: AsyncIterable<Buffer>, sha256: string): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  for await (const chunk of chunks) {
    hash.update(chunk);
    yield chunk;
  }
  if (hash.digest('hex') !== sha256)
    throw new TableFault('The bytes of the file are not the announced ones: their SHA-256 differs.');
}

/** The most bytes of a JSON file: it is read into memory. */
const jsonBytes = 1024 * 1024;

/** The first bytes decide the format of a file. */
async function* rowsOf(
  chunks: AsyncIterable<Buffer>,
  { rows }: Pick<FileLimits, 'rows'>,
): AsyncGenerator<readonly TableRow[]> {
  const iterator = chunks[Symbol.asyncIterator]();
  const first = await iterator.next();
  const start = first.done === true ? Buffer.alloc(0) : first.value;
  const all = rejoined(start, iterator);
  const limits = { ...usualLimits, rows };
  if (isWorkbook(start))
    yield* workbookRowsInThread(await collected(all, workbookLimits.fileBytes, 'workbook'), limits);
  else if (isPdf(start))
    throw new TableFault('A PDF has no rows. Import a CSV or XLSX file, and attach the PDF to the invoice.');
  else if (start.subarray(0, 100).toString('utf8').trimStart().startsWith('['))
    yield* jsonRows(await collected(all, jsonBytes, 'JSON file'), limits);
  else yield* csvRows(all, limits);
}

/** The most bytes of a file that is recognised: it is kept in memory. One with a mapping is read part by part. */
const recognisedBytes = 160_000_000;

/** A text that is larger than this is packed in memory. */
const packedFrom = 1_000_000;

/** A file of `length` bytes that is read from where it is stored. */
async function storedContent(
  chunks: AsyncGenerator<Buffer>,
  length: number,
  limits: Pick<FileLimits, 'rows'>,
  wanted: string | undefined,
): Promise<FileContent> {
  const first = await chunks.next();
  const start = first.done === true ? Buffer.alloc(0) : first.value;
  const all = rejoined(start, chunks);
  const what = 'file without a mapping';
  if (length < packedFrom || !isText(start))
    return contentOf(await collected(all, recognisedBytes, what, length), limits, {
      wanted,
      givesAway: true,
    });
  const bytes = new PackedBytes();
  for await (const chunk of all) {
    if (bytes.length + chunk.length > recognisedBytes) throw tooLarge(recognisedBytes, what);
    bytes.add(chunk);
  }
  return { kind: 'text', bytes };
}

/** Whether the first bytes are of no format that needs a parser of its own. */
const isText = (start: Buffer): boolean =>
  !isWorkbook(start) && !isPdf(start) && !isEnvelope(start) && !isXml(start);

const isWorkbook = (start: Buffer): boolean =>
  ['PK\u0003\u0004', '\u00D0\u00CF\u0011\u00E0'].includes(start.toString('latin1', 0, 4));

const isPdf = (start: Buffer): boolean => start.toString('latin1', 0, 4) === '%PDF';

const isEnvelope = (start: Buffer): boolean =>
  start[0] === 0x30 && (start[1] === 0x80 || start[1] === 0x82 || start[1] === 0x83);

/** Parses what needs a parser of its own: a workbook in a thread, and XML. */
async function contentOf(
  bytes: Buffer,
  { rows }: Pick<FileLimits, 'rows'>,
  { wanted, givesAway = false }: { readonly wanted?: string | undefined; readonly givesAway?: boolean } = {},
): Promise<FileContent> {
  if (isWorkbook(bytes)) {
    const limits = { ...usualLimits, rows };
    // Only a buffer that has all of its memory can be given away.
    const isWhole = bytes.byteOffset === 0 && bytes.length === bytes.buffer.byteLength;
    const read = await workbookGridInThread(bytes, limits, { wanted, givesAway: givesAway && isWhole });
    const grid = { rows: read.rows.length, cells: (row: number) => unpackRow(read.rows.at(row)) };
    return {
      ...{ kind: 'workbook', sheet: read.sheet, grid, hidden: new Set(read.hidden) },
      others: read.others.map((other) => ({ sheet: other.sheet, grid: gridOf(other.rows) })),
    };
  }
  if (isPdf(bytes)) {
    const xml = await embeddedInvoice(bytes);
    if (xml !== undefined) return { kind: 'xml', root: await xmlTree(xml) };
    throw new TableFault(
      'A PDF has no rows, and this one has no electronic invoice in it. Import a CSV, XLSX or XML file, and attach the PDF to the invoice.',
    );
  }
  if (isEnvelope(bytes))
    throw new TableFault('This is a signed envelope (.p7m). Take the XML file out of it, and import that.');
  if (bytes.toString('latin1', 0, 13).toLowerCase() === 'mime-version:')
    throw new TableFault(
      'This is a web archive (MHTML). Open it in a spreadsheet, and save it as XLSX or CSV.',
    );
  if (isHtml(bytes)) return pageContent(bytes, rows);
  if (!isXml(bytes)) return { kind: 'text', bytes };
  const root = await xmlTree(bytes);
  if (!isXmlWorkbook(root)) return { kind: 'xml', root };
  const sheets = xmlSheets(root, { ...usualLimits, rows });
  const chosen = sheets.find(({ sheet }) => sheet === wanted) ?? sheets[0];
  if (chosen === undefined) throw new TableFault('The workbook has no sheet with a table.');
  return {
    ...{ kind: 'workbook', sheet: chosen.sheet, grid: gridOfCells(chosen.rows) },
    others: sheets
      .filter((one) => one !== chosen)
      .map((one) => ({ sheet: one.sheet, grid: gridOfCells(one.rows) })),
  };
}

/** The largest table of a page: programs write one under the name of a workbook. */
async function pageContent(bytes: Buffer, rows: number): Promise<FileContent> {
  if (bytes.length > htmlBytes)
    throw new TableFault(
      `A web page may have ${htmlBytes / 1_000_000} MB at most. Save the table as XLSX or CSV.`,
    );
  const text = textOf(await inTurns(decodingWork(bytes)));
  const table = await inTurns(htmlRows(text, { ...usualLimits, rows }));
  return { kind: 'workbook', sheet: 'page', grid: gridOfCells(table) };
}

const gridOfCells = (rows: readonly (readonly UnpackedCell[])[]) => ({
  rows: rows.length,
  cells: (row: number) => rows[row] ?? [],
});

const gridOf = (packed: readonly string[]) => ({
  rows: packed.length,
  cells: (row: number) => unpackRow(packed[row] ?? ''),
});

/** Whether the first character behind a byte order mark and blanks is the one that begins XML. */
const isXml = (bytes: Buffer): boolean => {
  const first = bytes.subarray(0, 200).find((byte) => !beforeXml.has(byte));
  return first === 0x3c;
};

/** Bytes of byte order marks and blanks, and the zeros of UTF-16. */
const beforeXml = new Set([0xef, 0xbb, 0xbf, 0xff, 0xfe, 0x00, 0x09, 0x0a, 0x0d, 0x20]);

async function* rejoined(first: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield first;
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
}

const tooLarge = (most: number, what: string): TableFault =>
  new TableFault(`A ${what} may have ${most} bytes at most. A larger table is read as CSV with a mapping.`);

/** The chunks as one buffer. With their `length` it is in memory once. */
async function collected(
  chunks: AsyncIterable<Buffer>,
  most: number,
  what: string,
  length = 0,
): Promise<Buffer> {
  let [all, bytes] = [Buffer.alloc(Math.min(length, most)), 0];
  for await (const chunk of chunks) {
    if (bytes + chunk.length > most) throw tooLarge(most, what);
    if (bytes + chunk.length > all.length) all = Buffer.concat([all], 2 * (bytes + chunk.length));
    bytes += chunk.copy(all, bytes);
  }
  return all.subarray(0, bytes);
}

/** Rows of a JSON array, in batches as those of other files, with turns of the event loop between them. */
async function* jsonRows(bytes: Buffer, limits: TableLimits): AsyncGenerator<readonly TableRow[]> {
  const list = jsonList(bytes, limits);
  const columns = new Map<string, string>();
  for (const [at, cells] of list.entries()) {
    if (!isRow(cells))
      throw new TableFault('The row must be an object whose members are text; amounts too.', at + 1);
    for (const column of Object.keys(cells)) columns.set(column, '');
    if (columns.size > limits.columns)
      throw new TableFault(`The file has more than ${limits.columns} columns.`, at + 1);
    if (at % rowsAtOnce === 0) await nextTurn();
  }
  for (let at = 0; at < list.length; at += rowsAtOnce) {
    const rows = list.slice(at, at + rowsAtOnce) as TableRow['cells'][];
    // The first row names every column, as the header of other files does.
    yield rows.map((cells, more) => ({
      row: at + more + 1,
      cells: at + more === 0 ? { ...Object.fromEntries(columns), ...cells } : cells,
    }));
    await nextTurn();
  }
}

function jsonList(bytes: Buffer, { rows }: TableLimits): readonly unknown[] {
  let list: unknown;
  try {
    list = JSON.parse(bytes.toString('utf8'));
  } catch {
    list = undefined;
  }
  if (!Array.isArray(list)) throw new TableFault('The file begins like JSON and is not valid JSON.');
  if (list.length > rows) throw new TableFault(`The file has more than ${rows} rows.`);
  return list;
}

const isRow = (cells: unknown): cells is TableRow['cells'] =>
  typeof cells === 'object' && cells !== null && !Array.isArray(cells) && Object.entries(cells).every(isCell);

const isCell = ([column, text]: readonly [string, unknown]): boolean =>
  column.length <= 200 && typeof text === 'string' && text.length <= 10_000;

/** The field that each column is read as, and the first rows as they were read. */
export const preview = z.strictObject({
  columns: z.array(z.strictObject({ column: z.string(), field: z.string().nullable() })),
  rows: z.array(z.record(z.string(), z.string())),
});

/** The result of `throughRows`. */
interface ReadThrough {
  readonly preview: z.output<typeof preview>;
  /** The reason why reading stopped early, if one row caused it. */
  readonly cut?: { readonly row: number; readonly reason: string };
}

const rowsShown = 5;

/**
 * Reads a file once, from first row to last, and passes each batch to `take`. A fault of the whole file is a failure; a
 * fault of one row is part of the result.
 */
export async function throughRows(
  file: Pick<OpenFile, 'rows'>,
  { mapping, fields, missingColumn }: MappedFields,
  take: (rows: readonly TableRow[]) => void | Promise<void>,
): Promise<Result<ReadThrough, AdminFailure>> {
  let shown: ReadThrough['preview'] = { columns: [], rows: [] };
  try {
    for await (const rows of file.rows()) {
      if (shown.columns.length === 0) {
        const columns = [...new Set(rows.flatMap(({ cells }) => Object.keys(cells)))];
        const missing = missingColumn(columns);
        if (missing !== undefined)
          throw new TableFault(
            `The mapping, or the one of the last file if none is given, names the column ${missing}. This file has: ${columns.join(', ')}. Say which of them holds what.`,
          );
        shown = {
          columns: columns.map((column) => ({ column, field: fieldOf(mapping, fields, column) })),
          rows: rows.slice(0, rowsShown).map(({ cells }) => ({ ...cells })),
        };
      }
      await take(rows);
    }
    return ok({ preview: shown });
  } catch (error) {
    if (!(error instanceof TableFault)) throw error;
    const { message, row } = error;
    if (row !== undefined) return ok({ preview: shown, cut: { row, reason: message } });
    return err({ code: 'INVALID_REQUEST', message, field: 'file' });
  }
}

/** Between two looks at the gate. */
const turnMs = 50;

/** Wraps the reading of a file up to the commit. Limits concurrent reads; a fault becomes a failure. */
export async function whileReading<T>(
  { fileReads }: FileDeps,
  scope: TenantScope,
  work: () => Promise<Result<T, AdminFailure>>,
): Promise<Result<T, AdminFailure>> {
  for (let waited = 0; !fileReads.isEntered(scope); waited += turnMs) {
    if (waited >= fileReads.waitMs) return err(busy);
    await pause(turnMs);
  }
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof TableFault || error instanceof ReadingFault)) throw error;
    return err({ code: 'INVALID_REQUEST', message: error.message, field: 'file' });
  } finally {
    fileReads.leave(scope);
  }
}

interface MappedFields {
  readonly mapping: Readonly<Partial<Record<string, string>>>;
  readonly fields: readonly string[];
  readonly missingColumn: (columns: readonly string[]) => string | undefined;
}

function fieldOf(mapping: MappedFields['mapping'], fields: readonly string[], column: string): string | null {
  return fields.find((field) => (mapping[field] ?? field) === column) ?? null;
}

const busy: AdminFailure = {
  code: 'UNAVAILABLE',
  message: 'Other files are being read. This one was not stored.',
  suggestion: 'Try again in a moment.',
};
