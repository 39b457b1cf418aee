import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startBuyer, type Buyer } from './buyer/start-buyer.js';
import { startSwitchyard, type RunningSwitchyard } from './platform/start-switchyard.js';
import type { ReportWish } from './sellers/report.js';
import {
  startSeller,
  startSignals,
  type ThirdPartySeller,
  type ThirdPartySignals,
} from './sellers/start-sellers.js';
import { until } from './until.js';

const day = 86_400_000;
const brand = { domain: 'bikes.example' };
const today = new Date().toISOString().slice(0, 10);

interface LegView {
  readonly seller: string;
  readonly task_status: string;
  readonly seller_media_buy_id?: string;
  readonly observed_by?: string;
}
interface BuyView {
  readonly media_buy_id: string;
  readonly legs: readonly LegView[];
}
interface Verdict {
  readonly ok: boolean;
  readonly entries: number;
}

let switchyard: RunningSwitchyard;
let buyer: Buyer;
let gazette: ThirdPartySeller;
let herald: ThirdPartySeller;
let courier: ThirdPartySeller;
let stickler: ThirdPartySeller;
let insights: ThirdPartySignals;
let buyFile: string;
const opened: (() => Promise<void>)[] = [];

const keyOfBuyer = 'key-of-the-buyer-0123456789';
const request = {
  adcp_version: '3.0',
  idempotency_key: keyOfBuyer,
  account: { brand, operator: 'agency.example' },
  brand,
  start_time: new Date(Date.now() + day).toISOString(),
  end_time: new Date(Date.now() + 8 * day).toISOString(),
  packages: [
    { product_id: 'gazette:front_page', pricing_option_id: 'front_page_cpm', budget: 1_000.25 },
    { product_id: 'herald:sports', pricing_option_id: 'sports_cpm', budget: 300 },
    { product_id: 'courier:sports', pricing_option_id: 'sports_cpm', budget: 150.5 },
    { product_id: 'gazette:sports', pricing_option_id: 'sports_cpm', budget: 2_000 },
  ],
  context: { campaign: 'spring' },
};

const third = (slug: string) => ({
  slug,
  token: `${slug}-token-0123456789`,
  requests: 'warn' as const,
  declaresSigning: true,
});

beforeAll(async () => {
  [switchyard, gazette, herald, courier, stickler, insights] = await Promise.all([
    startSwitchyard('--no-sandbox'),
    startSeller({ ...third('gazette'), protocol: 'mcp' }),
    startSeller({ ...third('herald'), protocol: 'mcp', asksHuman: true }),
    startSeller({ ...third('courier'), protocol: 'a2a', asksHuman: true }),
    startSeller({ ...third('stickler'), protocol: 'mcp', requests: 'strict' }),
    startSignals('insights-token-0123456789'),
  ]);
  for (const seller of [gazette, herald, courier, stickler, insights]) opened.push(() => seller.stop());
  opened.push(() => switchyard.remove());
  buyer = await startBuyer(switchyard.access);
  opened.push(() => buyer.stop());
  buyFile = await switchyard.file('buy.json', request);
});

afterAll(async () => {
  await Promise.all(opened.map((stop) => stop()));
});

const spend = async (): Promise<unknown> => (await switchyard.command('ledger', 'spend')).json;
const verdict = async (): Promise<Verdict> =>
  (await switchyard.command('ledger', 'verify', '--from-start')).json as Verdict;

async function ourBuy(): Promise<BuyView> {
  const buys = (await switchyard.command('buys')).json as readonly BuyView[];
  const shown = await switchyard.command('buys', 'show', buys[0]!.media_buy_id);
  return shown.json as BuyView;
}

