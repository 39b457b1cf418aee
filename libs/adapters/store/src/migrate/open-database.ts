import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { err, ok, type Result } from '@switchyard/values';
import { startEmbedded } from '../embedded/start-embedded.js';
import type { DatabaseFailure } from './failure.js';
import { migrateDatabase } from './migrate-database.js';
import { readMigrations } from './read-migrations.js';
import { refusedRole } from './refused-role.js';
import { connectOnce, withClient } from './with-client.js';
import { pendingMigrations } from './apply-migrations.js';

export interface OpenedDatabase {
  /** May change tables. Absent where only the plain role is known, and the tables are up to date. */
  readonly ownerUrl?: string;
  /** The plain role that everything at run time uses. Both URLs hold passwords: never print them. */
  readonly appUrl: string;
  readonly embedded: boolean;
  /** Stops the embedded server; nothing for a server of somebody else. Close pools first. */
  stop(): Promise<void>;
}

export interface DatabaseEnvironment {
  readonly DATABASE_URL?: string | undefined;
  readonly DATABASE_OWNER_URL?: string | undefined;
}

/**
 * Opens the database that the environment names, migrated and with its application role, or the embedded one in
 * `<dataDir>/postgres`.
 *
 * A DATABASE_URL whose role may create roles migrates, and the server runs as the plain role made from it. With a
 * plain DATABASE_URL, DATABASE_OWNER_URL migrates; without one the tables have to be up to date already.
 */
export async function openDatabase(
  env: DatabaseEnvironment,
  dataDir: string,
): Promise<Result<OpenedDatabase, DatabaseFailure>> {
  const url = env.DATABASE_URL;
  if (url === undefined || url === '') return openEmbedded(dataDir);
  const malformed = [url, env.DATABASE_OWNER_URL ?? url].some(
    (one) => !/^postgres(ql)?:\/\/[^/]*\/[^/?]+/.test(one),
  );
  if (malformed)
    return err({
      code: 'unreachable',
      message: 'DATABASE_URL should look like postgresql://user:password@host:5432/database.',
    });
  const asked = await withClient(url, roleOf);
  if (!asked.ok) return asked;
  const stop = () => Promise.resolve();
  if (asked.value.mayCreateRoles) {
    const migrated = await migrateDatabase(url, dataDir);
    return migrated.ok ? ok({ ownerUrl: url, appUrl: migrated.value, embedded: false, stop }) : migrated;
  }
  const ownerUrl = env.DATABASE_OWNER_URL;
  if (ownerUrl === undefined || ownerUrl === '') return openMigrated(url, asked.value.name);
  const migrated = await migrateDatabase(ownerUrl, dataDir, { role: asked.value.name, appUrl: url });
  return migrated.ok ? ok({ ownerUrl, appUrl: migrated.value, embedded: false, stop }) : migrated;
}

async function openEmbedded(dataDir: string): Promise<Result<OpenedDatabase, DatabaseFailure>> {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const server = await startEmbedded({ dataDir: join(dataDir, 'postgres') });
  if (!server.ok) return err({ code: 'embedded', message: server.error.message });
  const ownerUrl = await ensureDatabase(server.value.url, 'switchyard');
  const migrated = ownerUrl.ok ? await migrateDatabase(ownerUrl.value, dataDir) : ownerUrl;
  if (!ownerUrl.ok || !migrated.ok) {
    await server.value.stop();
    return migrated.ok ? err({ code: 'embedded', message: 'The database could not be made.' }) : migrated;
  }
  return ok({
    ownerUrl: ownerUrl.value,
    appUrl: migrated.value,
    embedded: true,
    stop: () => server.value.stop(),
  });
}

async function openMigrated(url: string, role: string): Promise<Result<OpenedDatabase, DatabaseFailure>> {
  const refused = await withClient(url, (client) => refusedRole(client, role));
  if (!refused.ok) return refused;
  if (refused.value !== undefined) return err(refused.value);
  const pending = await withClient(url, (client) => pendingMigrations(client, readMigrations()));
  if (!pending.ok) return pending;
  if (!pending.value.ok) return pending.value;
  if (pending.value.value.length > 0)
    return err({
      code: 'no_owner',
      message: `${pending.value.value.length} migrations are missing and the role of DATABASE_URL may not apply them. Set DATABASE_OWNER_URL, or let DATABASE_URL's role create roles.`,
    });
  return ok({ appUrl: url, embedded: false, stop: () => Promise.resolve() });
}

/** Makes a database on a server if it is not there, and says its URL. */
export async function ensureDatabase(
  serverUrl: string,
  name: string,
): Promise<Result<string, DatabaseFailure>> {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  if (await connectOnce(url.href)) return ok(url.href);
  const made = await withClient(serverUrl, async (client) => {
    await client.query(`create database ${pg.escapeIdentifier(name)}`).catch((error: unknown) => {
      // duplicate_database, or the unique violation of two that created it in the same instant.
      if (!['42P04', '23505'].includes((error as { code?: string }).code ?? '')) throw error;
    });
  });
  return made.ok ? ok(url.href) : made;
}

async function roleOf(client: pg.Client): Promise<{ name: string; mayCreateRoles: boolean }> {
  const { rows } = await client.query<{ name: string; may: boolean }>(
    'select rolname as name, rolsuper or rolcreaterole as may from pg_roles where rolname = current_user',
  );
  const row = rows[0];
  if (row === undefined) throw new Error('pg_roles does not list the current user.');
  return { name: row.name, mayCreateRoles: row.may };
}
