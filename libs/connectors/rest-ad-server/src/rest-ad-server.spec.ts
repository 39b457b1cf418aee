import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  checkConnector,
  type AskSeller,
  type ConnectorAnswer,
  type SellerConnector,
} from '@switchyard/sellers';
import { startRestAdServer, type RestAdServer } from '@switchyard/testing';
import { restAdServer } from './index.js';

let seller: RestAdServer;
let ask: AskSeller;

beforeAll(async () => {
  seller = await startRestAdServer('a token');
  ask = async ({ method, path, query = {}, body }) => {
    const answer = await fetch(`${seller.url}${path}?${new URLSearchParams(query).toString()}`, {
      method,
      headers: { authorization: 'Bearer a token' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: answer.status, body: (await answer.json()) as ConnectorAnswer['payload'] };
  };
});
afterAll(() => seller.close());

describe('the connector of an ad server over REST', () => {
  it('passes every rule of the kit, at a seller that speaks no protocol of agents', async () => {
    const report = await checkConnector(restAdServer, ask);
    expect(report.filter(({ passed }) => !passed)).toEqual([]);
    expect(report.length).toBeGreaterThanOrEqual(8);
  });

  it('reports what was delivered to the micro, within the days that are asked for', async () => {
    const placed = await restAdServer.call({ tool: 'create_media_buy', args: order('k-1') }, ask);
    const id = placed.payload['media_buy_id'] as string;
    seller.deliver(id, '2027-01-02', 1_000, 4_500_001);
    seller.deliver(id, '2027-01-03', 10, 45_000);
    seller.deliver(id, '2027-02-01', 1, 1);
    const args = { media_buy_ids: [id], start_date: '2027-01-01', end_date: '2027-01-31' };
    const { payload } = await restAdServer.call({ tool: 'get_media_buy_delivery', args }, ask);
    expect(payload['media_buy_deliveries']).toMatchObject([
      { media_buy_id: id, totals: { impressions: 1_010, spend: 4.545001 } },
    ]);
  });

  it('cancels an order', async () => {
    const placed = await restAdServer.call({ tool: 'create_media_buy', args: order('k-2') }, ask);
    const id = placed.payload['media_buy_id'] as string;
    await restAdServer.call({ tool: 'update_media_buy', args: { media_buy_id: id, canceled: true } }, ask);
    const { payload } = await restAdServer.call(
      { tool: 'get_media_buys', args: { media_buy_ids: [id] } },
      ask,
    );
    expect(payload['media_buys']).toMatchObject([{ media_buy_id: id, status: 'canceled' }]);
  });
});

describe('the kit', () => {
  const broken = (tool: string, answer: (from: ConnectorAnswer) => ConnectorAnswer): SellerConnector => ({
    ...restAdServer,
    call: async (call, asking) => {
      const given = await restAdServer.call(call, asking);
      return call.tool === tool ? answer(given) : given;
    },
  });
  const failing = async (connector: SellerConnector) =>
    (await checkConnector(connector, ask)).flatMap(({ rule, passed }) => (passed ? [] : [rule]));

  it('finds a connector that places an order twice', async () => {
    let count = 0;
    const twice = broken('create_media_buy', ({ payload, ...rest }) => ({
      ...rest,
      payload: { ...payload, media_buy_id: `other-${(count += 1)}` },
    }));
    expect(await failing(twice)).toContain('replays an order that is sent again under its key');
  });

  it('finds one that has no price, takes every order, or forgets what it placed', async () => {
    expect(
      await failing(broken('get_products', () => ({ payload: { status: 'completed', products: [] } }))),
    ).toContain('offers products that can be read, each with a price');
    expect(
      await failing(broken('create_media_buy', () => ({ payload: { media_buy_id: 'x', packages: [] } }))),
    ).toEqual(
      expect.arrayContaining([
        'places another order under another key',
        'refuses an order for a product that is not there, with a code',
      ]),
    );
    expect(
      await failing(
        broken('get_media_buy_delivery', ({ payload }) => ({
          payload: { ...payload, media_buy_deliveries: [] },
        })),
      ),
    ).toContain('reports the delivery of an order in a form that can be read');
  });
});

const order = (key: string) => ({
  idempotency_key: key,
  brand: { domain: 'advertiser.example' },
  start_time: '2027-01-01T00:00:00Z',
  end_time: '2027-01-31T00:00:00Z',
  packages: [{ product_id: 'home-display', pricing_option_id: 'cpm-usd', budget: 250 }],
});
