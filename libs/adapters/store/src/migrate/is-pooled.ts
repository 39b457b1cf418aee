import type pg from 'pg';

/**
 * True if a pooler such as PgBouncer is between us and PostgreSQL: it answers a connection with a process id that is
 * not the server process's.
 */
export async function isPooled(client: pg.Client): Promise<boolean> {
  const { processID } = client as unknown as { readonly processID: number | null };
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]?.pid !== processID;
}
