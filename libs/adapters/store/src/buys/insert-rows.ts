import type { QueryResultRow } from 'pg';
import { storableJson, storableText } from '../core/storable.js';
import type { Row } from '../core/row-mapper.js';
import type { TenantClient } from '../core/tenant-client.js';

/** One multi-row INSERT; the first row names the columns. Absent values become NULL, objects and arrays JSON. */
export async function insertRows(client: TenantClient, table: string, rows: readonly Row[]): Promise<void> {
  const [first] = rows;
  if (first === undefined) return;
  const columns = Object.keys(first);
  const values: unknown[] = [];
  const tuples = rows.map((row) => {
    const places = columns.map((column) => `$${values.push(columnValue(row[column]))}`);
    return `(${places.join(', ')})`;
  });
  await client.query(`INSERT INTO ${table} (${columns.join(', ')}) VALUES ${tuples.join(', ')}`, values);
}

/** Adds a value to a statement, and returns its placeholder. */
type Place = (value: unknown) => string;

/** Limit of parameters of one statement: the protocol counts them in 16 bits. */
const mostParameters = 65_535;

/**
 * Writes that none of the others reads, gathered and sent as one statement. A statement costs more than its rows, here and in
 * the database. What exceeds the parameters of one statement goes into further ones.
 */
export class Writes {
  readonly #parts: { readonly text: (place: Place) => string; readonly values: number }[] = [];

  /** A statement with that number of values. */
  add(values: number, text: (place: Place) => string): void {
    this.#parts.push({ text, values });
  }

  /** New rows; the first one names the columns. Their number does not change the text. */
  insert(table: string, rows: readonly Row[]): void {
    if (rows.length > 0) this.add(1, (place) => insertOf(table, rows, '', place));
  }

  /** One row by its id. */
  update(table: string, id: string, row: Row): void {
    const columns = Object.keys(row);
    this.add(columns.length + 1, (place) => {
      const sets = columns.map((column) => `${column} = ${place(columnValue(row[column]))}`);
      return `UPDATE ${table} SET ${sets.join(', ')} WHERE id = ${place(id)}`;
    });
  }

  /** Sends all of it; `question` is a SELECT that sees nothing of it, and whose rows are returned. */
  async send<R extends QueryResultRow>(
    client: TenantClient,
    question?: { readonly values: number; readonly text: (place: Place) => string },
  ): Promise<readonly R[]> {
    const parts = this.#parts.splice(0);
    if (question !== undefined) parts.push(question);
    let rows: readonly R[] = [];
    while (parts.length > 0) {
      const values: unknown[] = [];
      const texts: string[] = [];
      while (parts[0] !== undefined && values.length + parts[0].values <= mostParameters)
        texts.push(parts.shift()?.text((value) => `$${values.push(value)}`) ?? '');
      ({ rows } = await client.query<R>(allOf(texts), values));
    }
    return rows;
  }
}

/** One statement of several, which are named `w0`, `w1` and so on; its result is that of the last. */
export function allOf(texts: readonly string[]): string {
  const last = texts.at(-1) ?? '';
  if (texts.length < 2) return last;
  return `WITH ${texts
    .slice(0, -1)
    .map((text, at) => `w${at} AS (${text})`)
    .join(', ')} ${last}`;
}

/**
 * An INSERT of any number of rows with one parameter, which is JSON; `from` is what else the rows are selected from, with a
 * comma. The first row names the columns. Not for columns of bytes (`bytea`), which JSON does not have.
 */
export function insertOf(table: string, rows: readonly Row[], from: string, place: Place): string {
  const columns = Object.keys(rows[0] ?? {});
  const json = storableJson(rows.map((row) => jsonRow(row, columns)));
  const named = columns.map((column) => `n.${column}`).join(', ');
  return `INSERT INTO ${table} (${columns.join(', ')})
    SELECT ${named} FROM ${from}json_populate_recordset(null::${table}, ${place(json)}) n`;
}

/** Amounts are digits. An absent value is no member, which is NULL. */
function jsonRow(row: Row, columns: readonly string[]): Row {
  const written: Record<string, unknown> = {};
  for (const column of columns) {
    const value = row[column];
    if (value !== undefined && value !== null)
      written[column] = typeof value === 'bigint' ? value.toString() : value;
  }
  return written;
}

/** A value as `pg` should bind it: JSON as text, instants unchanged, amounts as digits. */
export function columnValue(value: unknown): unknown {
  if (value === undefined) return null;
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'string') return storableText(value);
  if (value === null || typeof value !== 'object' || value instanceof Date) return value;
  return storableJson(value);
}
