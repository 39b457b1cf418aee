import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { generateSigningKey, publicJwk } from '@switchyard/signing';
import { list, type Json } from './harness/buy-request.js';
import { dataFolder } from './harness/data-folder.js';
import type { Instance } from './harness/instance.js';
import { admin } from './harness/own-everything.js';
import { plainProduct, plainSeller, type PlainSeller } from './harness/plain-seller.js';
import { runSwitchyard } from './harness/run-switchyard.js';
import { waitUntil } from './harness/wait-until.js';
import { openOrganization } from './harness/shared-instance.js';
import { postForAnswer } from './relay/seller-webhook.js';

/** What a seller must prove at the gate beyond its offer, on the built product: keys, a signed challenge, a purchase. */
const folder = dataFolder();
let instance: Instance;
const closers: (() => Promise<void>)[] = [];

beforeAll(async () => {
  instance = await openOrganization(folder.path, ['prompt']);
});
afterAll(async () => {
  await Promise.all(closers.map((close) => close()));
  await instance.stop();
  await folder.remove();
});

/** How a test's seller deviates. */
interface Habits {
  /** Signs its challenge with a key that it does not publish. */
  readonly signsWrongly?: true;
  /** Its brand.json names a key set at an origin that its capabilities do not. */
  readonly misplacesKeys?: true;
  /** Books again for a key that it knows. */
  readonly booksTwice?: true;
  /** Decides on purchases after the first look at their task. */
  readonly decidesLater?: true;
  /** Says nothing of a sandbox. */
  readonly hidesSandbox?: true;
}

interface Desk extends PlainSeller {
  readonly buys: Map<string, { readonly key: string; canceled: boolean }>;
  /** Its subscriptions, by account. */
  readonly subscriptions: () => readonly Json[];
  /** What came back for its challenges. */
  readonly echoes: Json[];
  /** Challenges our address, and says with which status it was answered. */
  readonly challenge: (config: Json) => Promise<number>;
  /** The address that it was asked to challenge last. */
  readonly challenged: () => Json;
}

