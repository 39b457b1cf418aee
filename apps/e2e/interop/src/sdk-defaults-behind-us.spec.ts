import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startSwitchyard, type RunningSwitchyard } from './platform/start-switchyard.js';
import { startSeller, type ThirdPartySeller } from './sellers/start-sellers.js';
import { until } from './until.js';

const day = 86_400_000;
const brand = { domain: 'bikes.example' };
const account = { brand, operator: 'agency.example' };

interface BuyView {
  readonly media_buy_id: string;
  readonly budget: string;
  readonly legs?: readonly { readonly task: string; readonly task_status: string }[];
}

let switchyard: RunningSwitchyard;
const sellers = new Map<string, ThirdPartySeller>();
const opened: (() => Promise<void>)[] = [];

beforeAll(async () => {
  const at = (slug: string, protocol: 'mcp' | 'a2a', declaresSigning = false) =>
    startSeller({ slug, token: `${slug}-token-0123456789`, protocol, doesAll: true, declaresSigning });
  const [instance, gazette, courier, herald] = await Promise.all([
    startSwitchyard('--no-sandbox'),
    at('gazette', 'mcp'),
    at('courier', 'a2a'),
    at('herald', 'mcp', true),
  ]);
  switchyard = instance;
  sellers.set('gazette', gazette).set('courier', courier).set('herald', herald);
  for (const seller of sellers.values()) opened.push(() => seller.stop());
  opened.push(() => switchyard.remove());
});

afterAll(async () => {
  await Promise.all(opened.map((stop) => stop()));
});

const sellerOf = (slug: string): ThirdPartySeller => {
  const found = sellers.get(slug);
  if (found === undefined) throw new Error(`no seller is called ${slug}`);
  return found;
};

async function buyAt(slug: string): Promise<BuyView> {
  const buys = (await switchyard.command('buys')).json as readonly BuyView[];
  const shown = await Promise.all(
    buys.map(async (buy) => (await switchyard.command('buys', 'show', buy.media_buy_id)).json),
  );
  const found = shown.find((item) => JSON.stringify(item).includes(`"${slug}"`));
  if (found === undefined) throw new Error(`no buy names ${slug}`);
  return found as BuyView;
}

/** The last one declares that it signs; its refusal of the first request shows what it really accepts. */
describe.each([
  ['gazette', 'mcp', 1],
  ['courier', 'a2a', 0],
  ['herald', 'mcp', 2],
])('an agent of @adcp/sdk with its default validation (%s, over %s)', (slug, protocol, requests) => {
  it('goes live by one `sellers add`', async () => {
    const { agentUrl, token } = sellerOf(slug);
    const added = await switchyard.commandWith(
      token,
      ...['sellers', 'add', agentUrl, '--slug', slug, '--token-stdin'],
      ...['--protocol', protocol, '--dialect', 'adcp'],
    );
    expect(added).toMatchObject({ exitCode: 0, json: { state: 'live' } });
  });

  it('answers a brief', async () => {
    const requested = await switchyard.command('ask', 'video for a bike shop', '--brand', brand.domain);
    const { products } = requested.json as {
      readonly products: readonly { readonly product_id: string }[];
    };
    expect(products.map(({ product_id: id }) => id)).toContain(`${slug}:sports`);
  });

  it('accepts a buy, with a shared secret for its reports', async () => {
    const file = await switchyard.file(`buy-${slug}.json`, {
      adcp_version: '3.0',
      idempotency_key: `key-of-the-buyer-at-${slug}-0123456789`,
      account,
      brand,
      start_time: new Date(Date.now() + day).toISOString(),
      end_time: new Date(Date.now() + 8 * day).toISOString(),
      packages: [{ product_id: `${slug}:sports`, pricing_option_id: 'sports_cpm', budget: 100 }],
    });
    const bought = await switchyard.command('buy', file);
    expect(bought).toMatchObject({ exitCode: 0, json: { status: 'pending_start' } });
    const { buys, createCalls } = await sellerOf(slug).store();
    expect(buys).toHaveLength(1);
    // Its requests are counted over MCP only.
    expect(createCalls).toBe(requests);
    const reports = buys[0]?.request.reporting_webhook;
    expect(reports?.authentication?.schemes).toEqual(['HMAC-SHA256']);
    expect(reports?.authentication?.credentials.length).toBeGreaterThanOrEqual(32);
    expect(bought.stdout + bought.stderr).not.toContain(reports?.authentication?.credentials);
  });

  it('accepts an update of the buy', async () => {
    const shown = await buyAt(slug);
    const packages = /"package_id":"([^"]+)"/.exec(JSON.stringify(shown));
    const file = await switchyard.file(`update-${slug}.json`, {
      adcp_version: '3.0',
      idempotency_key: `key-of-the-change-at-${slug}-0123456789`,
      account,
      media_buy_id: shown.media_buy_id,
      packages: [{ package_id: packages?.[1], budget: 250 }],
    });
    expect(await switchyard.command('buys', 'update', file)).toMatchObject({
      exitCode: 0,
      json: { status: 'pending_start' },
    });
    const { changes } = await sellerOf(slug).store();
    expect(changes).toMatchObject([{ patch: { packages: [{ budget: 250 }] } }]);
  });

  it('delivers its reports, proved by that secret, to the ledger', async () => {
    const sent = await sellerOf(slug).report({
      mediaBuyId: `${slug}_buy_1`,
      operationId: `report-of-${slug}`,
      sequence: 1,
      type: 'scheduled',
      day: new Date().toISOString().slice(0, 10),
      spend: [4.5],
    });
    expect(sent).toMatchObject({ delivered: true, final_status: 200 });
    const rows = await until(
      async () => (await switchyard.command('ledger', 'spend')).json,
      (seen) => JSON.stringify(seen).includes(slug),
    );
    expect(rows).toContainEqual({ seller: slug, currency: 'USD', spend: '4.5' });
    const events = await switchyard.command('events', 'list', '--seller', slug);
    expect(events.json).toContainEqual(
      expect.objectContaining({ kind: 'delivery_report', state: 'applied' }),
    );
  });
});

describe('the secrets of such buys', () => {
  it('differ for each registration', async () => {
    const given = await Promise.all(
      [...sellers.values()].map(
        async (seller) =>
          (await seller.store()).buys[0]?.request.reporting_webhook?.authentication?.credentials,
      ),
    );
    expect(new Set(given).size).toBe(3);
  });
});
