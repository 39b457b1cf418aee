import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { err, ok, type Result } from '@switchyard/values';
import type { DatabaseFailure } from './failure.js';
import type { Migration } from './read-migrations.js';

/** Prisma's documented advisory lock: its tools and ours never migrate at the same time. */
export const migrationLock = 72707369;

const ledger = `create table if not exists _prisma_migrations (
  id varchar(36) primary key not null,
  checksum varchar(64) not null,
  finished_at timestamptz,
  migration_name varchar(255) not null,
  logs text,
  rolled_back_at timestamptz,
  started_at timestamptz not null default now(),
  applied_steps_count integer not null default 0
)`;

interface LedgerRow {
  readonly migration_name: string;
  readonly checksum: string;
  readonly finished_at: Date | null;
}

/**
 * Brings a database up to date and says which migrations ran. The caller holds {@link migrationLock} on `client`.
 *
 * It keeps the ledger that `prisma migrate deploy` keeps, so either tool carries on where the other stopped. Each
 * migration and its ledger row commit together. A migration that was edited after it ran is refused: the database
 * would no longer be what the files say.
 */
export async function applyMigrations(
  client: pg.Client,
  migrations: readonly Migration[],
): Promise<Result<readonly string[], DatabaseFailure>> {
  await client.query(ledger);
  const pending = judge(migrations, await readLedger(client));
  if (!pending.ok) return pending;
  for (const migration of pending.value) {
    const failure = await applyOne(client, migration);
    if (failure !== undefined) return err(failure);
  }
  return ok(pending.value.map(({ name }) => name));
}

/** The migrations that a database still lacks, without changing it. */
export async function pendingMigrations(
  client: pg.Client,
  migrations: readonly Migration[],
): Promise<Result<readonly Migration[], DatabaseFailure>> {
  const known = await client.query(`select to_regclass('_prisma_migrations') is not null as known`);
  const kept = (known.rows as { known: boolean }[])[0]?.known === true;
  return judge(migrations, kept ? await readLedger(client) : []);
}

async function readLedger(client: pg.Client): Promise<readonly LedgerRow[]> {
  const { rows } = await client.query<LedgerRow>(
    `select migration_name, checksum, finished_at from _prisma_migrations
     where rolled_back_at is null order by started_at`,
  );
  return rows;
}

function judge(
  migrations: readonly Migration[],
  rows: readonly LedgerRow[],
): Result<readonly Migration[], DatabaseFailure> {
  for (const row of rows) {
    const name = row.migration_name;
    const migration = migrations.find((one) => one.name === name);
    if (row.finished_at === null)
      return err({
        code: 'failed_migration',
        message: `Migration ${name} failed half way. Repair it by hand, then mark it as rolled back in _prisma_migrations.`,
      });
    if (migration === undefined)
      return err({
        code: 'unknown_migration',
        message: `The database has migration ${name}, which this version does not know. Start the version that made it.`,
      });
    if (migration.checksum !== row.checksum)
      return err({
        code: 'edited_migration',
        message: `Migration ${name} was edited after it had been applied. Restore the file and write a new migration.`,
      });
  }
  const applied = new Set(rows.map((row) => row.migration_name));
  return ok(migrations.filter(({ name }) => !applied.has(name)));
}

async function applyOne(client: pg.Client, migration: Migration): Promise<DatabaseFailure | undefined> {
  try {
    await client.query('begin');
    // An owner who is no superuser sees no tenant's rows: a statement on them fails here and does not silently pass over
    // them. Bodies of functions are not run, so they are not held to this.
    await client.query('set local row_security = off; set local check_function_bodies = off');
    await client.query(migration.sql);
    await client.query(
      `insert into _prisma_migrations (id, checksum, migration_name, started_at, finished_at, applied_steps_count)
       values ($1, $2, $3, clock_timestamp(), clock_timestamp(), 1)`,
      [randomUUID(), migration.checksum, migration.name],
    );
    await client.query('commit');
    return undefined;
  } catch (error) {
    await client.query('rollback');
    return {
      code: 'failed_migration',
      message: `Migration ${migration.name} could not be applied and changed nothing: ${(error as Error).message}`,
    };
  }
}
