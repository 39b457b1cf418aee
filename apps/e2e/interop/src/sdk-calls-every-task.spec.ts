import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startBuyer, type Buyer } from './buyer/start-buyer.js';
import { startSwitchyard, type RunningSwitchyard } from './platform/start-switchyard.js';
import {
  startSeller,
  startSignals,
  type SalesStore,
  type ThirdPartySeller,
} from './sellers/start-sellers.js';
import { until } from './until.js';

const day = 86_400_000;
const brand = { domain: 'bikes.example' };
const account = { brand, operator: 'agency.example' };
const brief = { buying_mode: 'brief', brief: 'video for a bike shop', brand };
const destinations = [{ type: 'platform', platform: 'dv360' }];

/** The sellers of an instance, and their own data to prove that each of them was called. */
interface Market {
  readonly name: string;
  /** Every buy contains one product of each seller. */
  readonly sellers: readonly string[];
  open(): Promise<RunningSwitchyard>;
  /** The sellers' own data; absent for our own sandbox market. */
  did?(): Promise<readonly SalesStore[]>;
}

let switchyard: RunningSwitchyard;
let buyer: Buyer;
let market: Market;
const opened: (() => Promise<void>)[] = [];

const sandbox: Market = {
  name: 'the sandbox market',
  sellers: ['prompt', 'courier'],
  open: () => startSwitchyard('--market', 'prompt,courier,behind,signals-prompt'),
};

let gazette: ThirdPartySeller;
let courier: ThirdPartySeller;

const isLive = (seller: unknown): boolean =>
  (seller as { readonly state?: string } | undefined)?.state === 'live';

/** Third parties only: two sales agents and a signals agent on the SDK's server side, over MCP and A2A. */
const thirdParties: Market = {
  name: 'sellers built with the server side of @adcp/sdk, over MCP and A2A',
  sellers: ['gazette', 'courier'],
  open: async () => {
    const options = (slug: string) => ({
      slug,
      token: `${slug}-token-0123456789`,
      requests: 'warn' as const,
      doesAll: true,
    });
    const [started, overMcp, overA2a, signals] = await Promise.all([
      startSwitchyard('--no-sandbox'),
      startSeller({ ...options('gazette'), protocol: 'mcp' }),
      startSeller({ ...options('courier'), protocol: 'a2a' }),
      startSignals('insights-token-0123456789'),
    ]);
    gazette = overMcp;
    courier = overA2a;
    for (const seller of [gazette, courier, signals]) opened.push(() => seller.stop());
    const rows = [
      { slug: 'gazette', protocol: 'mcp', agent_url: gazette.agentUrl, token: gazette.token },
      { slug: 'courier', protocol: 'a2a', agent_url: courier.agentUrl, token: courier.token },
      { slug: 'insights', protocol: 'mcp', agent_url: signals.agentUrl, token: signals.token },
    ].map((row) => ({ ...row, dialect: 'adcp' }));
    const imported = await started.command('sellers', 'import', await started.file('sellers.json', rows));
    expect(imported).toMatchObject({ exitCode: 0, json: rows.map(({ slug }) => ({ slug })) });
    // On a busy machine a seller's first answer can be late: then it is tried again by itself.
    for (const { slug } of rows)
      await until(async () => (await started.command('sellers', 'show', slug)).json, isLive);
    return started;
  },
  did: async () => [await gazette.store(), await courier.store()],
};

type Endpoint = 'mcp' | 'a2a';
type Data = Record<string, never>;

async function query<T = Data>(endpoint: Endpoint, method: string, params: unknown): Promise<T> {
  const result = await buyer.call(endpoint, method, params);
  expect({ method, success: result.success, error: result.error ?? result.adcpError }).toEqual({
    method,
    success: true,
    error: undefined,
  });
  return result.data as T;
}

let last = 0;
const key = (endpoint: Endpoint): string => `every-task-${endpoint}-${Date.now()}-${(last += 1)}`;

interface Product {
  readonly product_id: string;
  readonly pricing_options: readonly { readonly pricing_option_id: string }[];
  readonly format_ids: readonly unknown[];
}

async function offers(endpoint: Endpoint): Promise<readonly Product[]> {
  const { products } = await query<{ products: readonly Product[] }>(endpoint, 'getProducts', brief);
  return market.sellers.map((slug) => {
    const found = products.find(({ product_id: id }) => id.startsWith(`${slug}:`));
    if (found === undefined) throw new Error(`${slug} offers nothing`);
    return found;
  });
}