describe('agents built with the server side of @adcp/sdk, as sellers', () => {
  it('go live from one import, found by an admin’s pins, each with its own credential', async () => {
    const rows = [
      { slug: 'gazette', agent_url: gazette.agentUrl, token: gazette.token, jwks_uri: gazette.jwksUri },
      {
        slug: 'herald',
        agent_url: herald.agentUrl,
        token: herald.token,
        brand_json_url: herald.brandJsonUrl,
      },
      { slug: 'courier', agent_url: courier.agentUrl, token: courier.token, jwks_uri: courier.jwksUri },
      { slug: 'insights', agent_url: insights.agentUrl, token: insights.token },
    ].map((row) => ({ ...row, protocol: row.slug === 'courier' ? 'a2a' : 'mcp', dialect: 'adcp' }));
    const imported = await switchyard.command(
      'sellers',
      'import',
      await switchyard.file('sellers.json', rows),
    );
    expect(imported.json).toMatchObject(rows.map(({ slug }) => ({ slug })));
    // One that answers late on a busy machine is tried again by itself.
    const listed = await until(
      async () => (await switchyard.command('sellers', 'list')).json as readonly { state: string }[],
      (sellers) => sellers.filter(({ state }) => state === 'live').length === rows.length,
    );
    expect(listed).toMatchObject([
      { slug: 'courier', form: '3.0', kinds: ['sales'], protocol: 'a2a' },
      { slug: 'gazette', form: '3.0', kinds: ['sales'] },
      { slug: 'herald', form: '3.0', kinds: ['sales'] },
      { slug: 'insights', form: '3.0', kinds: ['signals'] },
    ]);
  });

  it('are not live with another agent’s credential, and the import says so', async () => {
    const row = { slug: 'wrong', agent_url: gazette.agentUrl, token: herald.token };
    const file = await switchyard.file('wrong.json', [{ ...row, protocol: 'mcp', dialect: 'adcp' }]);
    const imported = await switchyard.command('sellers', 'import', file);
    expect(imported).toMatchObject({ exitCode: 1, json: [{ slug: 'wrong', state: 'failed' }] });
    expect(imported.stdout + imported.stderr).not.toContain(herald.token);
  });

  it('are queried as one market: every product names its seller', async () => {
    const requested = await switchyard.command('ask', 'video for a bike shop', '--brand', brand.domain);
    expect(requested.exitCode).toBe(0);
    const { products, sellers } = requested.json as {
      products: readonly { product_id: string; seller: string }[];
      sellers: readonly { seller: string; status: string }[];
    };
    expect(new Set(products.map((product) => product.product_id))).toEqual(
      new Set(['gazette', 'herald', 'courier'].flatMap((slug) => [`${slug}:front_page`, `${slug}:sports`])),
    );
    expect(sellers.filter((row) => row.seller !== 'wrong')).toMatchObject([
      { seller: 'courier', status: 'answered' },
      { seller: 'gazette', status: 'answered' },
      { seller: 'herald', status: 'answered' },
    ]);
  });

  it('get only their part of a buy, under a key that is not the buyer’s', async () => {
    const bought = await switchyard.command('buy', buyFile);
    expect(bought).toMatchObject({
      exitCode: 0,
      json: { status: 'submitted', context: { campaign: 'spring' } },
    });
    const { buys } = await gazette.store();
    expect(buys).toHaveLength(1);
    expect(buys[0]?.packages).toMatchObject([
      { product_id: 'front_page', pricing_option_id: 'front_page_cpm', budget: 1_000.25 },
      { product_id: 'sports', pricing_option_id: 'sports_cpm', budget: 2_000 },
    ]);
    expect(buys[0]?.request).toMatchObject({
      account: { brand, operator: expect.any(String) },
      reporting_webhook: { reporting_frequency: 'daily' },
    });
    expect(JSON.stringify(buys)).not.toContain(keyOfBuyer);
    expect(JSON.stringify(buys)).not.toContain('herald');
    expect(await herald.store()).toMatchObject({ buys: [], createCalls: 1 });
    expect(await courier.store()).toMatchObject({ buys: [] });
  });

  it('may ask a human, over both protocols: the buy is complete once their signed task webhooks have arrived', async () => {
    await Promise.all([herald.release(), courier.release()]);
    const { legs } = await until(ourBuy, (buy) => buy.legs.every((leg) => leg.task_status === 'completed'));
    const bySeller = [...legs].sort((one, other) => (one.seller < other.seller ? -1 : 1));
    expect(bySeller).toMatchObject([
      { seller: 'courier', seller_media_buy_id: 'courier_buy_1', observed_by: 'webhook' },
      { seller: 'gazette', seller_media_buy_id: 'gazette_buy_1', observed_by: 'inline' },
      { seller: 'herald', seller_media_buy_id: 'herald_buy_1', observed_by: 'webhook' },
    ]);
    const { buys } = await herald.store();
    expect(buys.map((buy) => buy.packages)).toMatchObject([[{ product_id: 'sports', budget: 300 }]]);
    const overA2a = (await courier.store()).buys;
    expect(overA2a.map((buy) => buy.packages)).toMatchObject([[{ product_id: 'sports', budget: 150.5 }]]);
  });

  it('book nothing twice, when the buyer repeats a request or when Switchyard sends the same bytes again', async () => {
    const again = await switchyard.command('buy', buyFile);
    expect(again).toMatchObject({ exitCode: 0, json: { replayed: true } });
    expect(await gazette.store()).toMatchObject({ buys: [{}], createCalls: 1 });

    const repeated = await gazette.repeatCreate();
    expect(repeated.result.structuredContent).toMatchObject({
      media_buy_id: 'gazette_buy_1',
      replayed: true,
    });
    expect((await gazette.store()).buys).toHaveLength(1);
    expect((await herald.store()).buys).toHaveLength(1);
    expect((await courier.store()).buys).toHaveLength(1);
  });

  it('are answered 200 also for the webhook that the SDK sends about a buy that ended inline', async () => {
    const { taskWebhooks } = await until(
      () => gazette.store(),
      (store) => store.taskWebhooks.length > 0,
    );
    expect(taskWebhooks).toMatchObject([{ status: 'completed', success: true }]);
    const leg = (await ourBuy()).legs.find((legView) => legView.seller === 'gazette');
    expect(leg).toMatchObject({ task_status: 'completed', observed_by: 'inline' });
  });
});

