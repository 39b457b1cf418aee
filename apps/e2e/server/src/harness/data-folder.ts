import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readMigrations } from '@switchyard/store';
import { instanceDataOf } from './own-organizations.js';
import { isAlive } from './processes.js';
import { repositoryRoot } from './run-switchyard.js';
import { waitUntil } from './wait-until.js';

export interface DataFolder {
  readonly path: string;
  /** Stops the database of the folder if a test left it running, and removes everything. */
  remove(): Promise<void>;
}

/** Creates a data folder for the test. */
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
 * Copies the result of a first start without sellers into an empty data folder, because creating and migrating a
 * database takes most of the time of such a start. Each copy finds its own port.
 */
export async function fillFromTemplate(path: string, make: (path: string) => Promise<void>): Promise<void> {
  if (readdirSync(path).length > 0) return;
  template ??= ensureTemplate(make);
  // With owners, because PostgreSQL runs as its own user if the tests run as root.
  execFileSync('cp', ['-a', `${await template}/.`, path]);
}

const prefix = `switchyard-e2e-template-${String(process.getuid?.() ?? 0)}-`;

/**
 * Creates the template once per build, set of migrations, day and user; the processes of a run share it. If two create
 * it at the same time, the first to rename its copy wins. Older templates are removed.
 */
async function ensureTemplate(make: (path: string) => Promise<void>): Promise<string> {
  const place = join(tmpdir(), prefix + templateKey());
  if (isOurs(place)) return place;
  const draft = mkdtempSync(`${place}-`);
  await make(draft);
  rmSync(join(draft, 'doors-port'));
  // The watchdog removes its file a moment after PostgreSQL has ended; the copy must not contain it.
  rmSync(join(draft, 'postgres/watchdog.json'), { force: true });
  try {
    renameSync(draft, place);
  } catch {
    if (!isOurs(place)) return draft;
    rmSync(draft, { recursive: true, force: true });
  }
  for (const name of readdirSync(tmpdir()).filter((entry) => entry.startsWith(prefix)))
    if (isOld(join(tmpdir(), name))) rmSync(join(tmpdir(), name), { recursive: true, force: true });
  return place;
}

const dayMs = 86_400_000;
const isOld = (place: string): boolean =>
  Date.now() - (statSync(place, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()) > 2 * dayMs;

/** Ensures that another user has not prepared the folder in the shared directory. */
const isOurs = (place: string): boolean =>
  statSync(place, { throwIfNoEntry: false })?.uid === (process.getuid?.() ?? undefined);

function templateKey(): string {
  const hash = createHash('sha256').update(new Date().toISOString().slice(0, 10));
  // The name of the bundle depends on its content.
  const server = readdirSync(join(repositoryRoot, 'apps/cli/bundle')).filter((name) => name.endsWith('.cjs'));
  hash.update(server.join());
  for (const { name, checksum } of readMigrations()) hash.update(`${name}:${checksum};`);
  return hash.digest('hex').slice(0, 16);
}

interface Postmaster {
  readonly pid: number;
  readonly port: number;
}

/** Reads PostgreSQL's own pid file; undefined if there is none. */
export function postmasterOf(data: string): Postmaster | undefined {
  try {
    const lines = readFileSync(join(data, 'postgres/pg/postmaster.pid'), 'utf8').split('\n');
    return { pid: Number(lines[0]), port: Number(lines[3]) };
  } catch {
    return undefined;
  }
}

/** The URL of the folder's database as its owner, who sees the rows of all tenants. */
export function ownerUrlOf(folder: string): string {
  const data = instanceDataOf(folder);
  const postmaster = postmasterOf(data);
  if (postmaster === undefined) throw new Error(`No database runs in ${data}.`);
  const secret = readFileSync(join(data, 'postgres/superuser.secret'), 'utf8').trim();
  return `postgresql://switchyard:${secret}@127.0.0.1:${String(postmaster.port)}/switchyard`;
}
