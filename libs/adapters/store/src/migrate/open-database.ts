import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { err, ok, type Result } from '@switchyard/values';
import { startEmbedded } from '../embedded/start-embedded.js';
import type { DatabaseFailure } from './database-failure.js';
import { limitItself } from './application-role.js';
import { migrateDatabase } from './migrate-database.js';
import { readMigrations } from './read-migrations.js';
import { refusedRole } from './refused-role.js';
import { isPooled, connectOnce, withClient } from './database-client.js';
import { judgeMigrations } from './judge-migrations.js';

export interface OpenedDatabase {
  /** May change tables. Absent if only the plain role is known, and the tables are up to date. */
  readonly ownerUrl?: string;
  /** The plain role of the running server. Both URLs hold passwords: never print them. */
  readonly appUrl: string;
  readonly embedded: boolean;
  /** True if a pooler is between us and the database: no statement may rely on the session of the one before it. */
  readonly pooled: boolean;
  /** Names of the migrations that were applied at this start. */
  readonly applied: readonly string[];
  /** Names of the migrations of a newer version that this one can run with. */
  readonly newer: readonly string[];
  /** Stops the embedded server; no effect on another server. Close pools first. */
  stop(): Promise<void>;
}

export interface DatabaseEnvironment {
  readonly DATABASE_URL?: string | undefined;
  readonly DATABASE_OWNER_URL?: string | undefined;
  /** Files with the passwords of the two URLs. A password may have any characters. */
  readonly DATABASE_PASSWORD_FILE?: string | undefined;
  readonly DATABASE_OWNER_PASSWORD_FILE?: string | undefined;
}

/**
 * Opens the database of the environment, migrated and with its application role, or the embedded one in
 * `<dataDir>/postgres`.
 *
 * If the role of DATABASE_URL may create roles, it migrates, and the server runs as the plain role made from it. With a
 * plain DATABASE_URL, DATABASE_OWNER_URL migrates; without one the tables must already be up to date.
 */
export async function openDatabase(
  env: DatabaseEnvironment,
  dataDir: string,
): Promise<Result<OpenedDatabase, DatabaseFailure>> {
  const urls = readUrls(env);
  if (!urls.ok) return urls;
  const { url, ownerUrl } = urls.value;
  if (url === undefined) return openEmbedded(dataDir);
  const requested = await withClient(url, async (client) => ({
    ...(await roleOf(client)),
    pooled: await isPooled(client),
  }));
  if (!requested.ok) return requested;
  const { name, mayCreateRoles, pooled } = requested.value;
  const stop = () => Promise.resolve();
  if (!mayCreateRoles && ownerUrl === undefined) return openMigrated(url, name, pooled);
  const migrated = mayCreateRoles
    ? await migrateDatabase(url, dataDir)
    : await migrateDatabase(ownerUrl ?? url, dataDir, { role: name, appUrl: url });
  if (!migrated.ok) return migrated;
  if (!mayCreateRoles) {
    const limited = await withClient(url, limitItself);
    if (!limited.ok) return limited;
  }
  return ok({
    ...migrated.value,
    ownerUrl: mayCreateRoles ? url : (ownerUrl ?? url),
    embedded: false,
    pooled,
    stop,
  });
}

/** The URLs with their passwords; none for the embedded database. Never print them. */
export function readUrls(
  env: DatabaseEnvironment,
): Result<{ readonly url?: string; readonly ownerUrl?: string }, DatabaseFailure> {
  const read: { url?: string; ownerUrl?: string } = {};
  for (const [key, name, fileName] of [
    ['url', 'DATABASE_URL', 'DATABASE_PASSWORD_FILE'],
    ['ownerUrl', 'DATABASE_OWNER_URL', 'DATABASE_OWNER_PASSWORD_FILE'],
  ] as const) {
    const text = env[name] ?? '';
    if (text === '') continue;
    if (!/^postgres(ql)?:\/\/[^/]*\/[^/?]+/.test(text) || !URL.canParse(text))
      return err({
        code: 'unreachable',
        message: `${name} should look like postgresql://user:password@host:5432/database.`,
      });
    const url = new URL(text);
    const file = env[fileName] ?? '';
    if (file !== '') {
      try {
        // A final line break is the editor's, every other character is part of the password.
        url.password = encodeURIComponent(readFileSync(file, 'utf8').replace(/\r?\n$/, ''));
      } catch {
        return err({ code: 'settings', message: `The file ${file} of ${fileName} cannot be read.` });
      }
    }
    read[key] = file === '' ? text : url.href;
  }
  return ok(read);
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
    ...migrated.value,
    ownerUrl: ownerUrl.value,
    embedded: true,
    pooled: false,
    stop: () => server.value.stop(),
  });
}

async function openMigrated(
  url: string,
  role: string,
  pooled: boolean,
): Promise<Result<OpenedDatabase, DatabaseFailure>> {
  const refused = await withClient(url, (client) => refusedRole(client, role));
  if (!refused.ok) return refused;
  if (refused.value !== undefined) return err(refused.value);
  const judged = await withClient(url, async (client) =>
    (await mayRead(client)) ? judgeMigrations(client, readMigrations()) : err(notGranted(role)),
  );
  if (!judged.ok) return judged;
  if (!judged.value.ok) return judged.value;
  const { pending, newer } = judged.value.value;
  if (pending.length > 0)
    return err({
      code: 'no_owner',
      message: `Migrations are missing (${pending.length}), and the role of DATABASE_URL may not apply them. Set DATABASE_OWNER_URL, or let DATABASE_URL's role create roles.`,
    });
  const limited = await withClient(url, limitItself);
  if (!limited.ok) return limited;
  return ok({ appUrl: url, embedded: false, pooled, applied: [], newer, stop: () => Promise.resolve() });
}

/** False in a database whose owner has granted this role nothing. */
async function mayRead(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ may: boolean }>(
    `select coalesce(has_table_privilege(to_regclass('_prisma_migrations'), 'select'), true) as may`,
  );
  return rows[0]?.may === true;
}

const notGranted = (role: string): DatabaseFailure => ({
  code: 'role_refused',
  message: `The role ${role} has no rights on the tables of this database. Run switchyard migrate with DATABASE_OWNER_URL and this DATABASE_URL, which grants them.`,
});

/** Makes a database on a server if it does not exist, and returns its URL. */
export async function ensureDatabase(
  serverUrl: string,
  name: string,
): Promise<Result<string, DatabaseFailure>> {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  if (await connectOnce(url.href)) return ok(url.href);
  const made = await withClient(serverUrl, async (client) => {
    await client.query(`create database ${pg.escapeIdentifier(name)}`).catch((error: unknown) => {
      // duplicate_database, or the unique violation if two create it at the same time.
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
