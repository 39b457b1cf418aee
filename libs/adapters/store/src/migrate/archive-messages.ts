import pg from 'pg';
import type { Instant } from '@switchyard/values';

/** Partitions of messages that lie before the month of an archive. */
export interface MessagesBefore {
  readonly partitions: readonly string[];
  /** Their end. Absent if there are none. */
  readonly until?: Instant;
}

/** Some messages are in no file: dropping their partitions would delete them. */
export class MessagesDiffer extends Error {}

export async function messagesBefore(client: pg.PoolClient, before: string): Promise<MessagesBefore> {
  await client.query(`set timezone = 'UTC'`);
  const { rows } = await client.query<{ name: string; until: Date }>(
    `select c.relname as name, b.until
     from pg_inherits i join pg_class c on c.oid = i.inhrelid
     cross join lateral (select substring(pg_get_expr(c.relpartbound, c.oid) from $e$TO \\('([^']+)'$e$)::timestamptz) b(until)
     where i.inhparent = 'public.inbox_event'::regclass and b.until <= ($1 || '-01')::timestamptz
     order by b.until`,
    [before],
  );
  const last = rows.at(-1);
  return {
    partitions: rows.map(({ name }) => name),
    ...(last && { until: last.until.getTime() }),
  };
}

/**
 * Drops the partitions, in the transaction of the archive. What waits for somebody, holds a secret, or is of an
 * organization without an archive stays, in the partition of the rest. `named` is the number of messages in files;
 * the table `archived` has the organizations.
 */
export async function moveMessages(
  client: pg.PoolClient,
  { partitions, until }: MessagesBefore,
  named: number,
): Promise<void> {
  if (until === undefined) return;
  const names = partitions.map((name) => `by_month.${pg.escapeIdentifier(name)}`);
  for (const name of names) {
    await client.query(`alter table public.inbox_event detach partition ${name}`);
    await client.query(`alter table ${name} no force row level security`);
  }
  await client.query('alter table by_month.inbox_event_rest no force row level security');
  const isInFile = `state in ('applied', 'stale', 'refused') and sealed_id is null
    and organization_id in (select organization_id from archived)`;
  const dropped = await client.query(
    `delete from by_month.inbox_event_rest where ${isInFile} and received_at < $1`,
    [new Date(until)],
  );
  let found = dropped.rowCount ?? 0;
  for (const name of names) {
    const { rows } = await client.query<{ count: number }>(
      `select count(*)::float8 as count from ${name} where ${isInFile}`,
    );
    found += rows[0]?.count ?? 0;
    await client.query(`insert into by_month.inbox_event_rest select * from ${name} where not (${isInFile})`);
    await client.query(`drop table ${name}`);
  }
  if (found !== named)
    throw new MessagesDiffer(
      `There are ${found} messages of these months to archive, and ${named} are in the files: some changed meanwhile. Nothing was archived: try again.`,
    );
  await client.query('alter table by_month.inbox_event_rest force row level security');
}
