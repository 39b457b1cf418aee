import pg from 'pg';
import { ok, type Result } from '@switchyard/values';
import { withClient } from '../migrate/database-client.js';
import type { DatabaseFailure } from '../migrate/database-failure.js';
import { applicationRole } from '../migrate/application-role.js';

/** Makes an empty database on the server of an address, for the trial of a backup. */
export async function makeTrialDatabase(url: string, name: string): Promise<Result<void, DatabaseFailure>> {
  const made = await withClient(url, async (client) => {
    await client.query(`create database ${pg.escapeIdentifier(name)} template template0`);
  });
  return made.ok ? ok(undefined) : made;
}

/** Removes it, its sessions, and the role that a start on it has made. */
export async function dropTrialDatabase(url: string, name: string): Promise<void> {
  await withClient(url, async (client) => {
    await client.query(`drop database if exists ${pg.escapeIdentifier(name)} with (force)`);
    await client.query(`drop role if exists ${pg.escapeIdentifier(applicationRole(name))}`);
  });
}
