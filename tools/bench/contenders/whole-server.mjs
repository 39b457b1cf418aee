/**
 * The built product: `switchyard up` on an empty data folder, the sellers imported by its own command, and each query
 * sent to its REST API. Its cost beyond the fan-out is HTTP, the vault, the store and the answer.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Agent, request } from 'undici';
import { cpuMsOf, postgresOf } from '../webhooks/machine.mjs';

const run = promisify(execFile);
const bin = fileURLToPath(new URL('../../../apps/cli/bin/switchyard.mjs', import.meta.url));
const memory = new URL('../live-memory.mjs', import.meta.url).href;
const patienceMs = 300_000;

const switchyard = (...args) => run(process.execPath, [bin, ...args], { maxBuffer: 64 * 1024 * 1024 });

export async function rssMbOf(pid) {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) / 1024;
}

async function tokenOf(data, server) {
  const until = Date.now() + patienceMs;
  for (;;) {
    try {
      const { stdout } = await switchyard('token', '--data', data, '--json');
      return JSON.parse(stdout);
    } catch (error) {
      if (server.exitCode !== null || Date.now() > until) throw error;
    }
  }
}

/** A caller of `get_products` over REST. */
export function askOverRest({ url, token }) {
  const dispatcher = new Agent({ keepAliveTimeout: 60_000 });
  return async (brief) => {
    const answer = await request(new URL('/v1/tasks/get_products', url), {
      method: 'POST',
      dispatcher,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ adcp_version: '3.0', brief, buying_mode: 'brief' }),
    });
    const body = await answer.body.json();
    if (!Array.isArray(body.products))
      return [{ error: `HTTP ${answer.statusCode}: ${body.errors?.[0]?.code}` }];
    return body.products.map(({ product_id, name }) => ({ slug: product_id.split(':')[0], name }));
  };
}

export async function wholeServer(sellers, { environment = {} } = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'switchyard-bench-'));
  const data = join(folder, 'data');
  const file = join(folder, 'sellers.json');
  const rows = sellers.map(({ slug, token, url }) => ({
    slug,
    token,
    agent_url: url,
    protocol: 'mcp',
    dialect: 'adcp',
    form: '3.0',
  }));
  await writeFile(file, JSON.stringify(rows), { mode: 0o600 });
  const up = ['--import', memory, bin, 'up', '--data', data, '--no-sandbox', '--no-campaign'];
  const stdio = ['ignore', 'ignore', 'ignore', 'ipc'];
  const server = spawn(process.execPath, up, { stdio, env: { ...process.env, ...environment } });
  const instance = await tokenOf(data, server);
  await switchyard('sellers', 'import', file, '--data', data);
  const ask = askOverRest(instance);
  return {
    url: instance.url,
    token: instance.token,
    // By the socket, as the server connects itself.
    ownerUrl: `${postgresOf(data).ownerUrl}?host=${encodeURIComponent(join(data, 'postgres/pg'))}`,
    ask,
    /** CPU used for this contender in another process, without the database. */
    cpuMs: () => cpuMsOf(server.pid),
    rssMb: () => rssMbOf(server.pid),
    liveMb: async () => {
      server.send('live');
      const [live] = await once(server, 'message');
      return live;
    },
    close: async () => {
      server.kill('SIGTERM');
      await new Promise((resolve) => server.once('exit', resolve));
      await rm(folder, { recursive: true, force: true });
    },
  };
}
