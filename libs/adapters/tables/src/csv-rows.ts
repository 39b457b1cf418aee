import { pipeline, Readable } from 'node:stream';
import { setImmediate as othersTurn } from 'node:timers/promises';
import { CsvError, parse } from 'csv-parse';
import { namesOfHeader, rowsAtOnce, TableFault, type TableLimits, type TableRow } from './table-row.js';

/** Bytes that are read in one turn of the event loop. */
const sliceBytes = 16_384;

/**
 * Rows of a CSV file with a header row (RFC 4180; comma, semicolon or tab), in batches. Only one slice of the file is
 * in memory. Throws `TableFault` with the row that cannot be read; discard the rows that were yielded before it.
 */
export async function* csvRows(
  chunks: AsyncIterable<Uint8Array>,
  limits: TableLimits,
): AsyncGenerator<readonly TableRow[]> {
  const { separator, all } = await findSeparator(chunks, limits);
  const parser = parse({
    bom: true,
    columns: (header: string[]) => [...namesOfHeader(header, limits)],
    delimiter: String.fromCodePoint(separator),
    skip_empty_lines: true,
    trim: true,
    max_record_size: limits.rowLength,
  });
  pipeline(Readable.from(slicesOf(all, limits, separator)), parser, () => undefined);
  let batch: TableRow[] = [];
  let row = 0;
  try {
    for await (const cells of parser as AsyncIterable<Readonly<Record<string, string>>>) {
      row += 1;
      if (row > limits.rows) throw new TableFault(`The file has more than ${limits.rows} rows.`);
      if (Object.values(cells).some((text) => text.includes('\u0000')))
        throw new TableFault('A cell holds the character U+0000.', row);
      batch.push({ row, cells });
      if (batch.length < rowsAtOnce) continue;
      yield batch;
      batch = [];
    }
  } catch (error) {
    throw error instanceof CsvError ? faultOf(error, row) : error;
  }
  if (batch.length > 0) yield batch;
}

async function* slicesOf(
  chunks: AsyncIterable<Uint8Array>,
  limits: TableLimits,
  separator: number,
): AsyncGenerator<Buffer> {
  const check = cellsWithin(limits, separator);
  for await (const chunk of chunks) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    for (let at = 0; at < bytes.length; at += sliceBytes) {
      const slice = bytes.subarray(at, at + sliceBytes);
      check(slice);
      yield slice;
      await othersTurn();
    }
  }
}

const [quote, comma, semicolon, tab, lineFeed, carriageReturn] = [0x22, 0x2c, 0x3b, 0x09, 0x0a, 0x0d];

/**
 * Finds the separator of a file: the one that its header has most often outside of quotes. The cells of other rows may hold
 * the other two: a file with semicolons writes `200,00`.
 */
async function findSeparator(
  chunks: AsyncIterable<Uint8Array>,
  { rowLength }: TableLimits,
): Promise<{ readonly separator: number; readonly all: AsyncIterable<Uint8Array> }> {
  const rest = chunks[Symbol.asyncIterator]();
  const read: Uint8Array[] = [];
  const counts = new Map([comma, semicolon, tab].map((byte) => [byte, 0]));
  let [length, isQuoted, isEmpty, isOver] = [0, false, true, false];
  while (!isOver && length < rowLength) {
    const next = await rest.next();
    if (next.done === true) break;
    read.push(next.value);
    length += next.value.length;
    // A longer header is refused by the parser.
    for (const byte of next.value.subarray(0, rowLength)) {
      if (byte === quote) isQuoted = !isQuoted;
      const isEnd = !isQuoted && (byte === lineFeed || byte === carriageReturn);
      isOver = isEnd && !isEmpty;
      if (isOver) break;
      isEmpty &&= isEnd;
      if (!isQuoted && counts.has(byte)) counts.set(byte, (counts.get(byte) ?? 0) + 1);
    }
  }
  const [[separator] = [comma]] = [...counts].toSorted(([, a], [, b]) => b - a);
  return { separator, all: joined(read, rest) };
}

async function* joined(
  read: readonly Uint8Array[],
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  try {
    yield* read;
    yield* { [Symbol.asyncIterator]: () => rest };
  } finally {
    await rest.return?.();
  }
}

/**
 * Counts the cells of each row before the parser gets them: it keeps a row in memory until its end, and limits its text
 * alone, so that a file of separators would take all memory. Up to the first fault of the file the quotes are as the
 * parser reads them.
 */
function cellsWithin({ columns }: TableLimits, separator: number): (bytes: Uint8Array) => void {
  let [rows, cells, isQuoted, isEmpty] = [0, 1, false, true];
  return (bytes) => {
    for (const byte of bytes) {
      if (byte === quote) isQuoted = !isQuoted;
      const isEnd = !isQuoted && (byte === lineFeed || byte === carriageReturn);
      if (isEnd) {
        if (!isEmpty) rows += 1;
        [cells, isEmpty] = [1, true];
        continue;
      }
      isEmpty = false;
      if (isQuoted || byte !== separator) continue;
      cells += 1;
      if (cells <= columns) continue;
      if (rows === 0) throw new TableFault(`The file has more than ${columns} columns.`);
      throw new TableFault('The row has another number of cells than the header.', rows);
    }
  };
}

function faultOf({ code, records }: CsvError & { readonly records?: unknown }, seen: number): TableFault {
  const row = typeof records === 'number' ? Math.max(records, seen) + 1 : seen + 1;
  const reasons: Partial<Record<string, string>> = {
    CSV_RECORD_INCONSISTENT_COLUMNS: 'The row has another number of cells than the header.',
    CSV_QUOTE_NOT_CLOSED: 'The file ends inside a quoted cell: it was cut off.',
    CSV_MAX_RECORD_SIZE: 'The row is too long.',
  };
  return new TableFault(reasons[code] ?? 'The row is no CSV: a quotation mark is at an invalid place.', row);
}
