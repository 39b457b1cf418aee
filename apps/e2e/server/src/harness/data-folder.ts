import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
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