describe('reports signed by the SDK’s own signer', () => {
  const first: ReportWish = {
    mediaBuyId: 'gazette_buy_1',
    operationId: 'report-1',
    sequence: 1,
    type: 'scheduled',
    day: today,
    spend: [12.345678, 0.1],
  };
  const row = (seller: string, amount: string) => ({ seller, currency: 'USD', spend: amount });

  it('reach the ledger to the last decimal, by a pinned key set', async () => {
    expect(await gazette.report(first)).toMatchObject({ delivered: true, final_status: 200 });
    const rows = await until(spend, (seen) => JSON.stringify(seen).includes('gazette'));
    expect(rows).toEqual([row('gazette', '12.445678')]);
    expect(await verdict()).toMatchObject({ ok: true });
  });

  it('reach the ledger also by keys that brand.json leads to', async () => {
    const report = { ...first, mediaBuyId: 'herald_buy_1', spend: [0.3] };
    expect(await herald.report(report)).toMatchObject({ delivered: true, final_status: 200 });
    const rows = await until(spend, (seen) => JSON.stringify(seen).includes('herald'));
    expect(rows).toEqual([row('gazette', '12.445678'), row('herald', '0.3')]);
  });

  it('count once when they are sent again under the same key', async () => {
    const { entries } = await verdict();
    expect(await gazette.report(first)).toMatchObject({ delivered: true, final_status: 200 });
    // A later report of another day passes the same inbox in order: once it is booked, a repeated one would be too.
    const next = { ...first, operationId: 'report-2', sequence: 2, day: dayAfter(today), spend: [1, 2] };
    await gazette.report(next);
    const rows = await until(spend, (seen) => JSON.stringify(seen).includes('15.445678'));
    expect(rows).toContainEqual(row('gazette', '15.445678'));
    expect((await verdict()).entries).toBe(entries + 1);
  });

  it('replace what they correct instead of adding to it', async () => {
    const adjusted: ReportWish = {
      ...first,
      operationId: 'report-3',
      sequence: 3,
      type: 'adjusted',
      spend: [10, 0.2],
    };
    await gazette.report(adjusted);
    const rows = await until(spend, (seen) => JSON.stringify(seen).includes('13.2'));
    expect(rows).toContainEqual(row('gazette', '13.2'));
    expect(await verdict()).toMatchObject({ ok: true });
  });

  it('are refused with the tag of another profile, and book nothing', async () => {
    const before = await verdict();
    const forged = {
      ...first,
      operationId: 'report-4',
      sequence: 4,
      spend: [999, 999],
      tag: 'adcp/request-signing/v1',
    };
    expect(await gazette.report(forged)).toMatchObject({ delivered: false, final_status: 401 });
    expect(await verdict()).toEqual(before);
  });
});

