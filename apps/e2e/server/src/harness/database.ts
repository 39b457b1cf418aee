import { createHash } from 'node:crypto';
import pg from 'pg';
import { ownerUrlOf } from './data-folder.js';

/** Reads the tables of an instance as their owner. */
export interface OwnerView {
  rows<T extends object>(sql: string, values?: readonly unknown[]): Promise<T[]>;
  /** How many rows each table has. */
  counts(tables: readonly string[]): Promise<Readonly<Record<string, number>>>;
  /** Every column that can hold text or bytes, as text, with its place. */
  texts(): Promise<readonly { readonly place: string; readonly text: string }[]>;
  close(): Promise<void>;
}

export async function ownerView(data: string): Promise<OwnerView> {
  let open: pg.Client | undefined;
  /** The server ends when the product is killed: whoever reads after the next start is connected anew. */
  const connected = async (): Promise<pg.Client> => {
    if (open !== undefined) return open;
    const client = new pg.Client({
      connectionString: ownerUrlOf(data),
      // Bytes are shown as they read, so that a text kept as bytes is found as well.
      options: '-c default_transaction_read_only=on -c bytea_output=escape',
    });
    client.on('error', () => (open = undefined));
    await client.connect();
    return (open = client);
  };
  await connected();
  const rows = async <T extends object>(sql: string, values: readonly unknown[] = []): Promise<T[]> =>
    (await (await connected()).query<T>({ name: nameOf(sql), text: sql, values: [...values] })).rows;
  const counts: OwnerView['counts'] = async (tables) => {
    const list = tables.map(
      (table) => `(select count(*)::int from ${pg.escapeIdentifier(table)}) as "${table}"`,
    );
    return (await rows<Record<string, number>>(`select ${list.join(', ')}`))[0] ?? {};
  };
  return { rows, counts, texts: () => textsOf(rows), close: async () => open?.end() };
}

/** Suites count the rows of all tables again and again: to plan that takes longer than to do it. */
const nameOf = (sql: string): string => createHash('sha256').update(sql).digest('hex').slice(0, 32);

async function textsOf(rows: OwnerView['rows']): Promise<{ place: string; text: string }[]> {
  const tables = await rows<{ schema: string; name: string }>(
    `select schemaname as schema, tablename as name from pg_tables
     where schemaname not in ('pg_catalog', 'information_schema')`,
  );
  const found: { place: string; text: string }[] = [];
  for (const { schema, name } of tables) {
    const table = `${pg.escapeIdentifier(schema)}.${pg.escapeIdentifier(name)}`;
    const all = await rows<{ text: string }>(`select t::text as text from ${table} t`);
    for (const { text } of all) found.push({ place: `${schema}.${name}`, text });
  }
  return found;
}
