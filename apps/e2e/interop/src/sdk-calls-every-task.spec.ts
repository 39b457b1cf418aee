import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startBuyer, type Buyer } from './buyer/start-buyer.js';
import { startSwitchyard, type RunningSwitchyard } from './platform/start-switchyard.js';

const day = 86_400_000;
const brand = { domain: 'bikes.example' };
const account = { brand, operator: 'agency.example' };
const brief = { buying_mode: 'brief', brief: 'video for a bike shop', brand };
const destinations = [{ type: 'platform', platform: 'dv360' }];

let switchyard: RunningSwitchyard;
let buyer: Buyer;
const opened: (() => Promise<void>)[] = [];

beforeAll(async () => {
  switchyard = await startSwitchyard('--market', 'prompt,courier,behind,signals-prompt');
  opened.push(() => switchyard.remove());
  buyer = await startBuyer(switchyard.access);
  opened.push(() => buyer.stop());
}, 90_000);

afterAll(async () => {
  await Promise.all(opened.map((stop) => stop()));
}, 30_000);

type Door = 'mcp' | 'a2a';
type Data = Record<string, never>;

async function ask<T = Data>(door: Door, method: string, params: unknown): Promise<T> {
  const result = await buyer.call(door, method, params);
  expect({ method, success: result.success, error: result.error ?? result.adcpError }).toEqual({
    method,
    success: true,
    error: undefined,
  });
  return result.data as T;
}

let last = 0;
const key = (door: Door): string => `every-task-${door}-${Date.now()}-${(last += 1)}`;

interface Product {
  readonly product_id: string;
  readonly pricing_options: readonly { readonly pricing_option_id: string }[];
  readonly format_ids: readonly unknown[];
}

async function offer(door: Door): Promise<Product> {
  const { products } = await ask<{ products: readonly Product[] }>(door, 'getProducts', brief);
  const found = products.find(({ product_id: id }) => id.startsWith('prompt:'));
  if (found === undefined) throw new Error('the practice seller offers nothing');
  return found;
}

async function buy(
  door: Door,
): Promise<{ media_buy_id: string; packages: readonly { package_id: string }[] }> {
  const product = await offer(door);
  return ask(door, 'createMediaBuy', {
    idempotency_key: key(door),
    account,
    brand,
    start_time: new Date(Date.now() + day).toISOString(),
    end_time: new Date(Date.now() + 8 * day).toISOString(),
    packages: [
      {
        product_id: product.product_id,
        pricing_option_id: product.pricing_options[0]?.pricing_option_id,
        budget: 5_000,
      },
    ],
  });
}

/** Every method of the client for which we have a task: how it is called, and what shows that it was answered. */
const methods: Readonly<Record<string, (door: Door) => Promise<void>>> = {
  getAdcpCapabilities: async (door) => {
    expect(await ask(door, 'getAdcpCapabilities', {})).toHaveProperty('supported_protocols');
  },
  getProducts: async (door) => {
    expect((await offer(door)).pricing_options).not.toHaveLength(0);
  },
  listCreativeFormats: async (door) => {
    expect((await ask<{ formats: unknown[] }>(door, 'listCreativeFormats', {})).formats).not.toHaveLength(0);
  },
  createMediaBuy: async (door) => {
    expect((await buy(door)).media_buy_id).toMatch(/^mb_/);
  },
  updateMediaBuy: async (door) => {
    // Not a cancellation: over A2A the client takes the buy's own `canceled`, as release 3.0 says it, for the task's.
    const { media_buy_id: id, packages } = await buy(door);
    const part = { package_id: packages[0]?.package_id, budget: 6_000 };
    const changed = { idempotency_key: key(door), account, media_buy_id: id, packages: [part] };
    expect(await ask(door, 'updateMediaBuy', changed)).toMatchObject({ media_buy_id: id });
  },
  getMediaBuys: async (door) => {
    const { media_buy_id: id } = await buy(door);
    const shown = await ask(door, 'getMediaBuys', { account, media_buy_ids: [id] });
    expect(shown).toMatchObject({ media_buys: [{ media_buy_id: id }] });
  },
  getMediaBuyDelivery: async (door) => {
    const { media_buy_id: id } = await buy(door);
    const shown = await ask(door, 'getMediaBuyDelivery', { account, media_buy_ids: [id] });
    expect(shown).toMatchObject({ media_buy_deliveries: [{ media_buy_id: id }] });
  },
  syncCreatives: async (door) => {
    const product = await offer(door);
    const creative = {
      creative_id: `cr-${door}`,
      name: 'One',
      format_id: product.format_ids[0],
      assets: {
        main: { asset_type: 'image', url: 'https://cdn.bikes.example/a.png', width: 300, height: 250 },
      },
    };
    const synced = { idempotency_key: key(door), account, creatives: [creative] };
    expect(await ask(door, 'syncCreatives', synced)).toMatchObject({
      creatives: [{ creative_id: creative.creative_id }],
    });
  },
  listCreatives: async (door) => {
    expect(await ask(door, 'listCreatives', {})).toHaveProperty('creatives');
  },
  providePerformanceFeedback: async (door) => {
    const { media_buy_id: id } = await buy(door);
    const period = { start: new Date(Date.now() - day).toISOString(), end: new Date().toISOString() };
    const feedback = { media_buy_id: id, measurement_period: period, performance_index: 1.2 };
    const result = await buyer.call(door, 'providePerformanceFeedback', {
      idempotency_key: key(door),
      ...feedback,
    });
    // The sellers here take none: what matters is that the client reads an answer of ours, and reads it rightly.
    expect(result.success || typeof (result.error ?? result.adcpError?.code) === 'string').toBe(true);
  },
  getSignals: async (door) => {
    const { signals } = await ask<{ signals: unknown[] }>(door, 'getSignals', {
      signal_spec: 'cyclists',
      destinations,
    });
    expect(signals).not.toHaveLength(0);
  },
  activateSignal: async (door) => {
    const { signals } = await ask<{ signals: { signal_agent_segment_id: string }[] }>(door, 'getSignals', {
      signal_spec: 'cyclists',
      destinations,
    });
    const wanted = {
      signal_agent_segment_id: signals[door === 'mcp' ? 0 : 1]?.signal_agent_segment_id,
      destinations,
    };
    const made = await ask(door, 'activateSignal', { idempotency_key: key(door), account, ...wanted });
    expect(made).toMatchObject({ deployments: [{ type: 'platform' }] });
  },
  listAccounts: async (door) => {
    expect(await ask(door, 'listAccounts', {})).toHaveProperty('accounts');
  },
  syncAccounts: async (door) => {
    const accounts = [{ brand, operator: 'agency.example', billing: 'operator' }];
    const made = await ask(door, 'syncAccounts', { idempotency_key: key(door), accounts });
    expect(made).toMatchObject({ accounts: [{ account_id: expect.any(String) }] });
  },
};

describe('the client of @adcp/sdk', () => {
  it('has no method for a task of ours that is not called here', async () => {
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
    // Its own bookkeeping of tasks is a method of that name, and calls no agent.
    const both = ours.filter((name) => offered.includes(name) && name !== 'listTasks');
    expect(both.length).toBeGreaterThan(10);
    expect(both.filter((name) => !(name in methods))).toEqual([]);
  });

  describe.each(['mcp', 'a2a'] as const)('at our door for %s', (door) => {
    it.each(Object.keys(methods))(
      'calls %s, under strict schemas both ways, and is answered',
      async (method) => {
        await methods[method]?.(door);
      },
    );
  });
});
