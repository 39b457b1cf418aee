/**
 * MCP sellers that answer what they are told to: a short catalogue, or one message that tries to stop whoever reads it.
 * Started by `fork`; speaks to its parent over IPC.
 */
import { createServer } from 'node:http';

const [, , countText] = process.argv;
const tools = ['get_adcp_capabilities', 'get_products'].map((name) => ({
  name,
  inputSchema: { type: 'object' },
}));
const capabilities = {
  adcp: { major_versions: [3], idempotency: { supported: true, replay_ttl_seconds: 86_400 } },
  supported_protocols: ['media_buy'],
  account: { supported_billing: ['operator'] },
  media_buy: {},
  status: 'completed',
};

const productOf = (id, more = {}) => ({
  product_id: id,
  name: `Product ${id}`,
  description: 'A product of the farm.',
  publisher_properties: [{ publisher_domain: 'farm.example', selection_type: 'all' }],
  format_ids: [{ agent_url: 'https://formats.example', id: 'display_300x250' }],
  delivery_type: 'non_guaranteed',
  channels: ['display'],
  pricing_options: [{ pricing_option_id: 'cpm', pricing_model: 'cpm', currency: 'USD', fixed_price: 5.5 }],
  reporting_capabilities: {
    available_reporting_frequencies: ['daily'],
    expected_delay_minutes: 60,
    timezone: 'UTC',
    supports_webhooks: false,
    available_metrics: ['impressions', 'spend'],
    date_range_support: 'date_range',
  },
  ...more,
});
const products = (count, more) => Array.from({ length: count }, (_, at) => productOf(`p${at}`, more?.(at)));
const members = (count, name = 'm') =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`${name}${at}`, at]));
const nested = (levels) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;

/** The text of the answer to `get_products`, by its kind. */
const kinds = {
  short: () => JSON.stringify({ status: 'completed', products: products(2) }),
  deep: () => `{"status":"completed","products":[],"ext":${nested(2_000)}}`,
  'many members': () => JSON.stringify({ status: 'completed', products: products(2), ext: members(400_000) }),
  'members at the cap': () =>
    JSON.stringify({
      status: 'completed',
      products: products(1_000, (at) => ({ ext: members(155, `m${at}_`) })),
    }),
  'strange members': () =>
    JSON.stringify({ status: 'completed', products: products(2), ext: members(19_000) }),
  'large items': () =>
    JSON.stringify({
      status: 'completed',
      products: products(9, (at) => ({ ext: members(19_000, `m${at}_`) })),
    }),
  'many products': () => JSON.stringify({ status: 'completed', products: products(12_000) }),
  'products at the cap': () => JSON.stringify({ status: 'completed', products: products(5_000) }),
  'a thousand products': () => JSON.stringify({ status: 'completed', products: products(1_000) }),
  'odd products': () =>
    JSON.stringify({ status: 'completed', products: Array.from({ length: 5_000 }, () => ({ odd: true })) }),
  'long texts': () =>
    JSON.stringify({
      status: 'completed',
      products: products(100, () => ({ description: 'x'.repeat(38_000) })),
    }),
  proposals: () =>
    JSON.stringify({
      status: 'completed',
      products: products(2),
      proposals: Array.from({ length: 1_500 }, (_, at) => ({
        proposal_id: `q${at}`,
        name: 'q',
        allocations: [],
      })),
    }),
};
const texts = new Map();
const textOf = (kind) => {
  if (!texts.has(kind)) texts.set(kind, kinds[kind]());
  return texts.get(kind);
};
/** The kind of each seller's answer, by its number. */
let answers = [];

function resultOf(index, { method, params }) {
  if (method === 'initialize') {
    return JSON.stringify({
      protocolVersion: params.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: `seller-${index}`, version: '1' },
    });
  }
  if (method === 'tools/list') return JSON.stringify({ tools });
  const text =
    params.name === 'get_products' ? textOf(answers[index] ?? 'short') : JSON.stringify(capabilities);
  return `{"content":[],"structuredContent":${text}}`;
}

function startSeller(index) {
  const server = createServer((request, response) => {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      if (request.method !== 'POST') return response.writeHead(405).end();
      const message = JSON.parse(Buffer.concat(chunks).toString());
      if (message.id === undefined) return response.writeHead(202).end();
      const result = resultOf(index, message);
      return response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(`{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},"result":${result}}`);
    });
  });
  server.keepAliveTimeout = 120_000;
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', 511, () => {
      const url = `http://127.0.0.1:${server.address().port}/mcp`;
      resolve({ slug: `seller-${index}`, token: `bench-token-${index}`, url });
    });
  });
}

const sellers = await Promise.all(Array.from({ length: Number(countText) }, (_, at) => startSeller(at)));
process.on('message', ({ say }) => {
  answers = say;
  for (const kind of new Set(say)) textOf(kind);
  process.send({ ready: true });
});
process.on('disconnect', () => process.exit(0));
process.send({ sellers });
