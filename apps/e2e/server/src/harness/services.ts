import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { startEmbedded, withClient } from '@switchyard/store';
import { freePort } from '@switchyard/testing';
import { must } from '@switchyard/values';
import { childrenOf, isAlive, signal } from './processes.js';
import { waitUntil } from './wait-until.js';

/** A server that others need, on the same port at each start. */
export interface Service {
  readonly port: number;
  /** Kills it and waits until it has ended. */
  kill(): Promise<void>;
  /** Starts it on its port, and waits until it accepts connections. */
  start(): Promise<void>;
  /** Stops all its processes with SIGSTOP: connections stay open, and nothing answers. */
  freeze(): void;
  thaw(): void;
}

export const isInstalled = (program: string): boolean =>
  spawnSync('which', [program], { stdio: 'ignore' }).status === 0;

/** `isUp` checks whether it works; by default, whether the port is open. */
function service(
  port: number,
  run: () => ChildProcess,
  ended: NodeJS.Signals,
  isUp: () => Promise<true | undefined> = () => isOpen(port),
): Service {
  let pid: number | undefined;
  const everyOne = (name: NodeJS.Signals): void => {
    if (pid !== undefined) for (const each of [pid, ...childrenOf(pid)]) signal(each, name);
  };
  return {
    port,
    start: async () => {
      pid = run().pid;
      await waitUntil(`what is on port ${String(port)} works`, isUp);
    },
    kill: async () => {
      const last = pid;
      if (last === undefined) return;
      everyOne('SIGCONT');
      signal(last, ended);
      await waitUntil('it has ended', () => (isAlive(last) ? undefined : true));
      pid = undefined;
    },
    freeze: () => everyOne('SIGSTOP'),
    thaw: () => everyOne('SIGCONT'),
  };
}

function isOpen(port: number): Promise<true | undefined> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('error', () => resolve(undefined));
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
  });
}

/** Redis without persistence: a kill loses all data. */
export async function redisService(): Promise<Service> {
  const port = await freePort();
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  const redis = service(port, () => spawn('redis-server', args, { stdio: 'ignore' }), 'SIGKILL');
  await redis.start();
  return redis;
}

export interface PostgresService extends Service {
  /** The URL of a superuser, over TCP. */
  readonly ownerUrl: string;
}

/** The PostgreSQL of the product's package, as a separate server that can be stopped and started. */
export async function postgresService(dataDir: string): Promise<PostgresService> {
  const started = must(await startEmbedded({ dataDir }));
  const { port, pid } = started;
  const proc = `/proc/${String(pid)}`;
  const file = readlinkSync(join(proc, 'exe'));
  const args = readFileSync(join(proc, 'cmdline'), 'utf8').split('\0').slice(1, -1);
  const idOf = (kind: string): number =>
    Number(new RegExp(`^${kind}:\\s+(\\d+)`, 'm').exec(readFileSync(join(proc, 'status'), 'utf8'))?.[1]);
  const [uid, gid] = [idOf('Uid'), idOf('Gid')];
  const env = Object.fromEntries(
    readFileSync(join(proc, 'environ'), 'utf8')
      .split('\0')
      .map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
  );
  const cwd = readlinkSync(join(proc, 'cwd'));
  const url = new URL(started.url);
  await started.stop();
  // As root the product starts it with the right to pass any folder, which is missing here.
  chmodSync(dataDir, 0o755);
  // SIGINT closes connections and rolls back what has not been committed.
  const run = (): ChildProcess => spawn(file, args, { uid, gid, env, cwd, stdio: 'ignore' });
  const ownerUrl = `postgresql://${url.username}:${url.password}@127.0.0.1:${String(port)}/postgres`;
  // During its start it accepts connections only to report that it is starting.
  const answers = (): Promise<true | undefined> =>
    withClient(ownerUrl, (client) => client.query('select 1')).then(
      ({ ok }) => (ok ? true : undefined),
      () => undefined,
    );
  const postgres = service(port, run, 'SIGINT', answers);
  await postgres.start();
  return { ...postgres, ownerUrl };
}

/** PgBouncer in transaction mode in front of a database, for one role. */
export async function bouncerService(
  folder: string,
  to: { readonly port: number; readonly database: string; readonly role: string; readonly password: string },
): Promise<Service> {
  mkdirSync(folder, { recursive: true });
  const port = await freePort();
  const users = join(folder, 'users.txt');
  const settings = join(folder, 'pgbouncer.ini');
  writeFileSync(users, `"${to.role}" "${to.password}"\n`);
  writeFileSync(
    settings,
    `[databases]
${to.database} = host=127.0.0.1 port=${String(to.port)}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${String(port)}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${users}
pool_mode = transaction
max_client_conn = 200
default_pool_size = 20
server_login_retry = 1
query_wait_timeout = 10
`,
  );
  for (const [path, mode] of [
    [folder, 0o755],
    [users, 0o644],
    [settings, 0o644],
  ] as const)
    chmodSync(path, mode);
  // It does not run as root.
  const asOther = process.getuid?.() === 0 ? ['--user', 'nobody'] : [];
  const run = (): ChildProcess => spawn('pgbouncer', ['--quiet', ...asOther, settings], { stdio: 'inherit' });
  const bouncer = service(port, run, 'SIGKILL');
  await bouncer.start();
  return bouncer;
}
