import type pg from 'pg';
import { err, ok, type Result } from '@switchyard/values';
import {
  applicationPassword,
  applicationRole,
  ensureApplicationRole,
  grantToApplication,
} from './application-role.js';
import { applyMigrations, migrationLock } from './apply-migrations.js';
import type { DatabaseFailure } from './failure.js';
import { readMigrations } from './read-migrations.js';
import { refusedRole } from './refused-role.js';
import { withClient } from './with-client.js';

/** A role that exists already and runs the server, and the URL that it connects with. */
export interface GivenRole {
  readonly role: string;
  readonly appUrl: string;
}

/**
 * Migrates as the owner, makes or updates the application role, and says the URL it connects with. Replicas that
 * start together take turns by the advisory lock.
 */
export async function migrateDatabase(
  ownerUrl: string,
  dataDir: string,
  given?: GivenRole,
): Promise<Result<string, DatabaseFailure>> {
  const database = decodeURIComponent(new URL(ownerUrl).pathname.slice(1));
  const role = given?.role ?? applicationRole(database);
  const password = given === undefined ? applicationPassword(ownerUrl, dataDir) : undefined;
  const done = await withClient(ownerUrl, async (client) => {
    await client.query('select pg_advisory_lock($1)', [migrationLock]);
    const applied = await applyMigrations(client, readMigrations());
    if (!applied.ok) return applied;
    const assigned = await assignLookupFunctions(client);
    if (!assigned.ok) return assigned;
    if (password !== undefined) await ensureApplicationRole(client, role, password);
    const refused = await refusedRole(client, role);
    if (refused !== undefined) return err(refused);
    await grantToApplication(client, role, database);
    return applied;
  });
  if (!done.ok) return done;
  if (!done.value.ok) return done.value;
  return ok(given?.appUrl ?? urlOfRole(ownerUrl, role, password ?? ''));
}

/** Functions that answer before the tenant is known belong to a role of their own, also after a restore. */
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
