import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAlive } from './processes.js';
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
 * such a start. The template is made once per process, and each copy finds a port of its own.
 */
export async function fillFromTemplate(path: string, make: (path: string) => Promise<void>): Promise<void> {
  if (readdirSync(path).length > 0) return;
  template ??= (async () => {
    const folder = mkdtempSync(process.env['E2E_TEMPLATES'] ?? join(tmpdir(), 'switchyard-template-'));
    await make(folder);
    rmSync(join(folder, 'doors-port'));
    // The watchdog takes its note away a moment after PostgreSQL has ended, which a copy must not meet.
    rmSync(join(folder, 'postgres/watchdog.json'), { force: true });
    return folder;
  })();
  // With owners: PostgreSQL runs as a user of its own where the tests are root.
  execFileSync('cp', ['-a', `${await template}/.`, path]);
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
