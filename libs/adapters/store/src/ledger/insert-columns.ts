import type { TenantClient } from '../core/tenant-client.js';

/** What a column takes, by PostgreSQL's name of its type. Amounts as digits, instants as RFC 3339. */
export type ColumnType = 'uuid' | 'text' | 'int' | 'bigint' | 'boolean' | 'timestamptz';
export type Cell = string | number | boolean | null;

/**
 * Many rows in one statement with one parameter per column: the statement's text is the same for any number of rows,
 * so its plan is kept, and there is no limit of parameters to run into. `organization_id` is added from the scope.
 */
export async function insertColumns<Column extends string>(
  client: TenantClient,
  table: string,
  types: Readonly<Record<Column, ColumnType>>,
  rows: readonly Readonly<Record<Column, Cell>>[],
): Promise<void> {
  if (rows.length === 0) return;
  const columns = Object.keys(types) as Column[];
  const places = columns.map((column, index) => `$${index + 2}::${types[column]}[]`);
  await client.query({
    name: `insert_${table}`,
    text:
      `insert into ${table} (organization_id, ${columns.join(', ')}) ` +
      `select $1::uuid, * from unnest(${places.join(', ')})`,
    values: [client.organizationId, ...columns.map((column) => arrayText(rows, column))],
  });
}

/** Text that means itself in an array. */
const plain = /^[\w.:+-]+$/;

/** One column as PostgreSQL writes an array: for a large batch this is what the driver spends most of its time on. */
function arrayText<Column extends string>(
  rows: readonly Readonly<Record<Column, Cell>>[],
  column: Column,
): string {
  let text = '{';
  for (const row of rows) text += text === '{' ? element(row[column]) : `,${element(row[column])}`;
  return `${text}}`;
}

function element(cell: Cell): string {
  if (cell === null) return 'NULL';
  const text = String(cell);
  if (plain.test(text) && text.toUpperCase() !== 'NULL') return text;
  return `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}
