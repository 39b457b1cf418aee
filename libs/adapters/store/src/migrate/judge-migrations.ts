import type pg from 'pg';
import { err, ok, type Result } from '@switchyard/values';
import type { DatabaseFailure } from './database-failure.js';
import type { Migration } from './read-migrations.js';

/** Comparison of a database's migrations with those of this version. */
interface Judged {
  /** Migrations that the database lacks, oldest first. */
  readonly pending: readonly Migration[];
  /** Migrations that the database has as the older ones they replace: not run, only recorded. */
  readonly replacing: readonly Migration[];
  /** Names of migrations of a newer version that this version can run with. */
  readonly newer: readonly string[];
}

interface LedgerRow {
  readonly migration_name: string;
  readonly checksum: string;
  readonly finished_at: Date | null;
  readonly runs_with: string | null;
}

/** Compares without a change, even if nothing was ever migrated. */
export async function judgeMigrations(
  client: pg.Client,
  migrations: readonly Migration[],
): Promise<Result<Judged, DatabaseFailure>> {
  const known = await client.query<{ known: boolean }>(
    `select to_regclass('_prisma_migrations') is not null as known`,
  );
  if (known.rows[0]?.known !== true) return ok({ pending: migrations, replacing: [], newer: [] });
  // The column is absent if only `prisma migrate deploy`, or a version before it, has migrated.
  const { rows } = await client.query<LedgerRow>(
    `select migration_name, checksum, finished_at, to_jsonb(m) ->> 'runs_with' as runs_with
     from _prisma_migrations m where rolled_back_at is null order by started_at`,
  );
  return judge(migrations, rows);
}

function judge(
  migrations: readonly Migration[],
  rows: readonly LedgerRow[],
): Result<Judged, DatabaseFailure> {
  const byName = new Map(migrations.map((migration) => [migration.name, migration]));
  const newest = migrations.at(-1)?.name ?? '';
  const replaced = migrations.findLast((migration) => migration.replaces !== undefined)?.replaces ?? '';
  const older = rows.filter((row) => row.migration_name <= replaced);
  if (older.length > 0 && !older.some((row) => row.migration_name === replaced)) return err(tooOld(replaced));
  const newer: string[] = [];
  for (const { migration_name: name, checksum, finished_at: finishedAt, runs_with: runsWith } of rows) {
    const migration = byName.get(name);
    if (finishedAt === null)
      return err({
        code: 'failed_migration',
        message: `Migration ${name} failed half way. Repair it by hand, then mark it as rolled back in _prisma_migrations.`,
      });
    if (migration === undefined) {
      if (name <= replaced) continue;
      if (runsWith === null || runsWith > newest) return err(unknown(name));
      newer.push(name);
    } else if (migration.checksum !== checksum)
      return err({
        code: 'edited_migration',
        message: `Migration ${name} was edited after it had been applied. Restore the file and write a new migration.`,
      });
  }
  const applied = new Set(rows.map((row) => row.migration_name));
  const missing = migrations.filter(({ name }) => !applied.has(name));
  const replacing = older.length === 0 ? [] : missing.filter((migration) => migration.replaces !== undefined);
  const pending = missing.filter((migration) => !replacing.includes(migration));
  const [first] = newer;
  // A migration that should have run before those is not applied after them.
  if (first !== undefined && pending.length > 0) return err(unknown(first));
  return ok({ pending, replacing, newer });
}

function tooOld(name: string): DatabaseFailure {
  return {
    code: 'unknown_migration',
    message: `The database is older than migration ${name}, from which this version can go on. Start a version that has this migration once, then this one.`,
  };
}

function unknown(name: string): DatabaseFailure {
  return {
    code: 'unknown_migration',
    message: `The database has migration ${name}, which this version does not know and cannot run with. Start the version that made it, or a newer one.`,
  };
}
