import { createHash } from 'node:crypto';
import pg from 'pg';
import { ownerUrlOf } from './data-folder.js';
import { organizationAt } from './own-organizations.js';

/** Reads the tables of an instance as their owner; of a shared one, only the rows of the suite's organization. */
export interface OwnerView {
  rows<T extends object>(sql: string, values?: readonly unknown[]): Promise<T[]>;
  /** Returns the number of rows of each table. */
  counts(tables: readonly string[]): Promise<Readonly<Record<string, number>>>;
  /** Returns every row of every table as text, with its place, of a shared instance as well. */
  texts(): Promise<readonly { readonly place: string; readonly text: string }[]>;
  close(): Promise<void>;
}

export async function ownerView(data: string): Promise<OwnerView> {
  const own = organizationAt(data);
  // The server's role, which sees the rows of one organization.
  const limits = own === undefined ? '' : ` -c role=switchyard_app -c switchyard.organization_id=${own.id}`;
  const view = connection(data, limits);
  const whole = own === undefined ? view : connection(data);
  await view.connect();
  const { rows } = view;
  const counts: OwnerView['counts'] = async (tables) => {
    const list = tables.map(
      (table) => `(select count(*)::int from ${pg.escapeIdentifier(table)}) as "${table}"`,
    );
    return (await rows<Record<string, number>>(`select ${list.join(', ')}`))[0] ?? {};
  };
  const close = async (): Promise<void> => {
    await Promise.all([view.end(), whole.end()]);
  };
  return { rows, counts, texts: () => textsOf(whole.rows), close };
}

interface Connection extends Pick<OwnerView, 'rows'> {
  connect(): Promise<pg.Client>;
  end(): Promise<void>;
}

function connection(data: string, more = ''): Connection {
  let open: pg.Client | undefined;
  /** The database ends when the product is killed: a read after the next start connects again. */
  const connect = async (): Promise<pg.Client> => {
    if (open !== undefined) return open;
    const client = new pg.Client({
      connectionString: ownerUrlOf(data),
      // Bytes are shown as text, so that a text stored as bytes is found too.
      options: `-c default_transaction_read_only=on -c bytea_output=escape${more}`,
    });
    client.on('error', () => (open = undefined));
    await client.connect();
    return (open = client);
  };
  return {
    connect,
    rows: async <T extends object>(sql: string, values: readonly unknown[] = []): Promise<T[]> =>
      (await (await connect()).query<T>({ name: nameOf(sql), text: sql, values: [...values] })).rows,
    end: async () => {
      const ended = open;
      open = undefined;
      await ended?.end();
    },
  };
}

/** Suites count the rows of all tables repeatedly, and planning takes longer than running: so statements are named. */
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
