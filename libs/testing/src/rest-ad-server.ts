import { readBody, startServer, type TestServer } from './start-server.js';

type Json = Readonly<Record<string, unknown>>;

interface Order {
  readonly id: string;
  readonly requestId: string;
  name: string;
  status: string;
  readonly lineItems: readonly Json[];
}

export interface RestAdServer {
  /** The network, below which its resources are. */
  readonly url: string;
  readonly orders: readonly Order[];
  /** What was asked, as `METHOD /path`. */
  readonly asked: readonly string[];
  /** The next requests get this status, until it is set to undefined. */
  failWith(status: number | undefined): void;
  /** Books impressions and micros of its currency to a line item for a day. */
  deliver(orderId: string, day: string, impressions: number, micros: number): void;
  close(): Promise<void>;
}

/**
 * A seller that speaks no protocol of agents: a REST interface of an ad server, with a network, products, orders of line
 * items and reports. Amounts are in micros, orders are idempotent by `requestId`, and it wants a bearer token.
 */
export async function startRestAdServer(token: string): Promise<RestAdServer> {
  const orders: Order[] = [];
  const asked: string[] = [];
  const rows: Json[] = [];
  let failure: number | undefined;
  const server: TestServer = await startServer((request, response) => {
    const send = (status: number, body: Json): void =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    void readBody(request).then((bytes) => {
      const url = new URL(request.url ?? '/', 'http://network');
      const { method = 'GET' } = request;
      asked.push(`${method} ${url.pathname}`);
      if (failure !== undefined) return send(failure, { error: { code: failure } });
      if (request.headers.authorization !== `Bearer ${token}`)
        return send(401, { error: { code: 401, status: 'UNAUTHENTICATED' } });
      const body = (bytes.length === 0 ? {} : JSON.parse(String(bytes))) as Json;
      return answer(`${method} ${url.pathname.replace('/v1/networks/77', '')}`, url.searchParams, body, send);
    });
  });
  const notFound: Json = { error: { code: 404, status: 'NOT_FOUND' } };

  function answer(
    asking: string,
    query: URLSearchParams,
    body: Json,
    send: (status: number, body: Json) => void,
  ) {
    const [, id = ''] = /^\w+ \/orders\/([^/]+)$/.exec(asking) ?? [];
    const order = orders.find((one) => one.id === id);
    if (asking === 'GET ')
      return send(200, { displayName: 'Harbor Network', currencyCode: 'USD', timeZone: 'UTC' });
    if (asking === 'GET /adProducts') return send(200, { adProducts: products });
    if (asking === 'POST /orders') return create(body, send);
    if (asking === 'GET /orders') return send(200, { orders });
    if (asking === 'GET /reports')
      return send(200, { rows: rows.filter(({ orderId }) => orderId === query.get('orderId')) });
    if (id !== '' && order === undefined) return send(404, notFound);
    if (order !== undefined && asking.startsWith('GET')) return send(200, { ...order });
    if (order !== undefined && asking.startsWith('PATCH')) {
      if (typeof body['status'] === 'string') order.status = body['status'];
      return send(200, { ...order });
    }
    return send(404, notFound);
  }

  function create(body: Json, send: (status: number, body: Json) => void) {
    const known = orders.find(({ requestId }) => requestId === body['requestId']);
    if (known !== undefined) return send(200, { ...known });
    const items = body['lineItems'] as readonly Json[];
    const unknown = items.find(
      ({ adProductId }) => !products.some((product) => product.adProductId === adProductId),
    );
    if (unknown !== undefined)
      return send(400, { error: { code: 400, status: 'INVALID_ARGUMENT', field: 'adProductId' } });
    const order: Order = {
      id: String(9_000 + orders.length),
      requestId: String(body['requestId']),
      name: String(body['name']),
      status: 'APPROVED',
      lineItems: items.map((item, at) => ({ ...item, id: String(100 + at) })),
    };
    orders.push(order);
    return send(201, { ...order });
  }

  return {
    url: `http://127.0.0.1:${String(server.port)}/v1/networks/77`,
    orders,
    asked,
    failWith: (status) => {
      failure = status;
    },
    deliver: (orderId, day, impressions, micros) => {
      const item = orders.find(({ id }) => id === orderId)?.lineItems[0];
      rows.push({ orderId, lineItemId: item?.['id'], date: day, impressions, costMicros: String(micros) });
    },
    close: () => server.close(),
  };
}

const products = [
  {
    adProductId: 'home-display',
    displayName: 'Home page display',
    description: 'Banners on the home page of harbor-news.example.',
    site: 'harbor-news.example',
    channel: 'display',
    format: 'display_300x250',
    rate: { costType: 'CPM', costPerUnitMicros: '4500000', currencyCode: 'USD' },
  },
  {
    adProductId: 'preroll',
    displayName: 'Preroll video',
    description: 'Fifteen seconds before the news of harbor-news.example.',
    site: 'harbor-news.example',
    channel: 'olv',
    format: 'video_15s',
    rate: { costType: 'CPM', costPerUnitMicros: '18000000', currencyCode: 'USD' },
  },
] as const;
