import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrateDatabase, startEmbedded, type EmbeddedServer } from '@switchyard/store';
import { databaseName, ensureTemplate } from './template-cluster.js';

export interface TestDatabase {
  /** The superuser of a cluster of its own. */
  readonly ownerUrl: string;
  /** The plain role that the server would run as. */
  readonly appUrl: string;
  readonly server: EmbeddedServer;
  /** Close every pool first. Removes the cluster. */
  stop(): Promise<void>;
}

/**
 * A migrated PostgreSQL of its own in a temporary folder, without fsync: a copy of a template that is made once per
 * set of migrations. If the test's process is killed, a watchdog stops the server and removes the folder.
 */
export async function startPostgres(): Promise<TestDatabase> {
  const template = await ensureTemplate();
  const dataDir = mkdtempSync(join(tmpdir(), 'switchyard-test-'));
  const copied = spawnSync('cp', ['-a', '--reflink=auto', `${template}/.`, dataDir], { encoding: 'utf8' });
  if (copied.status !== 0) throw new Error(`The template cluster could not be copied: ${copied.stderr}`);
  const started = await startEmbedded({ dataDir, fsync: false });
  if (!started.ok) throw new Error(started.error.message);
  const server = started.value;
  const release = watch(server.pid, dataDir);
  const owner = new URL(server.url);
  owner.pathname = `/${databaseName}`;
  return {
    ownerUrl: owner.href,
    appUrl: readFileSync(join(dataDir, 'application.url'), 'utf8').replace(':0/', `:${server.port}/`),
    server,
    stop: async () => {
      quit(server.pid);
      await server.stop();
      release();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** Nothing here is worth a checkpoint. */
function quit(pid: number): void {
  try {
    process.kill(pid, 'SIGQUIT');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Applies the migrations to a database of the test's own making; the plain role's URL. */
export async function migrateForTest(ownerUrl: string, dataDir: string): Promise<string> {
  const migrated = await migrateDatabase(ownerUrl, dataDir);
  if (!migrated.ok) throw new Error(migrated.error.message);
  return migrated.value;
}

/** A shell that waits for the end of our life: its standard input closes when this process ends, however it ends. */
function watch(pid: number, folder: string): () => void {
  const child = spawn(
    '/bin/sh',
    ['-c', 'read _; kill -QUIT "$0" 2>/dev/null; sleep 1; rm -rf "$1"', String(pid), folder],
    {
      cwd: '/',
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    },
  );
  child.unref();
  const lifeline = child.stdin as unknown as { unref(): void };
  lifeline.unref();
  return () => {
    child.kill('SIGKILL');
  };
}
