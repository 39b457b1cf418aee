import { randomUUID } from 'node:crypto';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startReceiver, type Receiver } from '@switchyard/testing';
import type { Json } from './harness/buy-request.js';
import { dataFolder, ownerUrlOf } from './harness/data-folder.js';
import { callTask, endpointNames, type Send } from './harness/call-task.js';
import { startInstance, type Instance } from './harness/instance.js';
import { admin } from './harness/own-everything.js';
import { runSwitchyard } from './harness/run-switchyard.js';
import { waitUntil } from './harness/wait-until.js';
import { relayStage, type RelayStage } from './relay/relay-stage.js';
import { sealedSeller } from './relay/sealed-seller.js';
import { madeBuy, sealedBuy } from './relay/seller-answer.js';

/** The stage's server with its workers, and another one on the same database. */
let stage: RelayStage;
let other: Instance;
let receiver: Receiver;
const folder = dataFolder();

beforeAll(async () => {
  stage = await relayStage({ paper: { protocol: 'mcp' }, post: { protocol: 'a2a' } });
  // A seller without a credential is blocked only by the stop.
  await stage.onboard('free', await sealedSeller({ protocol: 'mcp' }), { token: undefined });
  copyFileSync(join(stage.folder.path, 'keyring.json'), join(folder.path, 'keyring.json'));
  other = await startInstance(folder.path, ['--no-sandbox'], { DATABASE_URL: ownerUrlOf(stage.folder.path) });
  receiver = await startReceiver();
  for (const slug of slugs)
    stage.seller(slug).says('create_media_buy', (args) => madeBuy(`sb_${randomUUID()}`, args));
  await market(stage.instance());
});

afterAll(async () => {
  await other.stop();
  await stage.close();
  await receiver.close();
  await folder.remove();
});

const hasArrived = (path: string): boolean => receiver.received.some((item) => item.path === path);
const slugs = ['paper', 'post', 'free'];
const market = async (to: Send): Promise<readonly Json[]> => {
  const reply = await callTask('REST', to, 'get_products', {
    adcp_version: '3.1',
    buying_mode: 'brief',
    brief: randomUUID(),
    brand: { domain: 'b.example' },
  });
  return (reply.body['sellers'] ?? []) as Json[];
};
const rowOf = async (to: Send, slug: string): Promise<Json> =>
  (await market(to)).find((row) => row['seller'] === slug) ?? {};
const buy = (slug: string, more: Json = {}): Json => ({
  adcp_version: '3.1',
  idempotency_key: randomUUID(),
  account: { brand: { domain: 'roaster.example' }, operator: 'localhost' },
  brand: { domain: 'roaster.example' },
  start_time: 'asap',
  end_time: '2099-01-01T00:00:00Z',
  packages: [{ product_id: `${slug}:p1`, pricing_option_id: 'cpm', budget: 100 }],
  ...more,
});
const order = async (to: Send, slug: string, more?: Json): Promise<Json> =>
  (await callTask('REST', to, 'create_media_buy', buy(slug, more))).body;
const stop = (target: string): Promise<Json> =>
  admin(stage.instance(), 'POST', '/v1/stops', { target, reason: 'A test.' });
const start = (target: string): Promise<Json> =>
  admin(stage.instance(), 'DELETE', `/v1/stops/${encodeURIComponent(target)}`);
const received = (slug: string): number => stage.seller(slug).received.length;
const legOf = async (task: unknown) =>
  (
    await stage.database.rows<{ status: string; attempts: number }>(
      `select l.status, l.attempts from leg l join operation o on o.id = l.operation_id where o.task_id = $1`,
      [task],
    )
  )[0];
const becomes = (task: unknown, status: string) =>
  waitUntil(`the leg is ${status}`, async () => {
    const leg = await legOf(task);
    return leg?.status === status ? leg : undefined;
  });
/** Waits until this time has passed by the database's clock. */
const pass = async (interval: string): Promise<void> => {
  const [from] = await stage.database.rows<{ at: string }>(`select now()::text as at`);
  await waitUntil(`${interval} have passed`, async () => {
    const [row] = await stage.database.rows<{ over: boolean }>(
      `select now() > $1::timestamptz + $2::interval as over`,
      [from?.at, interval],
    );
    return row?.over === true ? true : undefined;
  });
};
/** Waits until both processes have checked for due work several times. */
const roundsPass = (): Promise<void> => pass('4 seconds');

