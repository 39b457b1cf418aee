import { randomUUID } from 'node:crypto';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startBalancer } from '../harness/balancer.js';
import type { Json } from '../harness/buy-request.js';
import { dataFolder, ownerUrlOf, type DataFolder } from '../harness/data-folder.js';
import { callTask, type Send } from '../harness/call-task.js';
import { startInstance, type Instance } from '../harness/instance.js';
import { signal } from '../harness/processes.js';
import { waitUntil } from '../harness/wait-until.js';
import { relayStage, type RelayStage } from '../relay/relay-stage.js';
import { madeBuy } from '../relay/seller-answer.js';

let stage: RelayStage;
/** Replicas of the server on the stage's database; the stage's own server is not changed. */
const folders: DataFolder[] = [];
const replicas: Instance[] = [];

const grace = { SWITCHYARD_STOP_GRACE_SECONDS: '2' };

async function startReplica(at: number, environment: Readonly<Record<string, string>> = {}): Promise<void> {
  const data = folders[at]?.path ?? '';
  const url = ownerUrlOf(stage.folder.path);
  replicas[at] = await startInstance(data, ['--no-sandbox'], { DATABASE_URL: url, ...environment });
}

const replica = (at: number): Instance => {
  const found = replicas[at];
  if (found === undefined) throw new Error(`There is no replica ${String(at)}.`);
  return found;
};

const buy = (key: string): Json => ({
  adcp_version: '3.1',
  idempotency_key: key,
  account: { brand: { domain: 'roaster.example' }, operator: 'agency.example' },
  brand: { domain: 'roaster.example' },
  start_time: 'asap',
  end_time: '2099-01-01T00:00:00Z',
  packages: [{ product_id: 'paper:p1', pricing_option_id: 'cpm', budget: 100 }],
});

const order = (to: Send, key: string) => callTask('REST', to, 'create_media_buy', buy(key));
const list = (to: Send) => callTask('REST', to, 'get_media_buys', { adcp_version: '3.1' });

async function buysOf(keys: readonly string[]): Promise<readonly string[]> {
  const rows = await stage.database.rows<{ key: string }>(
    `select o.request->>'idempotency_key' as key from operation o join media_buy b on b.operation_id = o.id
     where o.request->>'idempotency_key' = any ($1)`,
    [keys],
  );
  return rows.map(({ key }) => key).sort();
}

const makesAtOnce = (): void =>
  stage.seller('paper').says('create_media_buy', (args) => madeBuy(`sb_${randomUUID()}`, args));

beforeAll(async () => {
  stage = await relayStage({ paper: { protocol: 'mcp' } });
  makesAtOnce();
  await callTask('REST', stage.instance(), 'get_products', {
    adcp_version: '3.1',
    buying_mode: 'brief',
    brief: 'x',
    brand: { domain: 'b.example' },
  });
  for (const at of [0, 1]) {
    const folder = dataFolder();
    copyFileSync(join(stage.folder.path, 'keyring.json'), join(folder.path, 'keyring.json'));
    folders.push(folder);
    await startReplica(at, grace);
  }
});

afterAll(async () => {
  for (const instance of replicas) await instance.stop();
  await stage.close();
  for (const folder of folders) await folder.remove();
});

describe('two replicas on one database', () => {
  it('are restarted one after the other under load, and no request fails', async () => {
    const balancer = await startBalancer(replicas.map(({ url }) => url));
    const to: Send = { url: balancer.url, token: replica(0).token };
    const state = { stopped: false };
    const failed: string[] = [];
    const keys: string[] = [];
    const load = Array.from({ length: 6 }, async (_, caller) => {
      while (!state.stopped) {
        const key = randomUUID();
        const reply = await (caller < 2 ? order(to, key) : list(to)).catch((error: unknown) => String(error));
        if (typeof reply === 'string') failed.push(reply);
        else if (reply.httpStatus !== 200) failed.push(reply.text);
        else if (caller < 2) keys.push(key);
        // The load continues, but leaves the processor to the starting processes.
        await pause(50);
      }
    });
    for (const at of [0, 1]) {
      const { url } = replica(at);
      const before = keys.length;
      await waitUntil('buys are made', () => (keys.length > before + 3 ? true : undefined));
      expect(await replica(at).stop()).toBe(0);
      await startReplica(at, grace);
      expect(replica(at).url).toBe(url);
      await waitUntil('it is ready again', () => (balancer.ready().length === 2 ? true : undefined));
    }
    state.stopped = true;
    await Promise.all(load);
    expect([failed, balancer.broken]).toEqual([[], []]);
    expect(await buysOf(keys)).toEqual([...keys].sort());
    await balancer.stop();
  });

  it('report not ready before they stop, and serve until load balancers have seen it', async () => {
    const instance = replica(0);
    signal(instance.pid, 'SIGTERM');
    await waitUntil('it is not ready', async () => {
      const ready = await fetch(`${instance.url}/readyz`);
      if (ready.status === 200) return undefined;
      expect(await ready.json()).toEqual({
        status: 'not_ready',
        parts: { database: 'ok', server: 'stopping' },
      });
      return true;
    });
    signal(instance.pid, 'SIGTERM');
    const served = await list(instance);
    expect([served.httpStatus, served.headers.get('connection')]).toEqual([200, 'close']);
    expect(await instance.ended).toBe(0);
    await startReplica(0);
  });

  it('that stop at once answer accepted requests, and the other replica answers the rest', async () => {
    const [one, other] = [replica(0), replica(1)];
    const seller = stage.seller('paper');
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const began = seller.received.length;
    seller.says('create_media_buy', async (args) => {
      await held;
      return madeBuy(`sb_${randomUUID()}`, args);
    });
    const taken = Array.from({ length: 4 }, () => randomUUID());
    const underWay = taken.map((key) => order(one, key));
    await waitUntil('the seller has all of them', () =>
      seller.received.slice(began).filter(({ tool }) => tool === 'create_media_buy').length === taken.length
        ? true
        : undefined,
    );
    signal(one.pid, 'SIGTERM');
    await waitUntil('it takes nothing more', () =>
      fetch(`${one.url}/healthz`).then(
        () => undefined,
        () => true,
      ),
    );
    const late = randomUUID();
    await expect(order(one, late)).rejects.toThrow();
    release();
    for (const reply of await Promise.all(underWay))
      expect([reply.httpStatus, reply.errors]).toEqual([200, []]);
    makesAtOnce();
    expect((await order(other, late)).httpStatus).toBe(200);
    expect(await one.ended).toBe(0);
    expect(await buysOf([...taken, late])).toEqual([...taken, late].sort());
    await startReplica(0);
  });
});
