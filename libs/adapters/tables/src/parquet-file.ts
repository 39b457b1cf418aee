import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import { fileWriter, ParquetWriter, schemaFromColumnData, type BasicType } from 'hyparquet-writer';
import { TableFault } from './table-row.js';

/** `time` is UTC in milliseconds, `integer` has 64 bits. */
export type ParquetType = 'text' | 'integer' | 'boolean' | 'time';
type ParquetValue = string | bigint | boolean | Date | null;
export type ParquetRow = Readonly<Record<string, ParquetValue>>;
export type ParquetColumns = Readonly<Record<string, ParquetType>>;

const types: Readonly<Record<ParquetType, BasicType>> = {
  text: 'STRING',
  integer: 'INT64',
  boolean: 'BOOLEAN',
  time: 'TIMESTAMP',
};

/** A row group has at most this many rows and about this many characters: one group is in memory. */
const rowsOfGroup = 20_000;
const charactersOfGroup = 16_000_000;

/** A written file. */
export interface WrittenFile {
  readonly rows: number;
  /** SHA-256 of the bytes, in lower-case hex. */
  readonly sha256: string;
}

/** Writes rows to a new Parquet file, one row group at a time. Throws the error of the file system. */
export class ParquetFile {
  readonly #path: string;
  readonly #columns: ParquetColumns;
  readonly #writer: ParquetWriter;
  #group: ParquetRow[] = [];
  #characters = 0;
  #rows = 0;

  constructor(path: string, columns: ParquetColumns) {
    this.#path = path;
    this.#columns = columns;
    const schema = schemaFromColumnData({ columnData: this.#columnData([]) });
    this.#writer = new ParquetWriter({ writer: fileWriter(path), schema });
  }

  async write(rows: readonly ParquetRow[]): Promise<void> {
    for (const row of rows) {
      this.#group.push(row);
      for (const value of Object.values(row)) if (typeof value === 'string') this.#characters += value.length;
      if (this.#group.length >= rowsOfGroup || this.#characters >= charactersOfGroup) await this.#flush();
    }
  }

  /** Ends the file. Its bytes are on disk when this resolves. */
  async finish(): Promise<WrittenFile> {
    await this.#flush();
    await this.#writer.finish();
    const file = await open(this.#path, 'r');
    await file.sync();
    await file.close();
    return { rows: this.#rows, sha256: await fileHash(this.#path) };
  }

  async #flush(): Promise<void> {
    const rows = this.#group;
    if (rows.length === 0) return;
    this.#group = [];
    this.#characters = 0;
    this.#rows += rows.length;
    await this.#writer.write({ columnData: this.#columnData(rows), rowGroupSize: rows.length });
  }

  #columnData(rows: readonly ParquetRow[]) {
    return Object.entries(this.#columns).map(([name, type]) => ({
      name,
      type: types[type],
      data: rows.map((row) => row[name] ?? null),
    }));
  }
}

/** SHA-256 of a file's bytes, in lower-case hex. */
export async function fileHash(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

/**
 * The rows of a Parquet file, one row group at a time. Throws a `TableFault` if the file is not Parquet, is damaged, or
 * has a value of another type than its column.
 */
export async function* parquetRows(
  path: string,
  columns: ParquetColumns,
): AsyncGenerator<readonly ParquetRow[]> {
  try {
    const file = await asyncBufferFromFile(path);
    const metadata = await parquetMetadataAsync(file);
    let rowStart = 0;
    for (const { num_rows: count } of metadata.row_groups) {
      const rowEnd = rowStart + Number(count);
      const rows = await parquetReadObjects({
        file,
        metadata,
        columns: Object.keys(columns),
        rowStart,
        rowEnd,
      });
      for (const row of rows) checkRow(row, columns);
      yield rows;
      rowStart = rowEnd;
    }
  } catch (error) {
    if (error instanceof TableFault) throw error;
    throw new TableFault(`${path} cannot be read as Parquet: ${(error as Error).message}`);
  }
}

const isOfType: Readonly<Record<ParquetType, (value: unknown) => boolean>> = {
  text: (value) => typeof value === 'string',
  integer: (value) => typeof value === 'bigint',
  boolean: (value) => typeof value === 'boolean',
  time: (value) => value instanceof Date,
};

function checkRow(row: Record<string, unknown>, columns: ParquetColumns): asserts row is ParquetRow {
  for (const [name, type] of Object.entries(columns)) {
    const value = row[name] ?? null;
    if (value !== null && !isOfType[type](value)) throw new TableFault(`The column ${name} is not ${type}.`);
  }
}