interface Bought {
  readonly media_buy_id: string;
  readonly packages: readonly { readonly package_id: string }[];
}

/** Buys one product of each seller, so that every call about the buy reaches all of them. */
async function buy(endpoint: Endpoint): Promise<Bought> {
  const products = await offers(endpoint);
  const bought = await query<Bought>(endpoint, 'createMediaBuy', {
    idempotency_key: key(endpoint),
    account,
    brand,
    start_time: new Date(Date.now() + day).toISOString(),
    end_time: new Date(Date.now() + 8 * day).toISOString(),
    packages: products.map((product) => ({
      product_id: product.product_id,
      pricing_option_id: product.pricing_options[0]?.pricing_option_id,
      budget: 5_000,
    })),
  });
  expect(bought.packages).toHaveLength(market.sellers.length);
  return bought;
}

/** Expects that a number grows at each third-party seller during `work`. */
async function grows(of: (store: SalesStore) => number, work: () => Promise<unknown>): Promise<void> {
  const before = (await market.did?.())?.map(of) ?? [];
  await work();
  const after = (await market.did?.())?.map(of) ?? [];
  expect(after).toEqual(before.map((count) => count + 1));
}

interface Synced {
  readonly creative_id: string;
  readonly action: string;
}

/** All methods of the client for which we have a task, each with its call and the check of its answer. */
const methods: Readonly<Record<string, (endpoint: Endpoint) => Promise<void>>> = {
  getAdcpCapabilities: async (endpoint) => {
    expect(await query(endpoint, 'getAdcpCapabilities', {})).toHaveProperty('supported_protocols');
  },
  getProducts: async (endpoint) => {
    expect((await offers(endpoint)).map(({ pricing_options: all }) => all)).not.toContainEqual([]);
  },
  listCreativeFormats: async (endpoint) => {
    expect(
      (await query<{ formats: unknown[] }>(endpoint, 'listCreativeFormats', {})).formats,
    ).not.toHaveLength(0);
  },
  createMediaBuy: async (endpoint) => {
    await grows(
      ({ buys }) => buys.length,
      async () => expect((await buy(endpoint)).media_buy_id).toMatch(/^mb_/),
    );
  },
  updateMediaBuy: async (endpoint) => {
    // Not a cancellation: over A2A the client mistakes the buy's `canceled` of release 3.0 for the task's status.
    const { media_buy_id: id, packages } = await buy(endpoint);
    const parts = packages.map((part) => ({ package_id: part.package_id, budget: 6_000 }));
    const changed = { idempotency_key: key(endpoint), account, media_buy_id: id, packages: parts };
    await grows(
      ({ changes }) => changes.length,
      async () =>
        expect(await query(endpoint, 'updateMediaBuy', changed)).toMatchObject({ media_buy_id: id }),
    );
  },
  getMediaBuys: async (endpoint) => {
    const { media_buy_id: id } = await buy(endpoint);
    const shown = await query(endpoint, 'getMediaBuys', { account, media_buy_ids: [id] });
    expect(shown).toMatchObject({ media_buys: [{ media_buy_id: id }] });
  },
  getMediaBuyDelivery: async (endpoint) => {
    const { media_buy_id: id } = await buy(endpoint);
    const shown = await query(endpoint, 'getMediaBuyDelivery', { account, media_buy_ids: [id] });
    expect(shown).toMatchObject({ media_buy_deliveries: [{ media_buy_id: id }] });
  },
  syncCreatives: async (endpoint) => {
    const [product] = await offers(endpoint);
    const creative = {
      creative_id: `cr-${endpoint}`,
      name: 'One',
      format_id: product?.format_ids[0],
      assets: {
        main: { asset_type: 'image', url: 'https://cdn.bikes.example/a.png', width: 300, height: 250 },
      },
    };
    const synced = { idempotency_key: key(endpoint), account, creatives: [creative] };
    const { creatives } = await query<{ creatives: readonly Synced[] }>(endpoint, 'syncCreatives', synced);
    expect(creatives).toMatchObject([{ creative_id: creative.creative_id }]);
    expect(creatives[0]?.action).not.toBe('failed');
  },
  listCreatives: async (endpoint) => {
    expect(await query(endpoint, 'listCreatives', {})).toHaveProperty('creatives');
  },
  providePerformanceFeedback: async (endpoint) => {
    const { media_buy_id: id } = await buy(endpoint);
    const period = { start: new Date(Date.now() - day).toISOString(), end: new Date().toISOString() };
    const feedback = { media_buy_id: id, measurement_period: period, performance_index: 1.2 };
    const given = { idempotency_key: key(endpoint), ...feedback };
    await grows(
      (store) => store.feedback.length,
      async () =>
        expect(await query(endpoint, 'providePerformanceFeedback', given)).toMatchObject({ success: true }),
    );
  },
  getSignals: async (endpoint) => {
    const { signals } = await query<{ signals: unknown[] }>(endpoint, 'getSignals', {
      signal_spec: 'cyclists',
      destinations,
    });
    expect(signals).not.toHaveLength(0);
  },
  activateSignal: async (endpoint) => {
    const { signals } = await query<{ signals: { signal_agent_segment_id: string }[] }>(
      endpoint,
      'getSignals',
      {
        signal_spec: 'cyclists',
        destinations,
      },
    );
    const wanted = {
      signal_agent_segment_id: signals[endpoint === 'mcp' ? 0 : 1]?.signal_agent_segment_id,
      destinations,
    };
    const made = await query(endpoint, 'activateSignal', {
      idempotency_key: key(endpoint),
      account,
      ...wanted,
    });
    expect(made).toMatchObject({ deployments: [{ type: 'platform' }] });
  },
  listAccounts: async (endpoint) => {
    expect(await query(endpoint, 'listAccounts', {})).toHaveProperty('accounts');
  },
  syncAccounts: async (endpoint) => {
    const accounts = [{ brand, operator: 'agency.example', billing: 'operator' }];
    const made = await query(endpoint, 'syncAccounts', { idempotency_key: key(endpoint), accounts });
    expect(made).toMatchObject({ accounts: [{ account_id: expect.any(String) }] });
  },
};

