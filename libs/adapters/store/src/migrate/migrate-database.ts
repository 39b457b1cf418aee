import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { err, ok, type Result } from '@switchyard/values';
import {
  applicationPassword,
  applicationRole,
  ensureApplicationRole,
  grantToApplication,
  limitApplication,
} from './application-role.js';
import { applyMigrations, migrationLock } from './apply-migrations.js';
import type { DatabaseFailure } from './database-failure.js';
import { judgeMigrations } from './judge-migrations.js';
import { makeMonths } from './make-months.js';
import { readMigrations } from './read-migrations.js';
import { refusedRole } from './refused-role.js';
import { isPooled, withClient } from './database-client.js';

/** An existing role for the server, and the URL that it connects with. */
interface GivenRole {
  readonly role: string;
  readonly appUrl: string;
}

interface Migrated {
  /** URL for the server. Holds a password: never print it. */
  readonly appUrl: string;
  /** Names of the migrations that were applied now. */
  readonly applied: readonly string[];
  /** Names of the migrations of a newer version that this one can run with. */
  readonly newer: readonly string[];
}

/** Longest wait for another migration, and interval of the checks, in milliseconds. */
const turnMs = 10 * 60_000;
const pollMs = 250;

/**
 * Migrates as the owner, makes or updates the application role, and returns its URL. Replicas that start together take
 * turns by the advisory lock.
 */
export async function migrateDatabase(
  ownerUrl: string,
  dataDir: string,
  given?: GivenRole,
): Promise<Result<Migrated, DatabaseFailure>> {
  const database = decodeURIComponent(new URL(ownerUrl).pathname.slice(1));
  const role = given?.role ?? applicationRole(database);
  const password = given === undefined ? applicationPassword(ownerUrl, dataDir) : undefined;
  const appUrl = given?.appUrl ?? urlOfRole(ownerUrl, role, password ?? '');
  const done = await withClient(ownerUrl, async (client) => {
    if (await isPooled(client)) return err(throughPooler());
    if (!(await takeTurn(client))) return err(turnNeverCame());
    const migrations = readMigrations();
    const applied = await applyMigrations(client, migrations);
    if (!applied.ok) return applied;
    const judged = await judgeMigrations(client, migrations);
    if (!judged.ok) return judged;
    const assigned = await assignLookupFunctions(client);
    if (!assigned.ok) return assigned;
    if (password !== undefined) await ensureApplicationRole(client, role, password);
    const refused = await refusedRole(client, role);
    if (refused !== undefined) return err(refused);
    await grantToApplication(client, role, database);
    await limitApplication(client, role, database);
    await makeMonths(client);
    return ok({ appUrl, applied: applied.value, newer: judged.value.newer });
  });
  return done.ok ? done.value : done;
}

/**
 * Takes the lock, or waits for its holder. It polls: a statement that waits for the lock holds a snapshot, and a
 * concurrent index build would wait for that snapshot in turn.
 */
async function takeTurn(client: pg.Client): Promise<boolean> {
  for (const until = Date.now() + turnMs; Date.now() < until; await pause(pollMs)) {
    const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [
      migrationLock,
    ]);
    if (rows[0]?.taken === true) return true;
  }
  return false;
}

function turnNeverCame(): DatabaseFailure {
  return {
    code: 'failed_migration',
    message: `Another process has been migrating this database for ${turnMs / 60_000} minutes. Wait for it, or end it, and start again.`,
  };
}

function throughPooler(): DatabaseFailure {
  return {
    code: 'pooled',
    message:
      'Migrations need a connection of their own, and this one leads through a pooler. Set DATABASE_OWNER_URL to the database itself.',
  };
}

/** Functions that run before the tenant is known must belong to a role of their own, even after a restore. */
async function assignLookupFunctions(client: pg.Client): Promise<Result<void, DatabaseFailure>> {
  try {
    await client.query('select assign_lookup_functions()');
    return ok(undefined);
  } catch (error) {
    return err({ code: 'role_refused', message: `The database is not ready: ${(error as Error).message}.` });
  }
}

function urlOfRole(ownerUrl: string, role: string, password: string): string {
  const url = new URL(ownerUrl);
  url.username = encodeURIComponent(role);
  url.password = password;
  return url.href;
}
