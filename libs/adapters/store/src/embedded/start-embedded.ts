import pg from 'pg';
import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { clearInterval, setInterval } from 'node:timers';
import { setTimeout as pause } from 'node:timers/promises';
import { err, ok, type Result } from '@switchyard/values';
import { findBinaries } from './binaries.js';
import type { EmbeddedFailure } from './embedded-failure.js';
import { diskFull, initCluster, serverEnvironment, type ClusterPlan } from './init-cluster.js';
import { damagedPidFile, dropPostmasterFile, ownerOfPid, readPostmasterFile } from './postmaster-file.js';
import { readOrMakeSecret } from './secret-file.js';
import { serverIdentity } from './server-identity.js';
import { watchOf, watchServer } from './watchdog.js';

interface EmbeddedOptions {
  /** Parent folder of all files of this server: the cluster, its superuser's secret, its log. */
  readonly dataDir: string;
  /** Default: true. False is for tests: faster, but a power cut can destroy the data. */
  readonly fsync?: boolean;
  /** The `native` folder of the platform package. Default: that of the nearest node_modules. */
  readonly native?: string;
}

export interface EmbeddedServer {
  /**
   * URL of the superuser `switchyard`, database `postgres`; by the server's socket if we can reach it, in the parameter
   * `host`. Holds a password: never print it.
   */
  readonly url: string;
  readonly port: number;
  /** Another one after a crash: a server that ends by itself is started again, at the same port. */
  readonly pid: number;
  /** True if a server of an earlier start was already running. */
  readonly adopted: boolean;
  /** Close all connections first: it waits 5 s for them, then breaks them. */
  stop(): Promise<void>;
}

const startTimeoutMs = 60_000;

/**
 * Starts the PostgreSQL of a data folder, or adopts a running one. The server is a process group of its own, so our
 * signals do not reach it; a watchdog stops it if this process ends without stopping it.
 */
export async function startEmbedded(
  options: EmbeddedOptions,
): Promise<Result<EmbeddedServer, EmbeddedFailure>> {
  const dataDir = resolve(options.dataDir);
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const cluster = join(dataDir, 'pg');
  const identity = serverIdentity(cluster);
  if (!identity.ok) return identity;
  const binaries = findBinaries(join(dataDir, 'libraries'), options.native);
  if (!binaries.ok) return binaries;
  const secretFile = join(dataDir, 'superuser.secret');
  if (existsSync(join(cluster, 'PG_VERSION')) && !existsSync(secretFile)) return err(noSecret(secretFile));
  const secret = readOrMakeSecret(secretFile);
  const durable = options.fsync !== false;
  const plan = { cluster, secretFile, binaries: binaries.value, identity: identity.value, durable };
  const made = await initCluster(plan);
  if (!made.ok) return made;
  const logFile = join(dataDir, 'postgres.log');
  const urlAt = (port: number) => `postgresql://switchyard:${secret}@127.0.0.1:${port}/postgres`;

  const deadline = Date.now() + startTimeoutMs;
  while (Date.now() < deadline) {
    const damaged = damagedPidFile(cluster);
    const found = readPostmasterFile(cluster);
    const owner = found === undefined ? 'nobody' : ownerOfPid(cluster, found.pid);
    if (found !== undefined && owner !== 'nobody') {
      if (owner === 'stranger') dropPostmasterFile(cluster, found.text);
      else {
        // A server whose owner has ended is being stopped: it still answers for a moment, but must not be used.
        const usable = found.ready && watchOf(cluster) !== 'stopping';
        const url =
          usable && found.port !== undefined ? await reached(urlAt(found.port), cluster) : undefined;
        if (url !== undefined && found.port !== undefined) {
          const release = watchOf(cluster) === 'none' ? watchServer(cluster, found.pid) : undefined;
          const { pid, port } = found;
          return ok(
            Object.assign(keptRunning({ plan, logFile, port, pid, release }), { url, port, adopted: true }),
          );
        }
        await pause(100);
      }
      continue;
    }
    const started = await launch(plan, logFile, await freePort(), deadline);
    if (started !== undefined) {
      const release = watchServer(cluster, started.pid);
      const url = (await reached(urlAt(started.port), cluster)) ?? urlAt(started.port);
      const { port } = started;
      return ok(
        Object.assign(keptRunning({ plan, logFile, ...started, release }), { url, port, adopted: false }),
      );
    }
    // A starting server has already written its pid.
    if (damaged !== undefined) dropPostmasterFile(cluster, damaged);
    const full = diskFull(dataDir);
    if (full !== undefined) return err({ code: 'start_failed', message: full });
    await pause(150);
  }
  return err({
    code: 'start_failed',
    message: `PostgreSQL did not start within ${startTimeoutMs / 1000} s. Its log, ${logFile}, ends with: ${tailOf(logFile)}`,
  });
}

const noSecret = (path: string): EmbeddedFailure => ({
  code: 'no_secret',
  message: `${path} is not there, and nothing else opens the database beside it. Restore it from a backup.`,
});

/** The address at which the server accepts our login: its socket, else its port; undefined if neither answers. */
async function reached(url: string, cluster: string): Promise<string | undefined> {
  const folder = socketFolderOf(cluster);
  const through = folder === undefined ? undefined : bySocket(url, folder);
  if (through !== undefined && (await answers(through))) return through;
  return (await answers(url)) ? url : undefined;
}

interface Kept {
  readonly plan: ClusterPlan;
  readonly logFile: string;
  readonly port: number;
  readonly pid: number;
  readonly release?: (() => void) | undefined;
}