async function desk(habits: Habits = {}): Promise<Desk> {
  const key = generateSigningKey('desk-2026');
  const other = generateSigningKey('desk-2026');
  const buys: Desk['buys'] = new Map();
  const echoes: Json[] = [];
  let subscriptions: readonly Json[] = [
    {
      subscriber_id: 'ours',
      url: 'https://a.example/',
      event_types: ['creative.purged'],
      active: true,
    },
  ];
  let url = '';
  let challenged: Json = {};
  const challenge = async (config: Json): Promise<number> => {
    const value = randomUUID();
    challenged = config;
    const { status, text } = await postForAnswer(
      String(config['url']),
      habits.signsWrongly === true ? other : key,
      {
        type: 'webhook.challenge',
        challenge: value,
        account_id: 'acc_box',
        subscriber_id: config['subscriber_id'],
        seller_agent_url: url,
        delivery_auth: { mode: 'rfc9421' },
        event_types: config['event_types'],
      },
    );
    if (status === 200 && (JSON.parse(text) as Json)['challenge'] === value)
      echoes.push({ challenge: value });
    return status;
  };
  const sync = async (args: Json): Promise<Json> => {
    const [row = {}] = list(args['accounts']);
    const configs = list(row['notification_configs']);
    const fresh = configs.filter(
      (config) => !subscriptions.some(({ subscriber_id: id }) => id === config['subscriber_id']),
    );
    for (const config of fresh)
      if ((await challenge(config)) !== 200)
        return {
          accounts: [
            {
              account_id: 'acc_box',
              action: 'failed',
              errors: [{ code: 'VALIDATION_ERROR', message: 'Nobody echoed.' }],
            },
          ],
        };
    subscriptions = configs;
    return { accounts: [{ account_id: 'acc_box', action: 'updated', notification_configs: configs }] };
  };
  const create = (args: Json): Json => {
    const known = [...buys].find(([, buy]) => buy.key === args['idempotency_key'])?.[0];
    const id = known !== undefined && habits.booksTwice !== true ? known : `box-${String(buys.size + 1)}`;
    if (id !== known) buys.set(id, { key: String(args['idempotency_key']), canceled: false });
    const booked = { sandbox: true, media_buy_id: id, packages: [{ package_id: `${id}-1` }] };
    if (habits.decidesLater !== true || known !== undefined) return { status: 'completed', ...booked };
    later = booked;
    return { status: 'submitted', task_id: 'task-1' };
  };
  let later: Json = {};
  let looks = 0;
  const times = { created_at: '2026-01-01T00:00:00Z', updated_at: '2026-01-01T00:00:00Z' };
  const task = (): Json => {
    looks += 1;
    const of = { task_id: 'task-1', task_type: 'create_media_buy', protocol: 'media-buy', ...times };
    return looks < 2 ? { ...of, status: 'working' } : { ...of, status: 'completed', result: later };
  };
  const answers: Readonly<Record<string, (args: Json) => Json | Promise<Json>>> = {
    get_products: () => ({ status: 'completed', products: [plainProduct] }),
    list_accounts: () => ({
      accounts: [
        {
          account_id: 'acc_box',
          name: 'Box',
          status: 'active',
          billing: 'agent',
          ...(habits.hidesSandbox === true ? {} : { sandbox: true }),
          notification_configs: [...subscriptions],
        },
      ],
    }),
    sync_accounts: sync,
    create_media_buy: create,
    tasks_get: task,
    update_media_buy: (args) => {
      const buy = buys.get(String(args['media_buy_id']));
      if (buy !== undefined && args['canceled'] === true) buy.canceled = true;
      return { status: 'completed', media_buy_id: String(args['media_buy_id']), affected_packages: [] };
    },
    get_media_buys: (args) => ({
      media_buys: [...buys.keys()]
        .filter((id) => JSON.stringify(args['media_buy_ids']).includes(`"${id}"`))
        .map((id) => ({ media_buy_id: id, status: 'active', currency: 'USD', packages: [] })),
    }),
  };
  const made = await plainSeller(
    async (tool, args) => ({ json: JSON.stringify((await answers[tool]?.(args)) ?? {}) }),
    {
      tools: ['list_accounts', 'sync_accounts', 'update_media_buy', 'tasks_get'],
      capabilities: () => ({
        account: { supported_billing: ['agent'], sandbox: true },
        webhook_signing: { supported: true, algorithms: ['ed25519'] },
        identity: {
          brand_json_url: `${new URL(url).origin}/brand.json`,
          key_origins: { webhook_signing: new URL(url).origin },
        },
      }),
      guard: (request, response) => {
        if (request.method !== 'GET') return Promise.resolve(false);
        const { origin } = new URL(url);
        const elsewhere = habits.misplacesKeys === true ? 'http://localhost:1' : origin;
        const documents: Readonly<Record<string, Json>> = {
          '/brand.json': { agents: [{ type: 'sales', id: 's', url, jwks_uri: `${elsewhere}/jwks.json` }] },
          '/jwks.json': { keys: [publicJwk(key, ['adcp_use', 'ads_use'], 'webhook-signing')] },
        };
        const document = documents[request.url ?? ''];
        if (document === undefined) return Promise.resolve(false);
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document));
        return Promise.resolve(true);
      },
    },
  );
  url = made.agentUrl;
  closers.push(() => made.close());
  return {
    ...made,
    buys,
    echoes,
    subscriptions: () => subscriptions,
    challenge,
    challenged: () => challenged,
  };
}

async function add(
  agentUrl: string,
  slug: string,
): Promise<{ readonly code: number | null; readonly json: Json }> {
  const args = ['sellers', 'add', agentUrl, '--slug', slug, '--json', '--data', folder.path];
  const { code, stdout } = await runSwitchyard(args);
  return { code, json: JSON.parse(stdout) as Json };
}

const checkOf = (json: Json, key: string): Json =>
  list(json['checks']).find((one) => one['key'] === key) ?? {};
const report = async (slug: string): Promise<readonly Json[]> =>
  list((await admin(instance, 'GET', `/v1/sellers/${slug}/report`))['findings']);

