import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbedded, withClient } from '@switchyard/store';
import { must } from '@switchyard/values';
import { ensureTemplate } from './template-cluster.js';

/** A running cluster with a migrated template database, which must have no connections. */
export interface Cluster {
  /** The superuser, at the database `postgres`. */
  readonly ownerUrl: string;
  /** The plain role of the server, at the template database. */
  readonly appUrl: string;
}

let found: Promise<Cluster> | undefined;

/**
 * The cluster of this process: a copy of a template, started at first use, without fsync. The suites of a process run
 * one after another and each loads its own modules, so the cluster's address is in a file named by the process id. A
 * watchdog ends the cluster with the process, in any case.
 */
export function clusterOfProcess(): Promise<Cluster> {
  found ??= findOrStart();
  return found;
}

async function findOrStart(): Promise<Cluster> {
  const note = join(tmpdir(), `switchyard-cluster-${process.getuid?.() ?? 0}-${process.pid}.json`);
  const stored = readNote(note);
  // An earlier process with the same id may have left a file whose cluster is gone.
  if (stored !== undefined && (await withClient(stored.ownerUrl, () => Promise.resolve())).ok) return stored;
  const started = await start(note);
  const draft = `${note}.draft`;
  writeFileSync(draft, JSON.stringify(started), { mode: 0o600 });
  renameSync(draft, note);
  return started;
}

function readNote(path: string): Cluster | undefined {
  try {
    if (statSync(path).uid !== (process.getuid?.() ?? statSync(path).uid)) return undefined;
    return JSON.parse(readFileSync(path, 'utf8')) as Cluster;
  } catch {
    return undefined;
  }
}

async function start(note: string): Promise<Cluster> {
  const template = await ensureTemplate();
  const dataDir = mkdtempSync(join(tmpdir(), 'switchyard-test-'));
  const copied = spawnSync('cp', ['-a', '--reflink=auto', `${template}/.`, dataDir], { encoding: 'utf8' });
  if (copied.status !== 0) throw new Error(`The template cluster could not be copied: ${copied.stderr}`);
  const { url, pid } = must(await startEmbedded({ dataDir, fsync: false }));
  watch(pid, dataDir, note);
  return { ownerUrl: url, appUrl: asRoleOf(readFileSync(join(dataDir, 'application.url'), 'utf8'), url) };
}

/** The URL of `where`, with the role and the database of the other URL. */
function asRoleOf(role: string, where: string): string {
  const { username, password, pathname } = new URL(role);
  const moved = new URL(where);
  Object.assign(moved, { username, password, pathname });
  return moved.href;
}

/** A shell that waits for the end of this process, which closes its standard input in any case. */
function watch(pid: number, folder: string, note: string): void {
  const child = spawn(
    '/bin/sh',
    ['-c', 'read _; kill -QUIT "$0" 2>/dev/null; sleep 1; rm -rf "$1" "$2"', String(pid), folder, note],
    { cwd: '/', detached: true, stdio: ['pipe', 'ignore', 'ignore'] },
  );
  child.unref();
  const lifeline = child.stdin as unknown as { unref(): void };
  lifeline.unref();
}
