import { storableJson, storableText } from '../core/storable.js';
import type { TenantClient } from '../core/tenant-client.js';

/** One multi-row INSERT; the first row names the columns. Absent values become NULL, objects and arrays JSON. */
export async function insertRows(
  client: TenantClient,
  table: string,
  rows: readonly Readonly<Record<string, unknown>>[],
): Promise<void> {
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

/** One UPDATE of one row by its id. */
export async function updateRow(
  client: TenantClient,
  table: string,
  id: string,
  row: Readonly<Record<string, unknown>>,
): Promise<void> {
  const columns = Object.keys(row);
  const values = columns.map((column) => columnValue(row[column]));
  const sets = columns.map((column, index) => `${column} = $${index + 2}`);
  await client.query(`UPDATE ${table} SET ${sets.join(', ')} WHERE id = $1`, [id, ...values]);
}

/** A value as `pg` should bind it: JSON as text, instants unchanged, amounts as digits. */
export function columnValue(value: unknown): unknown {
  if (value === undefined) return null;
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'string') return storableText(value);
  if (value === null || typeof value !== 'object' || value instanceof Date) return value;
  return storableJson(value);
}
