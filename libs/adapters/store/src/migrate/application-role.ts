import { createHmac, createHash, pbkdf2Sync, randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { readOrMakeSecret } from '../embedded/secret-file.js';

import pg from 'pg';

/** Name of the server's role: it owns nothing, and row-level security applies to it. */
export function applicationRole(database: string): string {
  return `${database}_app`;
}

/**
 * Its password. If the owner's URL has a password, it is derived from that, so that replicas with the same URL agree
 * without communication; otherwise it is random and stored in the data folder.
 */
export function applicationPassword(ownerUrl: string, dataDir: string): string {
  const { password, pathname } = new URL(ownerUrl);
  if (password !== '')
    return createHmac('sha256', decodeURIComponent(password))
      .update(`switchyard application role${pathname}`)
      .digest('hex');
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  return readOrMakeSecret(join(dataDir, 'application-role.secret'));
}

/** Makes the role, or sets its password and revokes excess rights. */
export async function ensureApplicationRole(
  client: pg.Client,
  role: string,
  password: string,
): Promise<void> {
  const name = pg.escapeIdentifier(role);
  const { rows } = await client.query<{ rolcreatedb: boolean; rolcreaterole: boolean }>(
    'select rolcreatedb, rolcreaterole from pg_roles where rolname = $1',
    [role],
  );
  if (rows.length === 0) await client.query(`create role ${name} login`);
  // Only a role that may create databases may revoke that right, so it is revoked only if it is present.
  const taken = `${rows[0]?.rolcreatedb ? 'nocreatedb' : ''} ${rows[0]?.rolcreaterole ? 'nocreaterole' : ''}`;
  const verifier = pg.escapeLiteral(scramVerifier(password));
  await client.query(`alter role ${name} login noinherit ${taken} password ${verifier}`);
}

/**
 * Limits of every transaction of the role in this database. They are settings of the role, so they also apply behind a
 * pooler that shares connections by transaction. Statements that may take longer use SET LOCAL.
 */
const applicationLimits = {
  // JIT compilation takes half a second, and no statement of ours runs that long.
  jit: 'off',
  statement_timeout: '60s',
  lock_timeout: '20s',
  idle_in_transaction_session_timeout: '60s',
} as const;

/** Sets the limits. If the owner may not change a given role, that role sets them itself: `limitItself`. */
export async function limitApplication(client: pg.Client, role: string, database: string): Promise<void> {
  const of = `${pg.escapeIdentifier(role)} in database ${pg.escapeIdentifier(database)}`;
  try {
    for (const [name, value] of Object.entries(applicationLimits))
      await client.query(`alter role ${of} set ${name} = '${value}'`);
  } catch (error) {
    if ((error as { code?: string }).code !== '42501') throw error;
  }
}

/**
 * Sets for the connected role the limits that are not set for it in this database; each role may do so for itself. In a
 * transaction with a lock: two concurrent writes of the same row of settings would fail.
 */
export async function limitItself(client: pg.Client): Promise<void> {
  await client.query('begin');
  await client.query(`select pg_advisory_xact_lock(hashtext('switchyard application limits'))`);
  const { rows } = await client.query<{ role: string; database: string; settings: string[] }>(
    `select current_user::text as role, current_database()::text as database, coalesce(max(setconfig), '{}') as settings
       from pg_db_role_setting
      where setrole = (select oid from pg_roles where rolname = current_user)
        and setdatabase = (select oid from pg_database where datname = current_database())`,
  );
  const { role = '', database = '', settings = [] } = rows[0] ?? {};
  const of = `${pg.escapeIdentifier(role)} in database ${pg.escapeIdentifier(database)}`;
  for (const [name, value] of Object.entries(applicationLimits)) {
    if (settings.some((setting) => setting.startsWith(`${name}=`))) continue;
    await client.query(`alter role ${of} set ${name} = '${value}'`);
  }
  await client.query('commit');
}

/** Grants the role's rights: connect, the tables as the migrations define, and the queue's schema. */
export async function grantToApplication(client: pg.Client, role: string, database: string): Promise<void> {
  const name = pg.escapeIdentifier(role);
  await client.query('select grant_to_application($1)', [role]);
  // The role may make the next partitions of the ledger, and uses partitions only through their tables.
  await client.query(`grant usage on schema by_month to ${name}`);
  await client.query(`grant execute on function by_month.make_next() to ${name}`);
  await client.query(`grant connect on database ${pg.escapeIdentifier(database)} to ${name}`);
  // The queue's adapter makes its tables there as the owner; the application gets rights on rows, not ownership.
  await client.query('create schema if not exists bullmq');
  await client.query(`grant usage on schema bullmq to ${name}`);
  for (const kind of ['tables', 'sequences', 'functions']) {
    await client.query(`grant all on all ${kind} in schema bullmq to ${name}`);
    await client.query(`alter default privileges in schema bullmq grant all on ${kind} to ${name}`);
  }
}

const iterations = 4096;

/**
 * What PostgreSQL stores for a password (RFC 5803). It is sent instead of the password, so that a server which logs its
 * statements logs nothing that allows a login. `password` is ASCII, so SASLprep does not change it.
 */
function scramVerifier(password: string): string {
  const salt = randomBytes(16);
  const salted = pbkdf2Sync(password, salt, iterations, 32, 'sha256');
  const hmac = (text: string) => createHmac('sha256', salted).update(text).digest();
  const storedKey = createHash('sha256').update(hmac('Client Key')).digest('base64');
  return `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}$${storedKey}:${hmac('Server Key').toString('base64')}`;
}
