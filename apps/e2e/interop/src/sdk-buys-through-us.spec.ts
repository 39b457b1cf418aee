import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { startBuyer, type Buyer } from './buyer/start-buyer.js';
import { runNode } from './platform/run-node.js';
import { startSwitchyard, type RunningSwitchyard } from './platform/start-switchyard.js';

const day = 86_400_000;
const brand = { domain: 'bikes.example' };
const account = { brand, operator: 'agency.example' };
/** Shorter than the deadline that the market's hanging agent would use up. */
const brief = {
  buying_mode: 'brief',
  brief: 'video for a bike shop',
  brand,
  time_budget: { interval: 2, unit: 'seconds' },
};

interface Product {
  readonly product_id: string;
  readonly pricing_options: readonly { pricing_option_id: string; currency: string; fixed_price?: number }[];
  readonly ext: { readonly switchyard: { readonly seller: string } };
}
interface Row {
  readonly seller: string;
  readonly status: string;
}
interface Ours {
  readonly ext: { readonly switchyard: { readonly operation_id: string; readonly sellers: readonly Row[] } };
}
interface Bought extends Ours {
  readonly media_buy_id: string;
  readonly packages: readonly { product_id: string; budget: number; context: unknown }[];
  readonly replayed?: boolean;
}

let switchyard: RunningSwitchyard;
let buyer: Buyer;
const opened: (() => Promise<void>)[] = [];

beforeAll(async () => {
  switchyard = await startSwitchyard();
  opened.push(() => switchyard.remove());
  buyer = await startBuyer(switchyard.access);
  opened.push(() => buyer.stop());
});

afterAll(async () => {
  await Promise.all(opened.map((stop) => stop()));
});

async function call<T>(endpoint: 'mcp' | 'a2a', method: string, params: unknown): Promise<T> {
  const result = await buyer.call(endpoint, method, params);
  expect({ method, error: result.error ?? result.adcpError, success: result.success }).toEqual({
    method,
    error: undefined,
    success: true,
  });
  return result.data as T;
}

/** Returns a package for the seller's first product with a fixed price in US dollars. */
function packageOf(products: readonly Product[], seller: string, budget: number): Record<string, unknown> {
  const fits = (item: Product) =>
    item.pricing_options[0]?.currency === 'USD' && 'fixed_price' in item.pricing_options[0];
  const product = products.find((item) => item.product_id.startsWith(`${seller}:`) && fits(item));
  return {
    product_id: product?.product_id,
    pricing_option_id: product?.pricing_options[0]?.pricing_option_id,
    budget,
    context: { line: `line at ${seller}` },
  };
}

const flight = () => ({
  start_time: new Date(Date.now() + day).toISOString(),
  end_time: new Date(Date.now() + 8 * day).toISOString(),
});

