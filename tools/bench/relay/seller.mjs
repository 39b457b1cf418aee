/**
 * The seller behind all contenders: the official MCP SDK's server with sessions and JSON answers. It verifies the
 * signature of every signed request, like a seller of sealed requests. Its nonces are in memory. A separate process.
 */
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { memoryReplayStore, noRevocations, requestProfile, verifySignature } from '@switchyard/signing';
import { z } from 'zod';

const profile = requestProfile({
  requestTag: 'adcp/request-signing/v1',
  webhookTag: 'adcp/webhook-signing/v1',
  useMember: 'adcp_use',
});
const sessions = new Map();
let port = 0;
let jwk;

const ports = {
  keys: {
    resolve: async (keyid) =>
      keyid === jwk?.kid
        ? { ok: true, value: { jwk, agentUrl: 'https://brand.example' } }
        : { ok: false, error: 'key_unknown' },
  },
  replays: memoryReplayStore(10_000_000, () => Date.now()),
  revocations: noRevocations,
};

const capabilities = {
  adcp: { major_versions: [3], idempotency: { supported: true, replay_ttl_seconds: 86_400 } },
  supported_protocols: ['media_buy'],
  account: { supported_billing: ['operator'] },
  media_buy: {},
  status: 'completed',
};

const toolResult = (structuredContent) => ({
  content: [{ type: 'text', text: JSON.stringify(structuredContent) }],
  structuredContent,
});

function newServer() {
  const server = new McpServer({ name: 'bench', version: '1' });
  const open = z.looseObject({});
  server.registerTool('get_adcp_capabilities', { inputSchema: open }, () => toolResult(capabilities));
  server.registerTool('get_products', { inputSchema: open }, ({ brief }) =>
    toolResult({ status: 'completed', products: [productFor(brief)] }),
  );
  server.registerTool('create_media_buy', { inputSchema: open }, ({ buyer_ref: ref, context }) =>
    toolResult({ status: 'completed', media_buy_id: `buy-${context?.brief ?? ref}`, packages: [], context }),
  );
  return server;
}

const productFor = (brief) => ({
  product_id: 'p1',
  name: brief,
  description: 'A product of the bench.',
  publisher_properties: [{ publisher_domain: 'bench.example', selection_type: 'all' }],
  format_ids: [{ agent_url: 'https://formats.example', id: 'display_300x250' }],
  delivery_type: 'non_guaranteed',
  channels: ['display'],
  pricing_options: [{ pricing_option_id: 'cpm', pricing_model: 'cpm', currency: 'USD', fixed_price: 5.5 }],
});

async function transportOf(id) {
  const known = sessions.get(id);
  if (known !== undefined) return known;
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    enableJsonResponse: true,
    onsessioninitialized: (made) => sessions.set(made, transport),
  });
  await newServer().connect(transport);
  return transport;
}

const server = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  let parsed;
  if (request.headers.signature !== undefined) {
    const url = `http://127.0.0.1:${port}${request.url}`;
    const { rawHeaders } = request;
    const headers = [];
    for (let at = 0; at < rawHeaders.length; at += 2) headers.push([rawHeaders[at], rawHeaders[at + 1]]);
    const verdict = await verifySignature(
      { method: request.method, url, headers, body },
      profile,
      ports,
      Date.now(),
    );
    if (!verdict.ok) return void response.writeHead(401).end(verdict.code);
    parsed = verdict.json.value;
  } else if (body.length > 0) {
    parsed = JSON.parse(body.toString('utf8'));
  }
  const transport = await transportOf(request.headers['mcp-session-id']);
  await transport.handleRequest(request, response, parsed);
});
server.keepAliveTimeout = 120_000;
server.listen(0, '127.0.0.1', () => {
  ({ port } = server.address());
  process.send({ url: `http://127.0.0.1:${port}/mcp` });
});
process.on('message', (message) => {
  jwk = message.jwk;
  process.send({ trusted: jwk.kid });
});
process.on('disconnect', () => process.exit(0));
