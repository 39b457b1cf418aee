import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '@switchyard/testing';
import { startBalancer, type Balancer } from './balancer.js';
import { isAlive, signal } from './processes.js';
import { childEnvironment, switchyardBin } from './run-switchyard.js';
import { waitUntil } from './wait-until.js';

/** One of several processes, with its own role and data folder. */
interface Replica {
  readonly name: string;
  readonly url: string;
  start(): Promise<void>;
  kill(): Promise<void>;
  /** Sends SIGTERM and returns the exit code. */
  stop(): Promise<number | null>;
  /** The end of its output since its last start. */
  printed(): string;
}

/** Two processes of each role behind a balancer, started with the commands of docs/runbooks/operate.md. */
export interface Replicas {
  readonly all: readonly Replica[];
  readonly balancer: Balancer;
  /** The data folder of the first one. */
  readonly data: string;
  token(): Promise<string>;
  stop(): Promise<void>;
}

export async function startReplicas(
  folder: string,
  environment: Readonly<Record<string, string>>,
): Promise<Replicas> {
  const names = ['http-1', 'http-2', 'workers-1', 'workers-2'];
  const ports = await Promise.all(names.map(() => freePort()));
  const http = names.flatMap((name, at) =>
    name.startsWith('http') ? [`http://127.0.0.1:${String(ports[at])}`] : [],
  );
  const balancer = await startBalancer(http);
  const env = {
    ...environment,
    SWITCHYARD_PUBLIC_URL: balancer.url,
    SWITCHYARD_KEYRING_FILE: join(folder, 'keyring.json'),
  };
  const first = join(folder, 'http-1');
  const all = names.map((name, at) => replica(join(folder, name), name, ports[at] ?? 0, env));
  await Promise.all(all.map((item) => item.start())).catch(async (error: unknown) => {
    // The caller does not have them yet and cannot end them.
    await Promise.all(all.map((item) => item.kill()));
    await balancer.stop();
    throw error;
  });
  await waitUntil('both are ready', () => (balancer.ready().length === 2 ? true : undefined));
  return {
    all,
    balancer,
    data: first,
    token: async () => {
      const secret = readFileSync(join(first, 'admin.secret'), 'utf8').trim();
      const answer = await fetch(`${all[0]?.url ?? ''}/v1/tokens`, {
        method: 'POST',
        headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
        body: '{}',
      });
      return ((await answer.json()) as { token: string }).token;
    },
    stop: async () => {
      await Promise.all(all.map((item) => item.kill()));
      await balancer.stop();
    },
  };
}

function replica(data: string, name: string, port: number, env: Readonly<Record<string, string>>): Replica {
  const url = `http://127.0.0.1:${String(port)}`;
  let pid: number | undefined;
  let ended: Promise<number | null> = Promise.resolve(null);
  let reported = '';
  const end = async (name: NodeJS.Signals): Promise<number | null> => {
    if (pid !== undefined) signal(name === 'SIGKILL' ? -pid : pid, name);
    return ended;
  };
  return {
    name,
    url,
    start: async () => {
      const role = name.startsWith('http') ? 'http' : 'workers';
      const args = ['up', '--role', role, '--data', data, '--port', String(port)];
      const child = spawn(process.execPath, [switchyardBin, ...args], {
        env: childEnvironment(env),
        detached: true,
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      reported = '';
      for (const stream of [child.stdout, child.stderr])
        stream
          .setEncoding('utf8')
          .on('data', (text: string) => (reported = (reported + text).slice(-20_000)));
      const own = child.pid;
      if (own === undefined) throw new Error(`${name} did not start.`);
      pid = own;
      ended = new Promise((resolve) => child.once('close', (code) => resolve(code)));
      await waitUntil(`${name} is ready`, async () => {
        if (!isAlive(own)) throw new Error(`${name} ended: ${reported}`);
        const answer = await fetch(`${url}/readyz`).catch(() => undefined);
        return answer?.ok === true ? true : undefined;
      });
    },
    kill: async () => {
      await end('SIGKILL');
    },
    stop: () => end('SIGTERM'),
    printed: () => reported.slice(-4_000),
  };
}
