/**
 * Many small MCP sellers in one process, each at a port of its own and with a bearer token of its own. They answer
 * the least that a real seller answers, by hand and without a library, so that the farm costs as little as possible
 * beside what is measured. Started by `fork`; speaks to its parent over IPC.
 *
 * Every answer names its seller and repeats the nonce of the brief, so that whoever asks can check each one.
 */
import { createServer } from 'node:http';

const [, , countText, delayText] = process.argv;
const delayMs = Number(delayText);
const hung = new Set();

const capabilities = {
  adcp: { major_versions: [3], idempotency: { supported: true, replay_ttl_seconds: 86_400 } },
  supported_protocols: ['media_buy'],
  account: { supported_billing: ['operator'] },
  media_buy: {},
  status: 'completed',
};

function productOf(slug, brief) {
  return {
    product_id: `${slug}-1`,
    name: `${slug} for ${brief}`,
    description: 'A product of the farm.',
    publisher_properties: [{ publisher_domain: `${slug}.example`, selection_type: 'all' }],
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
  };
}

const tools = ['get_adcp_capabilities', 'get_products'].map((name) => ({
  name,
  inputSchema: { type: 'object' },
}));

function resultOf(slug, { method, params }) {
  if (method === 'initialize') {
    return {
      protocolVersion: params.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: slug, version: '1' },
    };
  }
  if (method === 'tools/list') return { tools };
  if (params.name === 'get_adcp_capabilities') return toolResult(capabilities);
  const products = [productOf(slug, params.arguments?.brief ?? '')];
  return toolResult({ status: 'completed', products });
}

function toolResult(structuredContent) {
  return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent };
}

function answer(slug, token, request, response, text) {
  if (request.headers.authorization !== `Bearer ${token}`) {
    response.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
    return;
  }
  if (request.method !== 'POST') {
    response.writeHead(405).end();
    return;
  }
  const message = JSON.parse(text);
  if (message.id === undefined) {
    response.writeHead(202).end();
    return;
  }
  const isTask = message.method === 'tools/call' && message.params.name === 'get_products';
  if (isTask && hung.has(slug)) return;
  const send = () => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: message.id, result: resultOf(slug, message) });
    response
      .writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
      .end(body);
  };
  if (isTask && delayMs > 0) setTimeout(send, delayMs);
  else send();
}

function startSeller(index) {
  const slug = `seller-${index}`;
  const token = `bench-token-${index}-${process.pid}`;
  const server = createServer((request, response) => {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => answer(slug, token, request, response, Buffer.concat(chunks).toString()));
  });
  server.keepAliveTimeout = 120_000;
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', 511, () => {
      resolve({ slug, token, url: `http://127.0.0.1:${server.address().port}/mcp` });
    });
  });
}

const sellers = await Promise.all(
  Array.from({ length: Number(countText) }, (_, index) => startSeller(index)),
);
process.on('message', ({ hang }) => {
  hung.clear();
  for (const slug of hang) hung.add(slug);
  process.send({ hung: [...hung] });
});
process.on('disconnect', () => process.exit(0));
process.send({ sellers });