describe('a seller with keys, subscriptions and a sandbox account', () => {
  it('proves them: it signs a challenge that we echo, sells once under one key, and cancels', async () => {
    const seller = await desk();
    const { code, json } = await add(seller.agentUrl, 'desk');
    expect([code, json['state']]).toEqual([0, 'live']);
    expect(checkOf(json, 'keys')).toMatchObject({ state: 'passed', code: 'found' });
    expect(checkOf(json, 'webhook')).toMatchObject({ state: 'passed', code: 'proved' });
    expect(checkOf(json, 'buy')).toMatchObject({ state: 'passed', code: 'bought' });
    expect(seller.echoes).toHaveLength(1);
    // The subscription of the check is gone, and the one from before is there.
    expect(seller.subscriptions().map(({ subscriber_id: id }) => id)).toEqual(['ours']);
    expect([...seller.buys.values()]).toMatchObject([{ canceled: true }]);
    expect(await report('desk')).toEqual([]);
  });

  it('that signs with a key it does not publish proves nothing, gets no echo, and is told', async () => {
    const seller = await desk({ signsWrongly: true });
    const { json } = await add(seller.agentUrl, 'forger');
    expect(checkOf(json, 'webhook')).toMatchObject({ state: 'skipped', code: 'unproved' });
    expect(seller.echoes).toEqual([]);
    expect(await report('forger')).toMatchObject([{ grade: 'limits', task: 'sync_accounts' }]);
  });

  it('whose key set is at another origin than it declares does not pass', async () => {
    const { code, json } = await add((await desk({ misplacesKeys: true })).agentUrl, 'misplaced');
    expect([code, json['state']]).toEqual([1, 'failed']);
    expect(checkOf(json, 'keys')).toMatchObject({ state: 'failed', code: 'key_origin_mismatch' });
  });

  it('that books twice under one key does not pass, and both purchases were in the sandbox', async () => {
    const seller = await desk({ booksTwice: true });
    const { code, json } = await add(seller.agentUrl, 'doubles');
    // Neither of the two stands.
    expect([...seller.buys.values()]).toMatchObject([{ canceled: true }, { canceled: true }]);
    expect([code, json['state']]).toEqual([1, 'failed']);
    expect(checkOf(json, 'buy')).toMatchObject({ state: 'failed', code: 'books_twice' });
    expect(await report('doubles')).toMatchObject([{ grade: 'blocks', task: 'create_media_buy' }]);
  });

  it('that decides on a purchase later is waited for, and that purchase is canceled too', async () => {
    const seller = await desk({ decidesLater: true });
    const { code, json } = await add(seller.agentUrl, 'decides-later');
    expect([code, checkOf(json, 'buy')]).toMatchObject([0, { state: 'passed', code: 'bought' }]);
    expect([...seller.buys.values()]).toMatchObject([{ canceled: true }]);
  });

  it('that confirms no sandbox is asked for no purchase', async () => {
    const seller = await desk({ hidesSandbox: true });
    const { json } = await add(seller.agentUrl, 'hidden');
    expect(checkOf(json, 'buy')['state']).toBe('skipped');
    expect(seller.calls).not.toContain('create_media_buy');
  });
});

describe('a challenge that nobody asked for', () => {
  it('is not echoed, though its signature holds', async () => {
    const seller = await desk();
    await add(seller.agentUrl, 'asks');
    expect(seller.echoes).toHaveLength(1);
    expect(await seller.challenge(seller.challenged())).toBe(400);
    expect(seller.echoes).toHaveLength(1);
  });
});

describe('a seller that is slow at its first answer', () => {
  it('is tried again by itself, and goes live without anybody', async () => {
    let calls = 0;
    const slow = await plainSeller((tool) => {
      if (tool !== 'get_products') return { json: '{"media_buys":[]}' };
      calls += 1;
      return calls === 1
        ? 'never'
        : { json: JSON.stringify({ status: 'completed', products: [plainProduct] }) };
    });
    closers.push(() => slow.close());
    const { json } = await add(slow.agentUrl, 'sleepy');
    expect([json['state'], checkOf(json, 'read.mcp')]).toMatchObject([
      'waiting',
      { state: 'waiting', code: 'slow' },
    ]);
    await waitUntil('it is live', async () => {
      const state = (await admin(instance, 'GET', '/v1/sellers/sleepy'))['state'];
      return state === 'live' ? true : undefined;
    });
  });
});

describe('an edit of the address', () => {
  it('leads through the checks again, also at the same origin, and garbage does not pass', async () => {
    const good = await plainSeller((tool) => ({
      json: JSON.stringify(tool === 'get_products' ? { status: 'completed', products: [plainProduct] } : {}),
    }));
    closers.push(() => good.close());
    expect((await add(good.agentUrl, 'edited')).json['state']).toBe('live');
    good.behave(() => ({ json: '{"status":"completed","stuff":[1]}' }));
    const edited = await admin(instance, 'POST', '/v1/sellers/edited/edit', {
      agent_url: `${good.agentUrl}/other`,
    });
    expect(edited['state']).not.toBe('live');
    const checks = await admin(instance, 'GET', '/v1/sellers/edited/checks');
    expect(checkOf(checks, 'read.mcp')['state']).toBe('failed');
  });
});