describe.each(['mcp', 'a2a'] as const)(
  'the client of @adcp/sdk at Switchyard’s endpoint for %s',
  (endpoint) => {
    it('reads Switchyard’s capabilities as those of a sales and signals agent with safe retries', async () => {
      const reported = await call<Record<string, unknown>>(endpoint, 'getAdcpCapabilities', {});
      expect(reported['supported_protocols']).toEqual(expect.arrayContaining(['media_buy', 'signals']));
      expect(reported['adcp']).toMatchObject({ major_versions: [3], idempotency: { supported: true } });
    });

    it('gets one answer from many sellers, where each item names its seller, and passes its strict schemas', async () => {
      const answer = await call<Ours & { products: readonly Product[] }>(endpoint, 'getProducts', brief);
      const answered = answer.ext.switchyard.sellers.filter((row) => row.status === 'answered');
      expect(answered.length).toBeGreaterThanOrEqual(6);
      expect(new Set(answer.products.map((product) => product.ext.switchyard.seller))).toEqual(
        new Set(answer.products.map((product) => product.product_id.split(':')[0])),
      );
      expect(answer.ext.switchyard.sellers.find((row) => row.seller === 'hanging')?.status).toBe('slow');
    });

    it('gets the signals of two agents as one list', async () => {
      const answer = await call<{ signals: readonly { signal_agent_segment_id: string }[] }>(
        endpoint,
        'getSignals',
        {
          signal_spec: 'cyclists',
          destinations: [{ type: 'platform', platform: 'dv360' }],
          countries: ['US'],
        },
      );
      const sellers = answer.signals.map((signal) => signal.signal_agent_segment_id.split(':')[0]);
      expect(new Set(sellers)).toEqual(new Set(['signals-later', 'signals-now']));
    });

    it('buys from two sellers in one request, gets its own context back, and the same buy for the same key', async () => {
      const { products } = await call<{ products: readonly Product[] }>(endpoint, 'getProducts', brief);
      const request = {
        idempotency_key: `third-party-${endpoint}-${Date.now()}`,
        account,
        brand,
        ...flight(),
        packages: [packageOf(products, 'prompt', 5_000), packageOf(products, 'behind', 2_500.5)],
        context: { campaign: 'spring' },
      };
      const bought = await call<Bought>(endpoint, 'createMediaBuy', request);
      expect(bought.media_buy_id).toMatch(/^mb_/);
      expect(bought).toMatchObject({
        context: { campaign: 'spring' },
        packages: [
          { budget: 5_000, context: { line: 'line at prompt' } },
          { budget: 2_500.5, context: { line: 'line at behind' } },
        ],
      });
      const again = await call<Bought>(endpoint, 'createMediaBuy', request);
      expect(again).toMatchObject({ media_buy_id: bought.media_buy_id, replayed: true });

      const buys = await call<{ media_buys: readonly Record<string, unknown>[] }>(endpoint, 'getMediaBuys', {
        account,
        media_buy_ids: [bought.media_buy_id],
      });
      expect(buys.media_buys).toMatchObject([{ media_buy_id: bought.media_buy_id, total_budget: 7_500.5 }]);
      const delivery = await call<Record<string, unknown>>(endpoint, 'getMediaBuyDelivery', {
        account,
        media_buy_ids: [bought.media_buy_id],
      });
      expect(delivery['media_buy_deliveries']).toMatchObject([{ media_buy_id: bought.media_buy_id }]);
    });

    it('reads a refusal with its code and field, and nothing is bought', async () => {
      const before = await switchyard.command('buys');
      const result = await buyer.call(endpoint, 'createMediaBuy', {
        idempotency_key: `refused-${endpoint}-0123456789`,
        account,
        brand,
        ...flight(),
        packages: [{ product_id: 'nobody:product', pricing_option_id: 'any', budget: 10 }],
      });
      expect(result.success).toBe(false);
      expect(JSON.stringify(result)).toContain('PRODUCT_NOT_FOUND');
      expect((await switchyard.command('buys')).json).toEqual(before.json);
    });
  },
);

describe('the multi-agent client of @adcp/sdk', () => {
  it('queries both endpoints as two agents and gets the same products', async () => {
    const [overMcp, overA2a] = await buyer.productsOfBothEndpoints(brief);
    const ids = (result: typeof overMcp): ReadonlySet<string> =>
      new Set(
        (result?.data?.['products'] as readonly Product[])
          .map((product) => product.product_id)
          .filter((id) => id.startsWith('prompt:')),
      );
    expect(ids(overMcp).size).toBeGreaterThan(0);
    expect(ids(overMcp)).toEqual(ids(overA2a));
  });
});

describe('the command line of @adcp/sdk', () => {
  const manifest = createRequire(import.meta.url).resolve('@adcp/sdk/package.json');
  const cli = join(dirname(manifest), 'bin/adcp.js');
  const adcp = async (task: string, params: unknown): Promise<Record<string, unknown>> => {
    const { mcp_url: url, token } = switchyard.access;
    const args = [url, task, JSON.stringify(params), '--protocol', 'mcp', '--json', '--auth', token];
    const ran = await runNode([cli, ...args], { env: { HOME: switchyard.folder } });
    expect({ task, exitCode: ran.exitCode, stderr: ran.exitCode === 0 ? '' : ran.stderr }).toEqual({
      task,
      exitCode: 0,
      stderr: '',
    });
    return (ran.json as { data: Record<string, unknown> }).data;
  };

  it('requests capabilities, products and signals, and buys', async () => {
    expect((await adcp('get_adcp_capabilities', {}))['supported_protocols']).toContain('media_buy');
    const { products } = (await adcp('get_products', brief)) as { products: readonly Product[] };
    expect(products.length).toBeGreaterThan(10);
    const signals = await adcp('get_signals', {
      signal_spec: 'cyclists',
      destinations: [{ type: 'platform', platform: 'dv360' }],
      countries: ['US'],
    });
    expect(signals['signals']).not.toHaveLength(0);
    const bought = await adcp('create_media_buy', {
      idempotency_key: `by-command-line-${Date.now()}`,
      account,
      brand,
      ...flight(),
      packages: [packageOf(products, 'prompt', 1_200)],
    });
    expect(bought).toMatchObject({ packages: [{ budget: 1_200 }] });
    const buys = (await switchyard.command('buys')).json as readonly Record<string, unknown>[];
    expect(buys.map((buy) => buy['media_buy_id'])).toContain(bought['media_buy_id']);
  });
});
