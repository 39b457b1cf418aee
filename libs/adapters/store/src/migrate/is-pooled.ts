import type pg from 'pg';

/**
 * True where something like PgBouncer stands between us and PostgreSQL: it answers a connection with a process id of its
 * own, which is not the one of the server process behind it.
 */
export async function isPooled(client: pg.Client): Promise<boolean> {
  const { processID } = client as unknown as { readonly processID: number | null };
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]?.pid !== processID;
}
