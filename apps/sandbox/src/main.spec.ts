import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { AgentInfo } from './agent/agent-info.js';
import { textOf } from './json.js';
import { callAgent } from './testkit/call-agent.js';
import { startReceiver, type Receiver } from './testkit/receiver.js';
import { lastVersions, reportsOf } from './testkit/reports.js';
import { buyRequest } from './testkit/requests.js';

const program = fileURLToPath(new URL('../bundle/main.js', import.meta.url));
let folder: string;
let receiver: Receiver;
const children: ChildProcess[] = [];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'market-'));
  receiver = await startReceiver();
});
afterEach(async () => {
  await Promise.all(children.splice(0).map(end));
  await receiver.stop();
  rmSync(folder, { recursive: true, force: true });
});

interface Market {
  readonly child: ChildProcess;
  readonly url: string;
  readonly agents: readonly AgentInfo[];
}

function run(port: number): ChildProcess {
  const args = [
    '--port',
    String(port),
    '--data',
    folder,
    '--seed',
    'kill',
    '--day-ms',
    '60',
    '--scale',
    '0.3',
  ];
  const child = spawn(process.execPath, [program, ...args], { stdio: ['pipe', 'pipe', 'pipe'] });
  children.push(child);
  return child;
}

function start(): Promise<Market> {
  const child = run(0);
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`exited with ${String(code)}`)));
    if (!child.stdout) return reject(new Error('no output'));
    createInterface({ input: child.stdout }).once('line', (line) => {
      resolve({ child, ...(JSON.parse(line) as Omit<Market, 'child'>) });
    });
  });
}

function exitOf(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => child.once('exit', resolve));
}

/** Until it is gone: it would write into the folder that is removed. */
async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = exitOf(child);
  child.kill('SIGKILL');
  await gone;
}

const kill = (market: Market): Promise<void> => end(market.child);

function agent(market: Market, slug: string): AgentInfo {
  const found = market.agents.find((each) => each.slug === slug);
  if (!found) throw new Error(`no agent ${slug}`);
  return found;
}

describe('the market as a process', () => {
  it('keeps its secrets in a file of its own, and its agents their addresses and tokens over a restart', async () => {
    const first = await start();
    expect(statSync(join(folder, 'identities.json')).mode & 0o777).toBe(0o600);
    await kill(first);
    const second = await start();
    expect(second.agents).toEqual(first.agents);
    // Outgoing connections, of whomever, are never given one of these ports while the market is down.
    const ports = second.agents.map((info) => Number(new URL(info.agent_url).port));
    expect(ports.filter((port) => port >= 32_768)).toEqual([]);
  });

  it('stops when its parent closes its standard input', async () => {
    const { child } = await start();
    const gone = exitOf(child);
    child.stdin?.end();
    expect(await gone).toBe(0);
  });

  it('exits with 3 and one clear line when the port is taken', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo;
    const child = run(port);
    let reported = '';
    child.stderr?.on('data', (chunk: Buffer) => (reported += chunk.toString()));
    expect(await exitOf(child)).toBe(3);
    expect(reported).toBe(`sandbox: port ${String(port)} on 127.0.0.1 is taken\n`);
    other.close();
  });

  it('continues after a SIGKILL: deliveries, approvals, replays, and the books still add up', async () => {
    const before = await start();
    const reporting_webhook = { url: receiver.url };
    const request = await buyRequest(agent(before, 'prompt'), { reporting_webhook }, 8);
    const { body } = await callAgent(agent(before, 'prompt'), 'create_media_buy', request);
    const id = textOf(body['media_buy_id']) ?? '';
    await receiver.until((posts) => reportsOf(posts, id).length >= 3);
    const push_notification_config = { url: receiver.url, operation_id: 'op-kill' };
    const requested = await buyRequest(agent(before, 'human'), { push_notification_config });
    const waiting = await callAgent(agent(before, 'human'), 'create_media_buy', requested);
    expect(waiting.body['status']).toBe('submitted');
    await kill(before);

    const after = await start();
    const again = await callAgent(agent(after, 'prompt'), 'create_media_buy', request);
    expect(again.body).toEqual({ ...body, replayed: true });
    await receiver.until((posts) =>
      reportsOf(posts, id).some((report) => report['notification_type'] === 'final'),
    );
    await receiver.until((posts) =>
      posts.some((post) => post.body['operation_id'] === 'op-kill' && post.body['status'] === 'completed'),
    );
    const reports = reportsOf(receiver.posts, id);
    const books = (await (await fetch(agent(after, 'prompt').books_url)).json()) as {
      media_buy_id: string;
      spend_micros: string;
    }[];
    const total = [...lastVersions(reports).values()].reduce((sum, micros) => sum + micros, 0n);
    expect(books.find((row) => row.media_buy_id === id)?.spend_micros).toBe(total.toString());
    const numbers = new Set(reports.map((report) => Number(report['sequence_number'])));
    expect([...numbers].sort((a, b) => a - b)).toEqual(
      Array.from({ length: numbers.size }, (_, index) => index + 1),
    );
  });
});
