import pg from 'pg';
import type { StreamHead } from '@switchyard/journal';
import { daysOfPeriod, isPeriod, type LedgerArchive, type LedgerPage } from '@switchyard/ledger';
import { err, isoOf, ok, type Instant, type JsonObject, type Result } from '@switchyard/values';
import type { TenantClient } from '../core/tenant-client.js';
import { messagesOf, type StoredMessage } from '../events/walk-messages.js';
import { readSnapshot } from '../ledger/read-snapshot.js';
import { openFrom } from '../ledger/open-from.js';
import { pagesOf } from '../ledger/read-pages.js';
import {
  hashedStream,
  headColumns,
  headOf,
  headValues,
  ledgerStream,
  readHead,
} from '../ledger/stream-head.js';
import { readArchive } from '../ledger/read-archive.js';
import { MessagesDiffer, messagesBefore, moveMessages, type MessagesBefore } from './archive-messages.js';

/** One organization's stretch of blocks, to be written to files. */
export interface ArchiveStretch {
  readonly organizationId: string;
  /** The archive before it; absent for the first one. */
  readonly previous?: LedgerArchive;
  /** The last block of the stretch. */
  readonly head: StreamHead;
  pages(): AsyncIterable<LedgerPage>;
  /** Messages of sellers that were received in these months and are settled. */
  messages(): AsyncIterable<StoredMessage>;
}

/** A stretch that was written, and verified as it was read back. */
interface WrittenStretch {
  readonly files: JsonObject;
  /** Number of rows in the files, by table. */
  readonly rows: Readonly<Record<Table, number>>;
  /** Number of messages in the files. */
  readonly messages: number;
  /** Sums of all archived entries. */
  readonly sums: JsonObject;
  /** Months of the days that its entries post to, `YYYY-MM`. */
  readonly months: ReadonlySet<string>;
}

/** Why nothing was archived. */
export interface ArchiveRefusal {
  readonly code: 'nothing_to_archive' | 'invalid_month' | 'period_open' | 'not_intact' | 'busy';
  readonly message: string;
}

interface ArchivedStretch {
  readonly organizationId: string;
  readonly before: string;
  readonly head: StreamHead;
  readonly files: JsonObject;
}

export interface ArchiveJob {
  /** The first month that stays, `YYYY-MM`. */
  readonly before: string;
  readonly now: Instant;
  readonly write: (stretch: ArchiveStretch) => Promise<Result<WrittenStretch, ArchiveRefusal>>;
  /** Called with the number of organizations whose files are written, and of all. */
  readonly onWritten?: (done: number, total: number) => Promise<unknown>;
}

/** In the order in which a booking uses them, so that an archive waits for it and neither blocks the other for good. */
const tables = ['report_version', 'ledger_entry', 'ledger_posting'] as const;
type Table = (typeof tables)[number];
/** Any number that no other code of this product locks. */
const archiveLock = 72_707_371;
/** Longest wait for readers of all partitions, in milliseconds. */
const lockMs = 30_000;
/** Interval in milliseconds at which the server checks the connection of this process; without it, it releases the locks. */
const goneMs = 1_000;

interface Plan {
  /** Partitions that lie before the month, by table. */
  readonly partitions: Readonly<Record<Table, readonly string[]>>;
  readonly firstId: string;
  readonly messages: MessagesBefore;
}

/**
 * Moves the partitions of the ledger before a month to files: writes and verifies the files of each organization, and
 * then drops the partitions of all in one transaction. A crash before its end changes nothing. Runs as the owner of the
 * tables (docs/ledger.md#archive).
 */
export async function archiveMonths(
  ownerUrl: string,
  job: ArchiveJob,
): Promise<Result<readonly ArchivedStretch[], ArchiveRefusal>> {
  const pool = new pg.Pool({ connectionString: ownerUrl, max: 2, application_name: 'switchyard archive' });
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  try {
    const client = await pool.connect();
    try {
      const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [
        archiveLock,
      ]);
      if (rows[0]?.taken !== true)
        return err({ code: 'busy', message: 'Another process is archiving this database.' });
      const plan = await planOf(client, job);
      if (!plan.ok) return plan;
      const written: (ArchivedStretch & WrittenStretch)[] = [];
      let done = 0;
      const organizations = await client.query<{ id: string }>('select id from organization_ids()');
      for (const { id: organizationId } of organizations.rows) {
        const archived = await readSnapshot({ pool }, { organizationId }, (snapshot) =>
          writeStretch(snapshot, plan.value, job),
        );
        if (!archived.ok) return archived;
        if (archived.value !== undefined) written.push(archived.value);
        done += 1;
        await job.onWritten?.(done, organizations.rows.length);
      }
      return await moveOut(client, plan.value, written, job);
    } finally {
      // Ends the session, and with it the lock.
      client.release(true);
    }
  } finally {
    await pool.end();
  }
}

