import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  dropTrialDatabase,
  instanceNotes,
  locateDatabase,
  makeTrialDatabase,
  openStore,
} from '@switchyard/store';
import { isoOf, ok, type Result } from '@switchyard/values';
import { systemClock } from '../../platform/clock.js';
import type { StartFailure } from '../../platform/start-failure.js';
import type { Environment } from '../settings/settings.js';
import { backup } from './backup.js';
import { restore } from './restore.js';

export interface DrillOptions {
  readonly env: Environment;
  readonly dataDir: string;
  /** The folder in which backup and trial are made and removed; by default one for temporary files. */
  readonly within?: string;
  readonly version: string;
}

export interface Drilled {
  readonly bytes: number;
  readonly organizations: number;
  readonly entries: string;
  /** From the beginning of the backup to the end of the verification. */
  readonly seconds: number;
}

/**
 * Makes a backup, restores it beside the running instance, verifies its ledgers, and removes both. What it restored is never
 * started, so it sends nothing. An own database is restored into one beside it, which its role must be able to make.
 */
export async function drill(options: DrillOptions): Promise<Result<Drilled, StartFailure>> {
  const { env, dataDir, within = tmpdir(), version } = options;
  const began = performance.now();
  mkdirSync(within, { recursive: true, mode: 0o700 });
  const folder = mkdtempSync(join(within, 'drill-'));
  try {
    const made = await backup({ env, dataDir, to: join(folder, 'backup'), version, isTrial: true });
    if (!made.ok) return made;
    const tried = await tryOut(options, made.value.folder, join(folder, 'data'));
    if (!tried.ok) return tried;
    await note(options);
    const { organizations, entries } = tried.value;
    const seconds = Math.round((performance.now() - began) / 100) / 10;
    return ok({ bytes: made.value.bytes, organizations, entries, seconds });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function tryOut(
  { env, dataDir }: DrillOptions,
  folder: string,
  trial: string,
): ReturnType<typeof restore> {
  const own = join(dataDir, 'keyring.json');
  const keyring = env['SWITCHYARD_KEYRING_FILE'] === undefined && existsSync(own) ? { keyring: own } : {};
  const located = locateDatabase(env, dataDir);
  if (!located.ok) return located;
  if (located.value.embedded) return restore({ env, folder, dataDir: trial, ...keyring });
  const name = `switchyard_drill_${randomBytes(4).toString('hex')}`;
  const server = env['DATABASE_BACKUP_URL'] ?? located.value.url;
  const database = await makeTrialDatabase(server, name);
  if (!database.ok) return database;
  try {
    return await restore({
      env: trialEnvironment(env, located.value.url, name),
      folder,
      dataDir: trial,
      ...keyring,
    });
  } finally {
    await dropTrialDatabase(server, name);
  }
}

/** The settings with the trial's database in the place of the installation's, which its owner opens. */
function trialEnvironment(env: Environment, ownerUrl: string, name: string): Environment {
  const others = Object.entries(env).filter(([setting]) => !setting.startsWith('DATABASE_'));
  const at = (address: string): string => {
    const url = new URL(address);
    url.pathname = `/${name}`;
    return url.href;
  };
  const backupUrl = env['DATABASE_BACKUP_URL'];
  return {
    ...Object.fromEntries(others),
    DATABASE_URL: at(ownerUrl),
    ...(backupUrl !== undefined && { DATABASE_BACKUP_URL: at(backupUrl) }),
  };
}

/** The time of the last drill, for `switchyard doctor`. */
async function note({ env, dataDir }: DrillOptions): Promise<void> {
  const located = locateDatabase(env, dataDir);
  if (!located.ok) return;
  const store = openStore(located.value.url, { connections: 1 });
  try {
    const now = systemClock.now();
    await instanceNotes(store).set('drill', isoOf(now), now);
  } finally {
    await store.close();
  }
}