/** How often it is looked whether a server still runs, in milliseconds. */
const watchEveryMs = 1_000;

/**
 * Starts a server again that has crashed or was killed: it leaves its pid file, which one that was stopped does not. Its
 * users connect again by themselves, so nobody has to restart them.
 */
function keptRunning(first: Kept): Pick<EmbeddedServer, 'pid' | 'stop'> {
  const { cluster } = first.plan;
  let { pid, release } = first;
  let isStopping = false;
  let restart: Promise<void> | undefined;
  const startAgain = async (): Promise<void> => {
    while (!isStopping) {
      const found = readPostmasterFile(cluster);
      const other = found?.ready === true && isRunning(cluster, found.pid) ? found : undefined;
      const started =
        other ?? (await launch(first.plan, first.logFile, first.port, Date.now() + startTimeoutMs));
      if (started !== undefined) {
        const before = release;
        pid = started.pid;
        release = watchServer(cluster, pid);
        before?.();
        return;
      }
      await pause(watchEveryMs);
    }
  };
  const timer = setInterval(() => {
    if (isRunning(cluster, pid) || readPostmasterFile(cluster)?.pid !== pid) return;
    // A full disk lets it fail; then the next look tries again.
    restart ??= startAgain()
      .catch(() => undefined)
      .finally(() => (restart = undefined));
  }, watchEveryMs).unref();
  return {
    get pid() {
      return pid;
    },
    async stop() {
      isStopping = true;
      clearInterval(timer);
      await restart;
      await stopPostmaster(cluster, pid);
      release?.();
    },
  };
}

/** One attempt. The pid and port of the server once it accepts connections, or undefined if it exited before. */
async function launch(
  plan: ClusterPlan,
  logFile: string,
  port: number,
  deadline: number,
): Promise<{ pid: number; port: number } | undefined> {
  const fast = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'shared_buffers=32MB'];
  const sockets = `unix_socket_directories=${socketFolderOf(plan.cluster) ?? ''}`;
  const settings = ['listen_addresses=127.0.0.1', sockets, ...(plan.durable ? [] : fast)];
  const [command, args] = plan.identity.wrap(plan.binaries.postgres, [
    '-D',
    plan.cluster,
    '-p',
    String(port),
    ...settings.flatMap((setting) => ['-c', setting]),
  ]);
  const log = openSync(logFile, 'a', 0o600);
  const child = spawn(command, args, {
    cwd: '/',
    detached: true,
    env: serverEnvironment(plan.binaries),
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  child.unref();
  const ended = exitOf(child);
  while (Date.now() < deadline && !ended()) {
    const file = readPostmasterFile(plan.cluster);
    // setpriv replaces itself with the server, so the child's pid is the postmaster's.
    if (file !== undefined && file.pid === child.pid && file.ready) return { pid: file.pid, port };
    await pause(5);
  }
  return undefined;
}

function exitOf(child: ChildProcess): () => boolean {
  let over = false;
  child.once('error', () => (over = true));
  child.once('exit', () => (over = true));
  return () => over;
}

/** A port that was free a moment ago. If another process takes it first, the server exits and another port is tried. */
async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((listening, failed) => {
    probe.once('error', failed).listen(0, '127.0.0.1', listening);
  });
  const { port } = probe.address() as AddressInfo;
  await new Promise((closed) => probe.close(closed));
  return port;
}

function tailOf(logFile: string): string {
  try {
    return readFileSync(logFile, 'utf8').trim().split('\n').slice(-5).join(' | ');
  } catch {
    return '(no log)';
  }
}

/** Whether a server at that address accepts our login and answers a query. */
export async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 3000 });
  // A server that stops during the query emits an error event beside the rejected promise.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('select 1');
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Longest path of a Unix socket on Linux, in bytes, without the final zero. */
const longestAddress = 107;

/**
 * Folder of a cluster's socket: the cluster's own private folder. A round trip over a socket costs both sides about a
 * quarter less than over the loopback interface. Undefined if the path is too long or has characters that a folder list
 * in a setting does not take; then only the port is used.
 */
function socketFolderOf(cluster: string): string | undefined {
  const longest = join(cluster, '.s.PGSQL.65535');
  if (Buffer.byteLength(longest) > longestAddress || !/^[\w/.+@~-]+$/.test(cluster)) return undefined;
  return cluster;
}

/** The URL of the same server by its socket: name and port stay in it for readers. */
function bySocket(url: string, folder: string): string {
  const through = new URL(url);
  through.searchParams.set('host', folder);
  return through.href;
}

const shutdownMs = 5000;

/**
 * Stops a server. SIGTERM lets sessions finish; after 5 s SIGINT rolls open transactions back. Both write a checkpoint,
 * so the next start needs no recovery.
 */
async function stopPostmaster(cluster: string, pid: number): Promise<void> {
  if (!isRunning(cluster, pid)) return;
  process.kill(pid, 'SIGTERM');
  if (await endedWithin(cluster, pid, shutdownMs)) return;
  process.kill(pid, 'SIGINT');
  if (await endedWithin(cluster, pid, 30_000)) return;
  throw new Error(`PostgreSQL (pid ${pid}) did not stop within 35 s.`);
}

/** The pid may belong to another process since the start. */
function isRunning(cluster: string, pid: number): boolean {
  return ['postmaster', 'unknown'].includes(ownerOfPid(cluster, pid));
}

async function endedWithin(cluster: string, pid: number, milliseconds: number): Promise<boolean> {
  const deadline = Date.now() + milliseconds;
  while (Date.now() < deadline) {
    if (!isRunning(cluster, pid)) return true;
    await pause(20);
  }
  return false;
}