async function planOf(
  client: pg.PoolClient,
  { before, now }: ArchiveJob,
): Promise<Result<Plan, ArchiveRefusal>> {
  if (!isPeriod(before)) return err({ code: 'invalid_month', message: 'A month is written as YYYY-MM.' });
  if (before > isoOf(now).slice(0, 7))
    return err({ code: 'invalid_month', message: `${before} has not begun: only past months are archived.` });
  const { rows } = await client.query<{
    parent: Table;
    name: string;
    first_id: string;
    is_before: boolean;
    until: string | null;
  }>(
    `select p.relname as parent, c.relname as name, f.id as first_id, b.until <= f.id as is_before,
       to_char(to_timestamp(('x' || left(replace(b.until::text, '-', ''), 12))::bit(48)::bigint / 1000.0) at time zone 'UTC', 'YYYY-MM') as until
     from by_month.first_id(($1 || '-01')::timestamp at time zone 'UTC') f(id)
     cross join pg_inherits i join pg_class c on c.oid = i.inhrelid join pg_class p on p.oid = i.inhparent
     cross join lateral (select substring(pg_get_expr(c.relpartbound, c.oid) from $e$TO \\('([0-9a-f-]+)'$e$)::uuid) b(until)
     where c.relnamespace = 'by_month'::regnamespace and c.relkind = 'r' and p.relname = any($2) and b.until is not null
       and (b.until <= f.id or pg_get_expr(c.relpartbound, c.oid) like '%MINVALUE%')
     order by c.relname`,
    [before, tables],
  );
  const [first] = rows.filter(({ is_before }) => !is_before);
  if (first !== undefined)
    return err({
      code: 'nothing_to_archive',
      message: `The first partition has all months before ${first.until ?? ''} and is archived as a whole: with --before ${first.until ?? ''} or a later month.`,
    });
  const [any] = rows;
  if (any === undefined)
    return err({ code: 'nothing_to_archive', message: `There is no partition of a month before ${before}.` });
  const of = (table: string) => rows.filter(({ parent }) => parent === table).map(({ name }) => name);
  return ok({
    firstId: any.first_id,
    messages: await messagesBefore(client, before),
    partitions: {
      ledger_entry: of('ledger_entry'),
      ledger_posting: of('ledger_posting'),
      report_version: of('report_version'),
    },
  });
}

/** Writes the files of one organization; undefined if it has no blocks to archive. */
async function writeStretch(
  client: TenantClient,
  { firstId, messages }: Plan,
  { before, write }: ArchiveJob,
): Promise<Result<(ArchivedStretch & WrittenStretch) | undefined, ArchiveRefusal>> {
  const { organizationId } = client;
  const previous = await readArchive(client);
  const head = await endOf(client, firstId, previous);
  const after = previous?.head.number ?? 0n;
  if (head.number <= after) return ok(undefined);
  const written = await write({
    organizationId,
    head,
    ...(previous === undefined ? {} : { previous }),
    pages: () => until(pagesOf(client, after), head.number),
    messages: () => settledMessages(client, messages),
  });
  if (!written.ok) return written;
  const newest = [...written.value.months].sort().at(-1);
  const open = await openFrom(client);
  if (newest !== undefined && (open === undefined || daysOfPeriod(newest).from >= open))
    return err({
      code: 'period_open',
      message: `The organization ${organizationId} has entries before ${before} that post to ${newest}, and this period is not closed. Close it first.`,
    });
  return ok({ ...written.value, organizationId, before, head });
}

async function* settledMessages(
  client: TenantClient,
  { until: end }: MessagesBefore,
): AsyncGenerator<StoredMessage> {
  if (end !== undefined) yield* messagesOf(client, { until: end, isSettled: true });
}

async function* until(pages: AsyncIterable<LedgerPage>, last: bigint): AsyncGenerator<LedgerPage> {
  for await (const page of pages) {
    if (page.block.number > last) return;
    yield page;
  }
}

/**
 * The last block before the first one with an entry of the months that stay. Processes with different clocks may write
 * blocks of two months alternately: those after it stay, whatever their month.
 */
