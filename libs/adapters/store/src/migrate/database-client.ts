import pg from 'pg';
import { err, ok, type Result } from '@switchyard/values';
import type { DatabaseFailure } from './database-failure.js';

/**
 * Runs `use` on a connection of its own. A failed connection is a value; what `use` throws is a programming error and
 * is rethrown.
 */
export async function withClient<T>(
  url: string,
  use: (client: pg.Client) => Promise<T>,
): Promise<Result<T, DatabaseFailure>> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
  } catch (error) {
    await client.end().catch(() => undefined);
    const { hostname, port, pathname } = new URL(url);
    return err({
      code: 'unreachable',
      message: `No connection to the database ${pathname.slice(1)} at ${hostname}:${port === '' ? '5432' : port}: ${(error as Error).message}`,
    });
  }
  try {
    return ok(await use(client));
  } finally {
    await client.end().catch(() => undefined);
  }
}

export async function connectOnce(url: string): Promise<boolean> {
  return (await withClient(url, () => Promise.resolve())).ok;
}

/**
 * True if a pooler such as PgBouncer is between us and PostgreSQL: it answers a connection with a process id that is
 * not the server process's.
 */
export async function isPooled(client: pg.Client): Promise<boolean> {
  const { processID } = client as unknown as { readonly processID: number | null };
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]?.pid !== processID;
}
