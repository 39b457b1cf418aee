import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { err, ok, type Result } from '@switchyard/values';
import type { DatabaseFailure } from './database-failure.js';
import { judgeMigrations } from './judge-migrations.js';
import type { Migration } from './read-migrations.js';

/** Prisma's documented advisory lock, so that its tools and ours never migrate at the same time. */
export const migrationLock = 72707369;

/** Prisma's own migration table, and one column of ours that its tools ignore. */
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
const ledgerColumn = `do $$ begin
  if not exists (select from pg_attribute
                 where attrelid = '_prisma_migrations'::regclass and attname = 'runs_with' and not attisdropped)
  then alter table _prisma_migrations add column runs_with varchar(255);
  end if;
end $$`;

interface ApplyOptions {
  /**
   * Longest wait of a statement for a lock, in milliseconds. Default: 5,000. A waiting change of a table blocks every
   * later statement on it, so it gives up and tries again.
   */
  readonly lockTimeoutMs?: number;
  /** Attempts of a migration that does not get its locks. Default: 10. */
  readonly tries?: number;
}

/**
 * Brings a database up to date and returns which migrations ran. The caller holds {@link migrationLock} on `client`.
 *
 * It writes the same table as `prisma migrate deploy`, so each tool continues where the other stopped. Each migration
 * and its row commit together, except those that run outside a transaction. A migration that was edited after it ran is
 * refused: the database would no longer match the files.
 */
export async function applyMigrations(
  client: pg.Client,
  migrations: readonly Migration[],
  options: ApplyOptions = {},
): Promise<Result<readonly string[], DatabaseFailure>> {
  await client.query(ledger);
  await client.query(ledgerColumn);
  const judged = await judgeMigrations(client, migrations);
  if (!judged.ok) return judged;
  const { pending, replacing } = judged.value;
  for (const migration of replacing) await record(client, migration);
  for (const migration of pending) {
    const failure = migration.isConcurrent
      ? await applyConcurrently(client, migration)
      : await applyWithTries(client, migration, options);
    if (failure !== undefined) return err(failure);
  }
  return ok(pending.map(({ name }) => name));
}

async function applyWithTries(
  client: pg.Client,
  migration: Migration,
  { lockTimeoutMs = 5_000, tries = 10 }: ApplyOptions,
): Promise<DatabaseFailure | undefined> {
  for (let left = tries; ; left -= 1) {
    try {
      await applyOnce(client, migration, lockTimeoutMs);
      return undefined;
    } catch (error) {
      await client.query('rollback');
      if (!isLockTimeout(error)) return changedNothing(migration, (error as Error).message);
      if (left <= 1)
        return changedNothing(
          migration,
          `it did not get its locks within ${lockTimeoutMs} ms, ${tries} times. End what holds them (pg_locks), and start it again`,
        );
      await pause(lockTimeoutMs / 5);
    }
  }
}

async function applyOnce(client: pg.Client, migration: Migration, lockTimeoutMs: number): Promise<void> {
  await client.query('begin');
  // An owner that is no superuser sees no tenant's rows: a statement on them fails here instead of skipping them
  // silently. Bodies of functions are not run, so this does not apply to them.
  await client.query(
    `set local row_security = off; set local check_function_bodies = off; set local lock_timeout = ${lockTimeoutMs}`,
  );
  const callers = /drop function/i.test(migration.sql) ? await callersOfFunctions(client) : [];
  await client.query(migration.sql);
  if (callers.length > 0) await letCallAgain(client, callers);
  await record(client, migration);
  await client.query('commit');
}

interface Caller {
  readonly name: string;
  /** As an identifier of SQL. */
  readonly role: string;
}

async function callersOfFunctions(client: pg.Client): Promise<readonly Caller[]> {
  const { rows } = await client.query<Caller>(
    `select distinct p.proname as name, a.grantee::regrole::text as role
     from pg_proc p cross join lateral aclexplode(p.proacl) a
     where p.pronamespace = 'public'::regnamespace and a.grantee not in (0, p.proowner)`,
  );
  return rows;
}

/** The application of the version before goes on during a migration: a function that is made anew must not refuse it. */
async function letCallAgain(client: pg.Client, callers: readonly Caller[]): Promise<void> {
  const { rows } = await client.query<{ grant: string }>(
    `select format('grant execute on function %s to %s', p.oid::regprocedure, c.role) as "grant"
     from jsonb_to_recordset($1) as c(name text, role text)
     join pg_proc p on p.pronamespace = 'public'::regnamespace and p.proname = c.name
     where obj_description(p.oid, 'pg_proc') = 'for the application' and p.proowner = current_user::regrole
       and not has_function_privilege(c.role::regrole, p.oid, 'execute')`,
    [JSON.stringify(callers)],
  );
  for (const { grant } of rows) await client.query(grant);
}

/**
 * Runs each statement by itself. An interrupted build leaves an invalid index, which is dropped first, so the migration
 * can run again from its start. Its locks block no other statement, so it waits for them without a limit.
 */
async function applyConcurrently(
  client: pg.Client,
  migration: Migration,
): Promise<DatabaseFailure | undefined> {
  const statements = migration.sql
    .replace(/^--.*$/gm, '')
    .split(';')
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');
  const names = statements.map((statement) => concurrently.exec(statement)?.groups?.['name']);
  if (names.includes(undefined))
    return changedNothing(
      migration,
      'outside a transaction it may only "create index concurrently if not exists" and "drop index concurrently if exists"',
    );
  try {
    await client.query('set lock_timeout = 0');
    const { rows } = await client.query<{ name: string }>(
      `select relname as name from pg_index join pg_class on pg_class.oid = indexrelid
       where not indisvalid and relnamespace = current_schema()::regnamespace and relname = any($1)`,
      [names],
    );
    for (const { name } of rows)
      await client.query(`drop index concurrently if exists ${pg.escapeIdentifier(name)}`);
    for (const statement of statements) await client.query(statement);
    await record(client, migration);
    return undefined;
  } catch (error) {
    return {
      code: 'failed_migration',
      message: `Migration ${migration.name} was not finished, and runs again at the next start: ${(error as Error).message}`,
    };
  }
}

const concurrently =
  /^(?:create\s+(?:unique\s+)?index\s+concurrently\s+if\s+not\s+exists|drop\s+index\s+concurrently\s+if\s+exists)\s+"?(?<name>\w+)"?/i;

async function record(client: pg.Client, { name, checksum, runsWith }: Migration): Promise<void> {
  await client.query(
    `insert into _prisma_migrations
       (id, checksum, migration_name, started_at, finished_at, applied_steps_count, runs_with)
     values ($1, $2, $3, clock_timestamp(), clock_timestamp(), 1, $4)`,
    [randomUUID(), checksum, name, runsWith ?? null],
  );
}

/** SQLSTATE 55P03, lock_not_available. */
function isLockTimeout(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '55P03';
}

function changedNothing({ name }: Migration, why: string): DatabaseFailure {
  return {
    code: 'failed_migration',
    message: `Migration ${name} could not be applied and changed nothing: ${why}`,
  };
}
