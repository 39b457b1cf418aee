/**
 * The seller built with the public protocol's SDK: `@adcp/sdk`'s server with its checks of requests and answers, its
 * idempotency and its bearer check, and its own verifier before all, as in `required` mode. Unsigned requests pass,
 * because the gateway from npm does not sign. A separate process.
 */
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

process.env.NODE_ENV = 'test'; // Its guard against unfinished set-ups lets a bench keep state in memory.
const theirs = createRequire(new URL('../../../apps/e2e/interop/package.json', import.meta.url));
const load = (name) => import(pathToFileURL(theirs.resolve(name)));
const sdk = await load('@adcp/sdk/server');
const signing = await load('@adcp/sdk/signing');
let verify;

const productFor = (brief) => ({
  product_id: 'p1',
  name: brief,
  description: 'A product of the bench.',
  publisher_properties: [{ publisher_domain: 'bench.example', selection_type: 'all' }],
  format_ids: [{ agent_url: 'https://formats.example', id: 'display_300x250' }],
  delivery_type: 'non_guaranteed',
  channels: ['display'],
  pricing_options: [{ pricing_option_id: 'cpm', pricing_model: 'cpm', currency: 'USD', fixed_price: 5.5 }],
  reporting_capabilities: {
    available_reporting_frequencies: ['daily'],
    expected_delay_minutes: 0,
    timezone: 'UTC',
    supports_webhooks: true,
    available_metrics: ['impressions', 'spend', 'clicks'],
    date_range_support: 'date_range',
  },
});

const platform = {
  capabilities: {
    specialisms: ['sales-non-guaranteed'],
    channels: ['display'],
    pricingModels: ['cpm'],
    supportedBillings: ['operator'],
    config: {},
  },
  accounts: {
    resolve: async (ref) => ({ id: 'house', name: 'House', status: 'active', ...ref, ctx_metadata: {} }),
  },
  sales: {
    getProducts: async ({ brief }) => ({ products: [productFor(brief)] }),
    createMediaBuy: async ({ context, start_time: start, end_time: end }) => ({
      media_buy_id: `buy-${context.brief}`,
      status: 'active',
      confirmed_at: new Date().toISOString(),
      revision: 1,
      packages: [{ package_id: 'k1', product_id: 'p1', budget: 10, start_time: start, end_time: end }],
    }),
    updateMediaBuy: async () => Promise.reject(new Error('This seller changes nothing.')),
    getMediaBuys: async () => ({ media_buys: [] }),
    getMediaBuyDelivery: async () => Promise.reject(new Error('This seller reports nothing.')),
  },
};

const idempotency = sdk.createIdempotencyStore({ backend: sdk.memoryBackend(), ttlSeconds: 86_400 });
const options = {
  name: 'bench',
  version: '1.0.0',
  idempotency,
  allowPrivateWebhookUrls: true,
  resolveSessionKey: () => 'house',
  validation: { requests: 'warn', responses: 'strict' },
};

/** The parts of an express response that its verifier uses. */
const expressOf = (response) => ({
  status: (code) => ({
    set: (name, value) => ({
      json: (body) => {
        response.writeHead(code, { [name]: value, 'content-type': 'application/json' });
        response.end(JSON.stringify(body));
      },
    }),
  }),
});

sdk.serve(({ taskStore }) => sdk.createAdcpServerFromPlatform(platform, { ...options, taskStore }), {
  port: 0,
  authenticate: sdk.verifyApiKey({ keys: { 'bench-token': { principal: 'bench' } } }),
  preTransport: async (request, response) => {
    if (request.headers.signature === undefined) return false;
    let passed = false;
    await verify(request, expressOf(response), (error) => {
      passed = error === undefined;
    });
    return !passed;
  },
  onListening: (url) => process.send({ url: url.replace('localhost', '127.0.0.1') }),
});
process.on('message', ({ jwk }) => {
  verify = signing.createExpressVerifier({
    capability: {
      supported: true,
      covers_content_digest: 'required',
      required_for: ['get_products', 'create_media_buy'],
    },
    jwks: new signing.StaticJwksResolver([jwk]),
    replayStore: new signing.InMemoryReplayStore({ maxEntriesPerKeyid: 10_000_000 }),
    revocationStore: new signing.InMemoryRevocationStore(),
    resolveOperation: () => 'create_media_buy',
    getUrl: ({ headers, url }) => `http://${headers.host}${url}`,
  });
  process.send({ trusted: jwk.kid });
});
process.on('disconnect', () => process.exit(0));
