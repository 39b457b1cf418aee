/**
 * Many small MCP sellers in one process, each with its own port and bearer token. They answer the minimum of a real
 * seller, without a library, so that they cost as little as possible beside what is measured. Started by `fork`; uses
 * IPC with its parent.
 *
 * Every answer names its seller and repeats the nonce of the brief, so that callers can check each one. A seller that
 * got another kind of answer from its parent sends that instead.
 */
import { createServer } from 'node:http';
import { productOf, textOf } from './hostile/answers.mjs';

const [, , countText, delayText] = process.argv;
const delayMs = Number(delayText);
const hung = new Set();
/** The kind of each seller's answer, by its number. */
let answers = [];

const capabilities = {
  adcp: { major_versions: [3], idempotency: { supported: true, replay_ttl_seconds: 86_400 } },
  supported_protocols: ['media_buy'],
  account: { supported_billing: ['operator'] },
  media_buy: {},
  status: 'completed',
};

const tools = ['get_adcp_capabilities', 'get_products'].map((name) => ({
  name,
  inputSchema: { type: 'object' },
}));

/** The result of a request, as JSON text. */
function resultOf(slug, index, { method, params }) {
  if (method === 'initialize') {
    return JSON.stringify({
      protocolVersion: params.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: slug, version: '1' },
    });
  }
  if (method === 'tools/list') return JSON.stringify({ tools });
  if (params.name === 'get_adcp_capabilities') return toolResult(capabilities);
  if (answers[index] !== undefined) return resultOfKind(answers[index]);
  const name = `${slug} for ${params.arguments?.brief ?? ''}`;
  const products = [productOf(`${slug}-1`, { name })];
  return toolResult({ status: 'completed', products });
}

/** Older sellers send their data as the text of a part. */
function resultOfKind(kind) {
  const text = textOf(kind.replace(/ as text$/, ''));
  if (kind.endsWith(' as text')) return `{"content":[{"type":"text","text":${JSON.stringify(text)}}]}`;
  return `{"content":[],"structuredContent":${text}}`;
}

function toolResult(structuredContent) {
  const text = JSON.stringify(structuredContent);
  return `{"content":[{"type":"text","text":${JSON.stringify(text)}}],"structuredContent":${text}}`;
}

function answer({ slug, token, index }, request, response, text) {
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
    const result = resultOf(slug, index, message);
    const body = `{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},"result":${result}}`;
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
    request.on('end', () =>
      answer({ slug, token, index }, request, response, Buffer.concat(chunks).toString()),
    );
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
process.on('message', ({ hang, say }) => {
  if (hang !== undefined) {
    hung.clear();
    for (const slug of hang) hung.add(slug);
  }
  if (say !== undefined) {
    answers = say;
    for (const kind of new Set(say)) resultOfKind(kind);
  }
  process.send({ ready: true });
});
process.on('disconnect', () => process.exit(0));
process.send({ sellers });
