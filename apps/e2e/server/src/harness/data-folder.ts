import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readMigrations } from '@switchyard/store';
import { isAlive } from './processes.js';
import { repositoryRoot } from './run-switchyard.js';
import { waitUntil } from './wait-until.js';

export interface DataFolder {
  readonly path: string;
  /** Ends the database of the folder, if a test left it running, and removes everything. */
  remove(): Promise<void>;
}

/** A data folder of the test's own. */
export function dataFolder(): DataFolder {
  const path = mkdtempSync(join(tmpdir(), 'switchyard-e2e-'));
  return {
    path,
    remove: async () => {
      const postmaster = postmasterOf(path);
      if (postmaster !== undefined && isAlive(postmaster.pid)) {
        process.kill(postmaster.pid, 'SIGQUIT');
        await waitUntil('the database ends', () => (isAlive(postmaster.pid) ? undefined : true));
      }
      rmSync(path, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

let template: Promise<string> | undefined;

/**
 * Gives an empty data folder what a first start without sellers leaves: making a database and migrating it takes most of
 * such a start. Each copy finds a port of its own.
 */
export async function fillFromTemplate(path: string, make: (path: string) => Promise<void>): Promise<void> {
  if (readdirSync(path).length > 0) return;
  template ??= ensureTemplate(make);
  // With owners: PostgreSQL runs as a user of its own where the tests are root.
  execFileSync('cp', ['-a', `${await template}/.`, path]);
}

const prefix = `switchyard-e2e-template-${String(process.getuid?.() ?? 0)}-`;

/**
 * Made once per build, set of migrations, day and user: the processes of a run share it. Two may need it in the same
 * instant: the first to rename its own into place wins. Those of other days are removed.
 */
async function ensureTemplate(make: (path: string) => Promise<void>): Promise<string> {
  const place = join(tmpdir(), prefix + templateKey());
  if (isOurs(place)) return place;
  const draft = mkdtempSync(`${place}-`);
  await make(draft);
  rmSync(join(draft, 'doors-port'));
  // The watchdog takes its note away a moment after PostgreSQL has ended, which a copy must not meet.
  rmSync(join(draft, 'postgres/watchdog.json'), { force: true });
  try {
    renameSync(draft, place);
  } catch {
    if (!isOurs(place)) return draft;
    rmSync(draft, { recursive: true, force: true });
  }
  for (const name of readdirSync(tmpdir()).filter((one) => one.startsWith(prefix)))
    if (isOld(join(tmpdir(), name))) rmSync(join(tmpdir(), name), { recursive: true, force: true });
  return place;
}

const dayMs = 86_400_000;
const isOld = (place: string): boolean =>
  Date.now() - (statSync(place, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()) > 2 * dayMs;

/** Not the trap of another user of this machine in the shared folder. */
const isOurs = (place: string): boolean =>
  statSync(place, { throwIfNoEntry: false })?.uid === (process.getuid?.() ?? undefined);

function templateKey(): string {
  const hash = createHash('sha256').update(new Date().toISOString().slice(0, 10));
  // Its name says what is in it.
  const server = readdirSync(join(repositoryRoot, 'apps/cli/bundle')).filter((name) => name.endsWith('.cjs'));
  hash.update(server.join());
  for (const { name, checksum } of readMigrations()) hash.update(`${name}:${checksum};`);
  return hash.digest('hex').slice(0, 16);
}

export interface Postmaster {
  readonly pid: number;
  readonly port: number;
}

/** What PostgreSQL's own pid file says; nothing when there is none. */
export function postmasterOf(data: string): Postmaster | undefined {
  try {
    const lines = readFileSync(join(data, 'postgres/pg/postmaster.pid'), 'utf8').split('\n');
    return { pid: Number(lines[0]), port: Number(lines[3]) };
  } catch {
    return undefined;
  }
}

/** The database of the folder as its owner, who sees every tenant's rows. */
export function ownerUrlOf(data: string): string {
  const postmaster = postmasterOf(data);
  if (postmaster === undefined) throw new Error(`No database runs in ${data}.`);
  const secret = readFileSync(join(data, 'postgres/superuser.secret'), 'utf8').trim();
  return `postgresql://switchyard:${secret}@127.0.0.1:${String(postmaster.port)}/switchyard`;
}