describe('a signals agent built with @adcp/sdk', () => {
  it('is queried, and activates a segment once for a buyer that uses the SDK', async () => {
    const destinations = [{ type: 'platform', platform: 'dv360' }];
    const found = await buyer.call('mcp', 'getSignals', {
      signal_spec: 'cyclists',
      destinations,
      countries: ['US'],
    });
    expect({ success: found.success, error: found.error }).toEqual({ success: true, error: undefined });
    const ids = (found.data?.['signals'] as readonly { signal_agent_segment_id: string }[]).map(
      (signal) => signal.signal_agent_segment_id,
    );
    expect(new Set(ids)).toEqual(new Set(['insights:commuters', 'insights:tourers']));
    const options = {
      idempotency_key: 'activate-commuters-0123456789',
      account: request.account,
      signal_agent_segment_id: 'insights:commuters',
      destinations,
    };
    const activated = await buyer.call('mcp', 'activateSignal', options);
    expect({ error: activated.error, data: activated.data }).toMatchObject({
      error: undefined,
      data: { deployments: [{ is_live: true, activation_key: { segment_id: 'seat_1' } }] },
    });
    expect((await buyer.call('mcp', 'activateSignal', options)).success).toBe(true);
    expect(await insights.activations()).toMatchObject([
      { signal_agent_segment_id: 'commuters', destinations },
    ]);
  });
});

describe('a live seller with a webhook mode set by an admin', () => {
  it('sends all of its webhooks in that mode, and its reports by HMAC reach the ledger', async () => {
    const add = (...more: readonly string[]) =>
      switchyard.commandWith(
        stickler.token,
        ...['sellers', 'add', stickler.agentUrl, '--slug', 'stickler'],
        ...['--protocol', 'mcp', '--dialect', 'adcp', ...more],
      );
    expect(await add('--token-stdin')).toMatchObject({ exitCode: 0, json: { state: 'live' } });
    expect(await add()).toMatchObject({ exitCode: 1 });
    expect(await add('--legacy-webhooks', 'hmac-sha256')).toMatchObject({
      exitCode: 0,
      json: { state: 'live' },
    });
    const listed = (await switchyard.command('sellers', 'list')).json as readonly { readonly slug: string }[];
    expect(listed.find((seller) => seller.slug === 'stickler')).toMatchObject({
      legacy_webhooks: 'hmac-sha256',
    });
    const file = await switchyard.file('marked-buy.json', {
      ...request,
      idempotency_key: 'key-for-the-marked-one-0123456789',
      packages: [{ product_id: 'stickler:sports', pricing_option_id: 'sports_cpm', budget: 10 }],
    });
    // Its products were never queried. A buy queries them, and is refused if the seller answers too late.
    await until(
      () => switchyard.command('buy', file),
      ({ exitCode, stdout, stderr }) => {
        if (exitCode !== 0 && !stderr.includes('SERVICE_UNAVAILABLE')) throw new Error(stdout + stderr);
        return exitCode === 0;
      },
    );
    const [buy] = (await stickler.store()).buys;
    const secret = buy?.request.reporting_webhook?.authentication?.credentials ?? '';
    expect(buy?.request).toMatchObject({
      reporting_webhook: { authentication: { schemes: ['HMAC-SHA256'] } },
      push_notification_config: { authentication: { schemes: ['HMAC-SHA256'] } },
    });
    expect(secret.length).toBeGreaterThanOrEqual(32);
    const sent = await stickler.report({
      mediaBuyId: 'stickler_buy_1',
      operationId: 'report-by-hmac',
      sequence: 1,
      type: 'scheduled',
      day: today,
      spend: [4.5],
    });
    expect(sent).toMatchObject({ delivered: true, final_status: 200 });
    const rows = await until(spend, (seen) => JSON.stringify(seen).includes('stickler'));
    expect(rows).toContainEqual({ seller: 'stickler', currency: 'USD', spend: '4.5' });
    const events = await switchyard.command('events', 'list', '--seller', 'stickler');
    expect(events.stdout).not.toContain(secret);
    expect(events.json).toContainEqual(
      expect.objectContaining({
        kind: 'delivery_report',
        state: 'applied',
        sender: expect.stringMatching(/^connection:/),
      }),
    );
  });
});

describe('what @adcp/sdk 6.11.0 cannot do', () => {
  it('sends only task webhooks and no reports by itself, so a seller calls its emitter', async () => {
    const { buys, taskWebhooks } = await gazette.store();
    const received = taskWebhooks.map((sent) => sent.url);
    expect(received).toEqual([buys[0]?.request.push_notification_config?.url]);
    expect(received).not.toContain(buys[0]?.request.reporting_webhook?.url);
  });
});

function dayAfter(date: string): string {
  return new Date(Date.parse(date) + day).toISOString().slice(0, 10);
}
