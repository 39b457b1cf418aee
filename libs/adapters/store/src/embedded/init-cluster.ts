import { spawn } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, renameSync, rmSync, statfsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { err, ok, type Result } from '@switchyard/values';
import type { Binaries } from './binaries.js';
import type { EmbeddedFailure } from './embedded-failure.js';
import { searchPath, type ServerIdentity } from './server-identity.js';

export interface ClusterPlan {
  readonly cluster: string;
  readonly secretFile: string;
  readonly binaries: Binaries;
  readonly identity: ServerIdentity;
  readonly durable: boolean;
}

/** The environment of PostgreSQL's own processes: only the path, so no locale or time zone is inherited. */
export function serverEnvironment(binaries: Binaries): Record<string, string> {
  return {
    PATH: searchPath(),
    LC_ALL: 'C',
    TZ: 'UTC',
    ...(binaries.libraryPath === undefined ? {} : { LD_LIBRARY_PATH: binaries.libraryPath }),
  };
}

/**
 * Makes the cluster if there is none. It is made beside its final path and renamed when complete, so that a crash
 * leaves no cluster that looks finished. Of two concurrent first starts one wins and the other deletes its own.
 */
export async function initCluster(plan: ClusterPlan): Promise<Result<void, EmbeddedFailure>> {
  if (existsSync(join(plan.cluster, 'PG_VERSION'))) return ok(undefined);
  const draft = mkdtempSync(`${plan.cluster}.new-`);
  if (plan.identity.uid !== undefined) chownSync(draft, plan.identity.uid, -1 >>> 0);
  const failure = await runInitdb(plan, draft);
  if (failure === undefined) {
    try {
      renameSync(draft, plan.cluster);
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error;
    }
  }
  rmSync(draft, { recursive: true, force: true });
  return failure === undefined ? ok(undefined) : err({ code: 'init_failed', message: failure });
}

async function runInitdb(plan: ClusterPlan, folder: string): Promise<string | undefined> {
  const [command, args] = plan.identity.wrap(plan.binaries.initdb, [
    `--pgdata=${folder}`,
    '--auth=scram-sha-256',
    `--pwfile=${plan.secretFile}`,
    '--username=switchyard',
    '--encoding=UTF8',
    '--locale-provider=builtin',
    '--locale=C.UTF-8',
    '--data-checksums',
    ...(plan.durable ? [] : ['--no-sync', '--wal-segsize=1']),
  ]);
  const child = spawn(command, args, {
    cwd: '/',
    env: serverEnvironment(plan.binaries),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let reported = '';
  child.stderr.setEncoding('utf8').on('data', (part: string) => (reported = (reported + part).slice(-2000)));
  return new Promise((settle) => {
    child.once('error', (error) => {
      settle(`initdb could not be run: ${error.message}`);
    });
    child.once('close', (code) => {
      if (code === 0) settle(undefined);
      else
        settle(
          diskFull(dirname(folder), reported) ?? `initdb ended with ${String(code)}: ${reported.trim()}`,
        );
    });
  });
}

/** Explains a full disk if PostgreSQL ended because of it: from its output, or from the free space. */
export function diskFull(folder: string, reported = ''): string | undefined {
  const { bavail, bsize } = statfsSync(folder);
  if (!reported.includes('No space left on device') && bavail * bsize >= leastFree) return undefined;
  return `The disk of ${folder} is full: PostgreSQL cannot write there. Free some space (a new data folder takes about 100 MB), then start again.`;
}

const leastFree = 256 * 1024;