describe('an emergency stop of a seller', () => {
  it.each(slugs)(
    'of %s applies at another process within a second, and everything that was due is sent after it',
    async (slug) => {
      // One call is in progress when the stop comes: its answer is accepted, and the next step waits.
      const seller = stage.seller(slug);
      let answered = (): void => undefined;
      const held = new Promise<void>((resolve) => (answered = resolve));
      seller.says('create_media_buy', async () => {
        await held;
        return { status: 'submitted', task_id: `t_${randomUUID()}` };
      });
      const before = received(slug);
      const underWay = order(stage.instance(), slug);
      await waitUntil('the seller is called', () => (received(slug) > before ? true : undefined));
      expect(await stop(`seller:${slug}`)).toMatchObject({ target: `seller:${slug}`, reason: 'A test.' });
      answered();
      await underWay;
      await waitUntil('both processes hold it', async () => {
        const rows = [await rowOf(stage.instance(), slug), await rowOf(other, slug)];
        return rows.every(({ status, code }) => status === 'skipped' && code === 'STOPPED')
          ? true
          : undefined;
      });

      const from = received(slug);
      seller.says('create_media_buy', (args) => madeBuy(`sb_${randomUUID()}`, args));
      const [here, there] = [await order(stage.instance(), slug), await order(other, slug)];
      expect([here['status'], there['status']]).toEqual(['submitted', 'submitted']);
      await roundsPass();
      expect(received(slug)).toBe(from);
      expect(await legOf(here['task_id'])).toEqual({ status: 'pending', attempts: 0 });

      await start(`seller:${slug}`);
      for (const row of [here, there])
        expect(await becomes(row['task_id'], 'completed')).toEqual({ status: 'completed', attempts: 1 });
      const created = seller.received.slice(from).filter(({ tool }) => tool === 'create_media_buy');
      expect(created.length).toBe(2);
    },
  );

  it('stops sealed requests as well', async () => {
    const brand = await stage.brand('held', ['paper']);
    await stage.address('paper', brand);
    await stop('seller:paper');
    await waitUntil('the relay holds it', async () => {
      const reply = await stage.relay(brand, 'paper', 'create_media_buy', sealedBuy());
      return reply.text.includes('RELAY_SELLER_STOPPED') ? true : undefined;
    });
    const before = received('paper');
    const held = await stage.relay(brand, 'paper', 'create_media_buy', sealedBuy());
    expect([held.text.includes('RELAY_SELLER_STOPPED'), received('paper')]).toEqual([true, before]);
    await start('seller:paper');
    await waitUntil('the relay passes it on', async () => {
      const reply = await stage.relay(brand, 'paper', 'create_media_buy', sealedBuy());
      return reply.status === 200 ? true : undefined;
    });
  });

  it('is in the list and an alarm until it is ended, and the server stays ready', async () => {
    await stage.cli('stop', 'seller:free', '--reason', 'A test.');
    expect(await stage.cli('stops', 'list')).toMatchObject([{ target: 'seller:free', reason: 'A test.' }]);
    const open = async () =>
      (await stage.cli<Json[]>('alarms', 'list', '--state', 'open')).filter(
        ({ kind }) => kind === 'emergency_stop',
      );
    expect(await open()).toMatchObject([{ subject: 'seller:free', detail: { reason: 'A test.' } }]);
    expect((await fetch(`${stage.instance().url}/readyz`)).status).toBe(200);
    await stage.cli('start', 'seller:free');
    expect([await stage.cli('stops', 'list'), await open()]).toEqual([[], []]);
  });

  it('is refused for a missing object, and cannot be ended if there is none', async () => {
    const wrong = async (...args: string[]) =>
      (await runSwitchyard([...args, '--json', '--data', stage.folder.path])).stdout;
    expect(await wrong('stop', 'seller:nobody')).toContain('NOT_FOUND');
    expect(await wrong('stop', `principal:${randomUUID()}`)).toContain('NOT_FOUND');
    expect(await wrong('stop', 'everything')).toContain('INVALID_REQUEST');
    expect(await wrong('start', 'all')).toContain('NOT_FOUND');
  });
});