async function endOf(
  client: TenantClient,
  firstId: string,
  previous: LedgerArchive | undefined,
): Promise<StreamHead> {
  const found = await client.query<{ number: string }>(
    `select block_number as number from ledger_entry
     where organization_id = $1 and stream = $2 and id >= $3 order by block_number limit 1`,
    [client.organizationId, ledgerStream, firstId],
  );
  const head = await readHead(client);
  const number = found.rows[0] === undefined ? head.number : BigInt(found.rows[0].number) - 1n;
  const { rows } = await client.query<{ number: string; hash: string; sealed_at: Date; entries: string }>(
    `select b.number, b.hash, b.sealed_at, (select coalesce(sum(s.entry_count), 0) from journal_block s
       where s.organization_id = $1 and s.stream = $2 and s.number > $4 and s.number <= $3)::text as entries
     from journal_block b where b.organization_id = $1 and b.stream = $2 and b.number = $3`,
    [client.organizationId, ledgerStream, number.toString(), (previous?.head.number ?? 0n).toString()],
  );
  const [row] = rows;
  if (row === undefined) return { ...head, number: 0n };
  const entryTotal = (previous?.head.entryTotal ?? 0n) + BigInt(row.entries);
  return headOf(hashedStream(client.organizationId), { ...row, entry_total: entryTotal.toString() });
}

/** Drops the partitions. What is not in a file stays, in the partitions of the rest, with the versions that count. */
async function moveOut(
  client: pg.PoolClient,
  { partitions, firstId, messages }: Plan,
  written: readonly (ArchivedStretch & WrittenStretch)[],
  { now }: ArchiveJob,
): Promise<Result<readonly ArchivedStretch[], ArchiveRefusal>> {
  const columns = await columnsOf(client);
  await client.query('begin');
  try {
    await client.query(
      `select set_config('lock_timeout', $1, true), set_config('statement_timeout', '0', true),
         set_config('client_connection_check_interval', $2, true)`,
      [`${lockMs}ms`, `${goneMs}ms`],
    );
    for (const table of tables) await client.query(`lock table public.${table} in access exclusive mode`);
    await client.query('lock table public.inbox_event in access exclusive mode');
    await client.query(
      'create temporary table archived (organization_id uuid primary key, number bigint) on commit drop',
    );
    await client.query('insert into archived select * from unnest($1::uuid[], $2::bigint[])', [
      written.map(({ organizationId }) => organizationId),
      written.map(({ head }) => head.number.toString()),
    ]);
    for (const table of tables) {
      for (const name of partitions[table]) {
        await client.query(
          `alter table public.${table} detach partition by_month.${pg.escapeIdentifier(name)}`,
        );
        await client.query(`alter table by_month.${pg.escapeIdentifier(name)} no force row level security`);
      }
      await client.query(`alter table by_month.${table}_rest no force row level security`);
    }
    const before = await rowsOfRest(client);
    await clearRest(client, firstId);
    const of = (table: Table) =>
      partitions[table]
        .map((name) => `select ${columns[table]} from by_month.${pg.escapeIdentifier(name)}`)
        .join(' union all ');
    await client.query(
      `insert into by_month.ledger_entry_rest (${columns.ledger_entry})
       select e.* from (${of('ledger_entry')}) e left join archived a on a.organization_id = e.organization_id
       where e.block_number > coalesce(a.number, 0)`,
    );
    await client.query(
      `insert into by_month.ledger_posting_rest (${columns.ledger_posting})
       select p.* from (${of('ledger_posting')}) p where p.entry_id in (select id from by_month.ledger_entry_rest)`,
    );
    await client.query(
      `insert into by_month.report_version_rest (${columns.report_version}, is_archived)
       select ${columns.report_version}, not is_of_rest from (
         select v.*, coalesce(v.entry_id in (select id from by_month.ledger_entry_rest), false) as is_of_rest
         from (${of('report_version')}) v) v
       where is_current or is_of_rest`,
    );
    const after = await rowsOfRest(client);
    for (const table of tables) {
      const { rows } = await client.query<{ count: string }>(`select count(*) from (${of(table)}) moved`);
      // A version that stays is in a file too.
      const gone = Number(rows[0]?.count ?? 0) + before[table] - after[table];
      const found = table === 'report_version' ? gone + after.kept - before.kept : gone;
      const named = written.reduce((sum, stretch) => sum + stretch.rows[table], 0);
      if (found !== named) throw new RowsOfNoEntry(table, found, named);
    }
    for (const table of tables) {
      await client.query(`alter table by_month.${table}_rest force row level security`);
      for (const name of partitions[table])
        await client.query(`drop table by_month.${pg.escapeIdentifier(name)}`);
    }
    const inFiles = written.reduce((sum, stretch) => sum + stretch.messages, 0);
    await moveMessages(client, messages, inFiles);
    for (const stretch of written) await insertArchive(client, stretch, now);
    await client.query('commit');
    return ok(
      written.map(({ organizationId, before, head, files }) => ({ organizationId, before, head, files })),
    );
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    if (error instanceof RowsOfNoEntry) return err({ code: 'not_intact', message: error.message });
    if (error instanceof MessagesDiffer) return err({ code: 'busy', message: error.message });
    // lock_not_available, deadlock_detected
    if (!['55P03', '40P01'].includes((error as { code?: string }).code ?? '')) throw error;
    return err({
      code: 'busy',
      message: `The tables of the ledger were in use for ${lockMs / 1000} seconds. Nothing was archived: try again when less is going on.`,
    });
  }
}

