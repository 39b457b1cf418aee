/** The part of a connection that this needs. */
interface Queryable {
  query(text: string): Promise<{ readonly rows: readonly unknown[] }>;
}

/**
 * Resolves as soon as another connection waits for a lock of this one's transaction: then it has done its earlier
 * reads. Rejects after two minutes without one.
 */
export async function untilWaitedFor(client: Queryable): Promise<void> {
  for (const until = Date.now() + 120_000; Date.now() < until;) {
    const { rows } = await client.query(
      'select 1 from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))',
    );
    if (rows.length > 0) return;
  }
  throw new Error('Nobody waits for what this transaction holds.');
}
