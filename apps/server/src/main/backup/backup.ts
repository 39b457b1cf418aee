import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import {
  copyCluster,
  dumpDatabase,
  inspectDatabase,
  inspectTenants,
  instanceNotes,
  ledgerHeads,
  locateDatabase,
  openStore,
  readMigrations,
  type LocatedDatabase,
} from '@switchyard/store';
import { err, isoOf, ok, type Result } from '@switchyard/values';
import { systemClock } from '../../platform/clock.js';
import type { StartFailure } from '../../platform/start-failure.js';
import { readConfiguration } from '../settings/read-configuration.js';
import type { Environment } from '../settings/settings.js';
import { filesOf, manifestName, type Manifest } from './manifest.js';

export interface BackupOptions {
  readonly env: Environment;
  readonly dataDir: string;
  /** Each backup is a folder of its own in it. */
  readonly to: string;
  /** How many backups stay there; all if absent. */
  readonly keep?: number;
  /** Another folder, for a copy of the keyring. */
  readonly keyringTo?: string;
  readonly version: string;
  /** It is removed again, so it does not count as the last backup. */
  readonly isTrial?: true;
}

export interface BackupMade {
  readonly folder: string;
  readonly bytes: number;
  readonly ledgers: number;
  readonly removed: readonly string[];
}

const refused = (message: string): Result<never, StartFailure> => err({ code: 'backup', message });

/**
 * Backs up the database while it is in use: the files of the embedded one, or a dump of an own one. Everything that was
 * committed when it begins is in it. Keys are not.
 */
export async function backup(options: BackupOptions): Promise<Result<BackupMade, StartFailure>> {
  const { dataDir, to } = options;
  if (`${resolve(to)}/`.startsWith(`${resolve(dataDir, 'postgres')}/`))
    return refused(
      'In the folder of the database a backup would be a part of the next one. Name a folder outside of it.',
    );
  try {
    return await backUp(options);
  } catch (error) {
    const { code, path, message } = error as NodeJS.ErrnoException;
    // Of a file: a folder may not be written, or the disk is full.
    if (path === undefined && code !== 'ENOSPC') throw error;
    return refused(`The backup cannot be written: ${message}.`);
  }
}

async function backUp(options: BackupOptions): Promise<Result<BackupMade, StartFailure>> {
  const { env, dataDir, to, keyringTo } = options;
  const configuration = readConfiguration(env);
  if (!configuration.ok) return configuration;
  const { SWITCHYARD_KEYRING_FILE: named, SWITCHYARD_KMS_KEY_ID: kmsKey } = configuration.value.settings;
  const keyring = named ?? join(dataDir, 'keyring.json');
  mkdirSync(to, { recursive: true, mode: 0o700 });
  if (keyringTo !== undefined) {
    mkdirSync(keyringTo, { recursive: true, mode: 0o700 });
    if (kmsKey !== undefined || !existsSync(keyring)) return refused('There is no keyring to copy.');
    if (`${realpathSync(keyringTo)}/`.startsWith(`${realpathSync(to)}/`))
      return refused('The keyring opens what the backup holds: copy it to a folder outside of it.');
  }
  const located = locateDatabase(env, dataDir);
  if (!located.ok)
    return located.error.code === 'not_running'
      ? refused(`${located.error.message} Start it: a backup is made while it runs.`)
      : located;
  const now = systemClock.now();
  const folder = join(to, `switchyard-${isoOf(now).replace(/[-:]|\.\d+/g, '')}`);
  const part = `${folder}.part`;
  rmSync(part, { recursive: true, force: true });
  mkdirSync(part, { mode: 0o700 });
  try {
    const made = await fill(part, located.value, { ...options, now });
    if (!made.ok) return made;
    renameSync(part, folder);
    if (keyringTo !== undefined) copyFileSync(keyring, join(keyringTo, 'keyring.json'));
    return ok({ ...made.value, folder, removed: removeOld(to, options.keep) });
  } finally {
    rmSync(part, { recursive: true, force: true });
  }
}

async function fill(
  part: string,
  located: LocatedDatabase,
  { env, dataDir, version, now, isTrial }: BackupOptions & { readonly now: number },
): Promise<Result<Pick<BackupMade, 'bytes' | 'ledgers'>, StartFailure>> {
  const url = located.embedded ? located.url : (env['DATABASE_BACKUP_URL'] ?? located.url);
  const facts = await inspectDatabase(url);
  if (!facts.ok) return facts;
  const store = openStore(located.url, { connections: 2 });
  try {
    // The heads are read first, so the copy has at least these.
    const ledgers = await ledgerHeads(store);
    const { keyIds } = await inspectTenants(store, now);
    if (located.embedded) {
      const copied = await copyCluster(url, join(dataDir, 'postgres/pg'), join(part, 'pg'));
      if (!copied.ok) return copied;
      copyFileSync(join(dataDir, 'postgres/superuser.secret'), join(part, 'superuser.secret'));
    } else {
      const dumped = await dumpDatabase(url, join(part, 'database.dump'));
      if (!dumped.ok) return dumped;
    }
    const manifest: Manifest = {
      format: 'switchyard.backup.1',
      version,
      made_at: isoOf(now),
      kind: located.embedded ? 'cluster' : 'dump',
      postgres: facts.value.version,
      newest_migration: readMigrations().at(-1)?.name ?? '',
      key_ids: [...keyIds],
      ledgers: ledgers.map((head) => ({ ...head })),
      files: await filesOf(part),
    };
    writeFileSync(join(part, manifestName), `${JSON.stringify(manifest, undefined, 2)}\n`, {
      mode: 0o600,
      flush: true,
    });
    if (isTrial !== true) await instanceNotes(store).set('backup', isoOf(now), now);
    const bytes = Object.values(manifest.files).reduce((sum, file) => sum + file.bytes, 0);
    return ok({ bytes, ledgers: ledgers.length });
  } finally {
    await store.close();
  }
}

/** Removes the oldest whole backups beyond `keep`. */
function removeOld(to: string, keep: number | undefined): readonly string[] {
  if (keep === undefined) return [];
  const whole = readdirSync(to)
    .filter((name) => /^switchyard-\d{8}T\d{6}Z$/.test(name) && existsSync(join(to, name, manifestName)))
    .sort();
  const old = whole.slice(0, Math.max(0, whole.length - keep));
  for (const name of old) rmSync(join(to, name), { recursive: true });
  return old;
}