describe('an emergency stop of a principal', () => {
  it('refuses its requests at every endpoint, holds its unsent legs, and sends those of others', async () => {
    const principal = await stage.cli<{ principal_id: string; token: string }>(
      'principals',
      'add',
      'one',
      '--kind',
      'buyer',
      '--transitional',
    );
    const buyer = { url: other.url, token: principal.token };
    await stop('seller:paper');
    await waitUntil('the seller is held', async () =>
      (await rowOf(other, 'paper'))['code'] === 'STOPPED' ? true : undefined,
    );
    const [its, another] = [await order(buyer, 'paper'), await order(other, 'paper')];
    await stop(`principal:${principal.principal_id}`);
    for (const endpoint of endpointNames)
      await waitUntil(`it is refused over ${endpoint}`, async () => {
        const reply = await callTask(endpoint, buyer, 'get_media_buys', { adcp_version: '3.1' });
        return reply.httpStatus === 403 && reply.text.includes('emergency stop') ? true : undefined;
      });
    await start('seller:paper');
    await becomes(another['task_id'], 'completed');
    await roundsPass();
    expect(await legOf(its['task_id'])).toEqual({ status: 'pending', attempts: 0 });
    await start(`principal:${principal.principal_id}`);
    await becomes(its['task_id'], 'completed');
    await waitUntil('it is let in again', async () =>
      (await callTask('REST', buyer, 'get_media_buys', { adcp_version: '3.1' })).httpStatus === 200
        ? true
        : undefined,
    );
  });
});

describe('an emergency stop of a key', () => {
  it('refuses requests signed with it', async () => {
    const brand = await stage.brand('keyed', ['paper']);
    const send = () =>
      stage.relay(brand, 'paper', 'get_products', { ...sealedBuy(), brief: 'x', buying_mode: 'brief' });
    expect((await send()).status).toBe(200);
    await stop(`key:${brand.key.kid}`);
    const refused = await waitUntil('it is refused', async () => {
      const reply = await send();
      return reply.status === 401 ? reply : undefined;
    });
    expect(refused.text).toContain('revoked');
    await start(`key:${brand.key.kid}`);
    await waitUntil('it is taken again', async () => ((await send()).status === 200 ? true : undefined));
  });

  it('signs nothing of Switchyard’s with it: a webhook waits, and is sent after it with its first attempt', async () => {
    const due = await webhookDue('key');
    await roundsPass();
    expect(hasArrived('/key')).toBe(false);
    await due.startKeys();
    await waitUntil('the webhook arrives', () => (hasArrived('/key') ? true : undefined));
    expect(await attemptsOf('/key')).toEqual([1]);
  });
});

describe('an emergency stop of everything', () => {
  it('stops all calls to sellers and all webhooks, and sends everything after it', async () => {
    const due = await webhookDue('all');
    await stop('all');
    await waitUntil('both processes hold', async () => {
      const rows = [...(await market(stage.instance())), ...(await market(other))];
      return rows.length === 6 && rows.every((row) => row['code'] === 'STOPPED') ? true : undefined;
    });
    await due.startKeys();
    const before = slugs.map(received);
    const made = await Promise.all(slugs.map((slug) => order(other, slug)));
    await roundsPass();
    expect([slugs.map(received), hasArrived('/all')]).toEqual([before, false]);
    await start('all');
    for (const row of made) await becomes(row['task_id'], 'completed');
    await waitUntil('the webhook arrives', () => (hasArrived('/all') ? true : undefined));
    expect(await attemptsOf('/all')).toEqual([1]);
  });
});

/** A due webhook that waits for our keys: its seller completes the buy while they are stopped. */
async function webhookDue(name: string): Promise<{ startKeys(): Promise<void> }> {
  const kids = (
    await stage.database.rows<{ kid: string }>(`select kid from signing_key where state = 'live'`)
  ).map(({ kid }) => kid);
  await stop('seller:free');
  await waitUntil('the seller is held', async () =>
    (await rowOf(other, 'free'))['code'] === 'STOPPED' ? true : undefined,
  );
  const made = await order(other, 'free', {
    push_notification_config: { url: `${receiver.url}/${name}`, operation_id: name },
  });
  expect(made['status']).toBe('submitted');
  for (const kid of kids) await stop(`key:${kid}`);
  // No answer shows whether the other process has read the stop. It does so within a second.
  await pass('1 second');
  await start('seller:free');
  await becomes(made['task_id'], 'completed');
  await waitUntil('the webhook is due', async () =>
    (await attemptsOf(`/${name}`)).length > 0 ? true : undefined,
  );
  return {
    startKeys: async () => {
      for (const kid of kids) await start(`key:${kid}`);
    },
  };
}

async function attemptsOf(path: string): Promise<readonly number[]> {
  const rows = await stage.database.rows<{ attempts: number }>(
    `select e.attempts from outbox_event e join buyer_registration r on r.id = e.registration_id where r.url like $1`,
    [`%${path}`],
  );
  return rows.map(({ attempts }) => attempts);
}
