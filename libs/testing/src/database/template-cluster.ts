import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  ensureDatabase,
  migrateDatabase,
  readMigrations,
  startEmbedded,
  withClient,
} from '@switchyard/store';
import { must } from '@switchyard/values';

export const databaseName = 'switchyard';
const templateVersion = 3;

/**
 * A stopped, migrated cluster to copy, made once per set of migrations and user. Several suites may need it at the same
 * time: each makes its own, the first to rename it into place wins, and the others use that one.
 */
export async function ensureTemplate(): Promise<string> {
  const place = join(tmpdir(), `switchyard-template-${process.getuid?.() ?? 0}-${templateKey()}`);
  if (isOurs(place)) return place;
  const draft = mkdtempSync(join(tmpdir(), 'switchyard-template-draft-'));
  await makeTemplate(draft);
  try {
    renameSync(draft, place);
    return place;
  } catch {
    if (!isOurs(place)) return draft;
    rmSync(draft, { recursive: true, force: true });
    return place;
  }
}

async function makeTemplate(folder: string): Promise<void> {
  const started = must(await startEmbedded({ dataDir: folder, fsync: false }));
  const ownerUrl = must(await ensureDatabase(started.url, databaseName));
  const migrated = must(await migrateDatabase(ownerUrl, folder));
  await standByTestClocks(ownerUrl);
  await started.stop();
  writeFileSync(join(folder, 'application.url'), migrated.appUrl, { mode: 0o600 });
  rmSync(join(folder, 'postgres.log'), { force: true });
}

/** Suites move their own clock, but leases use the database's: here it follows the caller's time. */
async function standByTestClocks(ownerUrl: string): Promise<void> {
  const replaced = await withClient(ownerUrl, (client) => client.query(leasesByCaller));
  if (!replaced.ok) throw new Error(replaced.error.message);
}

const leasesBy = (time: string): string =>
  `create or replace function lease_now(caller timestamptz) returns timestamptz
   language sql stable as $$ select ${time} $$`;
const leasesByCaller = leasesBy('caller');
/** For a suite about wrong clocks: its database uses the product's clock again. */
export const leasesByDatabase = leasesBy('now()');

function templateKey(): string {
  const hash = createHash('sha256').update(String(templateVersion));
  for (const { name, checksum } of readMigrations()) hash.update(`${name}:${checksum};`);
  return hash.digest('hex').slice(0, 16);
}

/** Complete, and not planted by another user of this machine in the shared folder. */
function isOurs(place: string): boolean {
  return (
    existsSync(join(place, 'application.url')) &&
    statSync(place).uid === (process.getuid?.() ?? statSync(place).uid)
  );
}