/** Methods of the client that call no task. A task that a new release adds is not in this list and must be called. */
const bookkeeping: ReadonlySet<string> = new Set(
  `agent config client currentContextId pendingTaskId _isInProcess executor getAdcpVersion retainSession withSession
   handleWebhook verifyWebhookSignature getCapabilities getIdempotencyReplayTtlSeconds requireSupportedMajor requireV3
   continueConversation getHistory clearContext resetContext getContextId getPendingTaskId setContextId getAgent
   getAgentId getAgentName getProtocol getCanonicalUrl resolveCanonicalUrl isSameAgent isSameAgentResolved
   getResolvedAgent getAgentInfo hasActiveConversation getActiveTasks executeTask listTasks getTaskInfo onTaskUpdate
   onTaskEvents getWebhookUrl registerWebhook unregisterWebhook`.split(/\s+/),
);

describe.each([sandbox, thirdParties])('the client of @adcp/sdk, in front of $name', (behind) => {
  beforeAll(async () => {
    market = behind;
    switchyard = await behind.open();
    buyer = await startBuyer(switchyard.access);
  });

  afterAll(async () => {
    await Promise.all([buyer.stop(), switchyard.remove(), ...opened.splice(0).map((stop) => stop())]);
  });

  it('has no method for a Switchyard task that is not called here', async () => {
    const { mcp_url: url } = switchyard.access;
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    });
    const { result } = (await answer.json()) as { result: { tools: readonly { name: string }[] } };
    const ours = result.tools.map(({ name }) =>
      name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
    );
    const offered = await buyer.methods();
    // It has a method of this name for its own tasks, which calls no agent.
    const both = ours.filter((name) => offered.includes(name) && name !== 'listTasks');
    expect(both.length).toBeGreaterThan(10);
    expect(both.filter((name) => !(name in methods))).toEqual([]);
  });

  describe.each(['mcp', 'a2a'] as const)('at our endpoint for %s', (endpoint) => {
    it('declares no other task of the client, which therefore refuses them', async () => {
      const others = (await buyer.methods()).filter((name) => !(name in methods) && !bookkeeping.has(name));
      expect(others.length).toBeGreaterThan(10);
      for (const method of others)
        await expect(buyer.call(endpoint, method, {})).rejects.toThrow('FeatureUnsupportedError');
    });

    it.each(Object.keys(methods))(
      'calls %s, under strict schemas both ways, and gets an answer',
      async (method) => {
        await methods[method]?.(endpoint);
      },
    );
  });
});