/** Rows that no entry of the chain names are in no file: they would be lost. */
class RowsOfNoEntry extends Error {
  constructor(table: Table, found: number, named: number) {
    super(
      `${table} has ${found} rows of these months, and the entries of the chain name ${named}. Nothing was archived: switchyard ledger verify --from-start names the difference.`,
    );
  }
}

/** Number of rows in the partitions of the rest, and of versions there that an archive has kept. */
async function rowsOfRest(client: pg.PoolClient): Promise<Readonly<Record<Table | 'kept', number>>> {
  const { rows } = await client.query<Record<Table | 'kept', number>>(
    `select (select count(*)::float8 from by_month.report_version_rest) as report_version,
       (select count(*)::float8 from by_month.report_version_rest where is_archived) as kept,
       (select count(*)::float8 from by_month.ledger_entry_rest) as ledger_entry,
       (select count(*)::float8 from by_month.ledger_posting_rest) as ledger_posting`,
  );
  return rows[0] ?? { report_version: 0, kept: 0, ledger_entry: 0, ledger_posting: 0 };
}

/** Rows of archived blocks that an earlier archive, or a missing month, left in the partitions of the rest. */
async function clearRest(client: pg.PoolClient, firstId: string): Promise<void> {
  await client.query(
    `create temporary table gone on commit drop as
     select e.id from by_month.ledger_entry_rest e join archived a on a.organization_id = e.organization_id
     where e.block_number <= a.number and e.id < $1`,
    [firstId],
  );
  await client.query('delete from by_month.ledger_entry_rest where id in (select id from gone)');
  await client.query('delete from by_month.ledger_posting_rest where entry_id in (select id from gone)');
  await client.query(
    'delete from by_month.report_version_rest where entry_id in (select id from gone) and not is_current',
  );
  await client.query(
    'update by_month.report_version_rest set is_archived = true where entry_id in (select id from gone)',
  );
}

async function insertArchive(
  client: pg.PoolClient,
  { organizationId, before, head, sums, files }: ArchivedStretch & WrittenStretch,
  now: Instant,
): Promise<void> {
  await client.query(`select set_config('switchyard.organization_id', $1, true)`, [organizationId]);
  await client.query(
    `insert into ledger_archive (organization_id, before, ${headColumns}, sums, files, archived_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [organizationId, before, ...headValues(head), JSON.stringify(sums), JSON.stringify(files), isoOf(now)],
  );
}

/** The columns of each table, without `is_archived`. Partitions may have them in another order. */
async function columnsOf(client: pg.PoolClient): Promise<Readonly<Record<Table, string>>> {
  const { rows } = await client.query<{ name: string; columns: string }>(
    `select c.relname as name, string_agg(quote_ident(a.attname), ', ' order by a.attnum) as columns
     from pg_class c join pg_attribute a on a.attrelid = c.oid
     where c.relnamespace = 'public'::regnamespace and c.relname = any($1)
       and a.attnum > 0 and not a.attisdropped and a.attname <> 'is_archived'
     group by c.relname`,
    [tables],
  );
  const of = (table: string) => rows.find(({ name }) => name === table)?.columns ?? '';
  return {
    ledger_entry: of('ledger_entry'),
    ledger_posting: of('ledger_posting'),
    report_version: of('report_version'),
  };
}
