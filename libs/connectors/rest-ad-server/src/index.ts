import type {
  AskSeller,
  ConnectorAnswer,
  ConnectorCall,
  ConnectorReply,
  SellerConnector,
} from '@switchyard/sellers';
import { buysIn, deliveryOf } from './answers.js';
import { microsOf, objectsIn, textIn, type Json } from './json.js';
import { productOf } from './products.js';

/** Release 3.1 of the protocol, as the seller would declare it if it spoke it. */
const capabilities: Json = {
  status: 'completed',
  adcp: {
    major_versions: [3],
    supported_versions: ['3.1'],
    // Orders are idempotent by their requestId, for good.
    idempotency: { supported: true, replay_ttl_seconds: 86_400 },
  },
  supported_protocols: ['media_buy'],
  media_buy: { buying_modes: ['brief', 'wholesale'], reporting_delivery_methods: [] },
  request_signing: { supported: false },
};

const done = (payload: Json): ConnectorAnswer => ({ payload: { status: 'completed', ...payload } });
const failed = (code: string, message: string, field?: string): ConnectorAnswer => ({
  payload: { status: 'failed', errors: [{ code, message, ...(field !== undefined && { field }) }] },
  isError: true,
});

async function getProducts(_args: Json, ask: AskSeller): Promise<ConnectorAnswer> {
  const { body } = await ask({ method: 'GET', path: '/adProducts' });
  return done({ products: objectsIn(body?.['adProducts']).map(productOf) });
}

/** The answer to a refused order, in words of the protocol. The seller's own words are not passed on. */
function refusalOf({ status, body }: ConnectorReply): ConnectorAnswer {
  const error = (body?.['error'] ?? {}) as Json;
  return status === 400 && error['field'] === 'adProductId'
    ? failed('PRODUCT_NOT_FOUND', 'The seller has no product of this id.', 'packages[0].product_id')
    : failed('INVALID_REQUEST', `The seller refuses the order (${status}).`);
}

async function createMediaBuy(args: Json, ask: AskSeller): Promise<ConnectorAnswer> {
  const key = textIn(args, 'idempotency_key');
  if (key === undefined)
    return failed('INVALID_REQUEST', 'An order needs an idempotency_key.', 'idempotency_key');
  const packages = objectsIn(args['packages']);
  const placed = await ask({
    method: 'POST',
    path: '/orders',
    body: {
      requestId: key,
      name: `Order ${key}`,
      startTime: textIn(args, 'start_time') ?? '',
      endTime: textIn(args, 'end_time') ?? '',
      lineItems: packages.map((item) => ({
        adProductId: textIn(item, 'product_id') ?? '',
        budgetMicros: microsOf(item['budget']),
      })),
    },
  });
  const id = textIn(placed.body, 'id');
  if (placed.status >= 300 || id === undefined) return refusalOf(placed);
  const items = objectsIn(placed.body?.['lineItems']);
  return done({
    media_buy_id: id,
    media_buy_status: 'active',
    // The seller keeps no time of the order; it confirms with its answer.
    confirmed_at: null,
    revision: 1,
    packages: items.map((item, at) => ({
      package_id: textIn(item, 'id') ?? '',
      product_id: textIn(packages[at], 'product_id') ?? '',
      ...(typeof packages[at]?.['budget'] === 'number' && { budget: packages[at]['budget'] }),
    })),
  });
}

async function updateMediaBuy(args: Json, ask: AskSeller): Promise<ConnectorAnswer> {
  const id = textIn(args, 'media_buy_id') ?? '';
  const asked = args['canceled'] === true ? 'CANCELED' : undefined;
  const paused = args['paused'] === true ? 'PAUSED' : args['paused'] === false ? 'APPROVED' : undefined;
  const status = asked ?? paused;
  if (status === undefined)
    return failed('UNSUPPORTED_FEATURE', 'Orders of this seller can be paused, resumed and canceled.');
  const changed = await ask({ method: 'PATCH', path: `/orders/${encodeURIComponent(id)}`, body: { status } });
  if (changed.status === 404) return failed('MEDIA_BUY_NOT_FOUND', 'The seller has no order of this id.');
  return changed.status < 300
    ? done({ media_buy_id: id, revision: 2, affected_packages: [] })
    : refusalOf(changed);
}

async function getMediaBuys(args: Json, ask: AskSeller): Promise<ConnectorAnswer> {
  const { body } = await ask({ method: 'GET', path: '/orders' });
  const wanted = Array.isArray(args['media_buy_ids']) ? new Set(args['media_buy_ids']) : undefined;
  return done({ media_buys: buysIn(body).filter((buy) => wanted?.has(buy['media_buy_id'] ?? '') ?? true) });
}

async function getDelivery(args: Json, ask: AskSeller): Promise<ConnectorAnswer> {
  const ids = Array.isArray(args['media_buy_ids']) ? args['media_buy_ids'].map(String) : [];
  const network = await ask({ method: 'GET', path: '' });
  const deliveries: Json[] = [];
  for (const id of ids) {
    const order = await ask({ method: 'GET', path: `/orders/${encodeURIComponent(id)}` });
    if (order.status === 404) return failed('MEDIA_BUY_NOT_FOUND', 'The seller has no order of this id.');
    const report = await ask({ method: 'GET', path: '/reports', query: { orderId: id } });
    deliveries.push(deliveryOf(id, objectsIn(report.body?.['rows']), args));
  }
  return done({
    reporting_period: {
      start: `${textIn(args, 'start_date') ?? '2020-01-01'}T00:00:00Z`,
      end: `${textIn(args, 'end_date') ?? '2099-12-31'}T00:00:00Z`,
    },
    currency: textIn(network.body, 'currencyCode') ?? 'USD',
    media_buy_deliveries: deliveries,
  });
}

const tasks: Readonly<
  Record<
    string,
    {
      readonly args: readonly string[];
      readonly run: (args: Json, ask: AskSeller) => Promise<ConnectorAnswer>;
    }
  >
> = {
  get_adcp_capabilities: {
    args: [],
    run: async (_args, ask) => {
      // What the seller is called, and whether it takes our credential, is its own answer.
      await ask({ method: 'GET', path: '' });
      return { payload: capabilities };
    },
  },
  get_products: { args: ['brief', 'buying_mode', 'brand', 'filters'], run: getProducts },
  create_media_buy: {
    args: ['brand', 'packages', 'start_time', 'end_time', 'idempotency_key', 'account'],
    run: createMediaBuy,
  },
  update_media_buy: { args: ['media_buy_id', 'paused', 'canceled', 'idempotency_key'], run: updateMediaBuy },
  get_media_buys: { args: ['media_buy_ids'], run: getMediaBuys },
  get_media_buy_delivery: { args: ['media_buy_ids', 'start_date', 'end_date'], run: getDelivery },
};

/** Sellers with the REST interface of an ad server: products, orders of line items, reports. */
export const restAdServer: SellerConnector = {
  kind: 'seller',
  protocol: 'rest-ad-server',
  title: 'Ad server over REST',
  tools: Object.fromEntries(Object.entries(tasks).map(([name, { args }]) => [name, args])),
  call: async ({ tool, args }: ConnectorCall, ask) =>
    (await tasks[tool]?.run(args, ask)) ?? failed('UNSUPPORTED_FEATURE', `There is no task ${tool}.`),
};

export const connectors = [restAdServer];
