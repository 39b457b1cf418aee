import { copyFileSync, existsSync, chmodSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { openKeyManagement } from '@switchyard/kms';
import {
  instanceNotes,
  locateDatabase,
  lockInstance,
  openDatabase,
  openStore,
  placeCluster,
  readMigrations,
  restoreDump,
  verifyInWorker,
  type OpenedDatabase,
  type Store,
} from '@switchyard/store';
import { verifyKeyCheck } from '@switchyard/vault';
import { err, isoOf, ok, type Result } from '@switchyard/values';
import { systemClock } from '../../platform/clock.js';
import type { StartFailure } from '../../platform/start-failure.js';
import { chosenKey, storedKeyCheck } from '../master-keys.js';
import { readConfiguration, type Configuration } from '../settings/read-configuration.js';
import type { Environment } from '../settings/settings.js';
import { checkedManifest, type Manifest } from './manifest.js';
import { restoredNote } from './paused.js';

export interface RestoreOptions {
  readonly env: Environment;
  /** A backup that `backup` made. */
  readonly folder: string;
  /** A new data folder. */
  readonly dataDir: string;
  /** A keyring to copy into the data folder; absent with KMS, or where a setting names it. */
  readonly keyring?: string;
}

export interface Restored {
  readonly made_at: string;
  readonly organizations: number;
  readonly entries: string;
}

const refused = (message: string): Result<never, StartFailure> => err({ code: 'restore', message });

/**
 * Restores a backup into a new data folder or an empty database, verifies each ledger against the heads of the backup,
 * and marks the instance as restored: it sends nothing until `resume`. Stops what it started.
 */
export async function restore(options: RestoreOptions): Promise<Result<Restored, StartFailure>> {
  const { env, folder, dataDir, keyring } = options;
  const configuration = readConfiguration(env);
  if (!configuration.ok) return configuration;
  if (keyring !== undefined && !existsSync(keyring)) return refused(`There is no keyring at ${keyring}.`);
  const manifest = await checkedManifest(folder);
  if (!manifest.ok) return manifest;
  if (manifest.value.newest_migration > (readMigrations().at(-1)?.name ?? ''))
    return refused(`The backup is of version ${manifest.value.version}, which is newer than this one.`);
  const lock = lockInstance(dataDir);
  if (!lock.ok) return err({ code: lock.error.code, message: lock.error.message });
  try {
    const placed = await place(options, manifest.value);
    if (!placed.ok) return placed;
    if (keyring !== undefined) {
      copyFileSync(keyring, join(dataDir, 'keyring.json'));
      chmodSync(join(dataDir, 'keyring.json'), 0o600);
    }
    const judged = await judgePlaced(configuration.value, dataDir, manifest.value);
    // What was placed just now: the same restore can be tried again, for example with its keyring.
    if (!judged.ok && manifest.value.kind === 'cluster')
      rmSync(join(dataDir, 'postgres'), { recursive: true, force: true });
    return judged;
  } finally {
    lock.value.release();
  }
}

async function judgePlaced(
  configuration: Configuration,
  dataDir: string,
  manifest: Manifest,
): Promise<Result<Restored, StartFailure>> {
  const opened = await openDatabase(configuration.settings, dataDir);
  if (!opened.ok) return opened;
  const store = openStore(opened.value.appUrl, {
    connections: 2,
    preparedStatements: !opened.value.pooled,
  });
  try {
    return await judge(opened.value, { store, configuration, dataDir, manifest });
  } finally {
    await store.close();
    await opened.value.stop();
  }
}

async function place(
  { env, folder, dataDir }: RestoreOptions,
  { kind }: Manifest,
): Promise<Result<void, StartFailure>> {
  const isOwn = (env['DATABASE_URL'] ?? '') !== '';
  if (isOwn !== (kind === 'dump'))
    return refused(
      isOwn
        ? 'The backup is of an embedded database, and DATABASE_URL names another one. Restore without it.'
        : 'The backup is a dump. Set DATABASE_URL to an empty database.',
    );
  if (!isOwn)
    return existsSync(join(dataDir, 'postgres'))
      ? refused(`${dataDir} has a database already. Name a new folder.`)
      : placeCluster(folder, dataDir);
  const located = locateDatabase(env, dataDir);
  if (!located.ok) return located;
  return restoreDump(env['DATABASE_BACKUP_URL'] ?? located.value.url, join(folder, 'database.dump'));
}

interface Judged {
  readonly store: Store;
  readonly configuration: Configuration;
  readonly dataDir: string;
  readonly manifest: Manifest;
}

async function judge(
  { appUrl, pooled }: OpenedDatabase,
  { store, configuration, dataDir, manifest }: Judged,
): Promise<Result<Restored, StartFailure>> {
  const notes = instanceNotes(store);
  // First of all: whatever is found below, nothing may be sent from here.
  const now = systemClock.now();
  await notes.set(restoredNote, { at: isoOf(now), backup: manifest.made_at }, now);
  const check = await storedKeyCheck(notes);
  if (check !== undefined) {
    const keys = await openKeyManagement(configuration.settings, dataDir, {
      mayMake: false,
      chosen: chosenKey(notes),
    });
    if (!keys.ok) return refused(`The backup needs ${manifest.key_ids.join(', ')}. ${keys.error.message}`);
    await keys.value.keys.refresh();
    const verified = await verifyKeyCheck(keys.value.keys, check);
    if (!verified.ok) return refused(`These are not the keys of the backup: ${verified.error.message}`);
  }
  let entries = 0n;
  for (const { organization: organizationId, number, hash } of manifest.ledgers) {
    const anchors = [{ number: BigInt(number), hash }];
    const job = { appUrl, preparedStatements: !pooled, organizationId, anchors };
    const read = await verifyInWorker(job, new AbortController().signal);
    const [problem] = read.problems;
    if (!read.ok)
      return refused(
        `The ledger of ${organizationId} is not intact: ${problem?.message ?? 'no reason given'}`,
      );
    entries += read.entries;
  }
  return ok({
    made_at: manifest.made_at,
    organizations: manifest.ledgers.length,
    entries: entries.toString(),
  });
}
