/**
 * The load: signs a round's calls beforehand, each with a nonce of its own, then sends them with a fixed number in
 * flight and checks each answer for what it asked. A process of its own.
 */
import { createPrivateKey, randomBytes, randomUUID } from 'node:crypto';
import { signRequest } from '@switchyard/signing';
import { Agent, request } from 'undici';

// Shorter than anybody here keeps an idle connection: what is reused is alive.
const dispatcher = new Agent({
  connections: 16,
  pipelining: 1,
  keepAliveTimeout: 2_000,
  keepAliveMaxTimeout: 2_000,
});
const accept = 'application/json, text/event-stream';
let calls = 0;

/** Members of a task's arguments; `marker` comes back with the answer. */
const argsOf = {
  get_products: (marker) => ({ adcp_version: '3.0', buying_mode: 'brief', brief: marker }),
  create_media_buy: (marker) => ({
    adcp_version: '3.0',
    idempotency_key: randomUUID(),
    account: { brand: { domain: 'brand.example' }, operator: 'agency.example' },
    brand: { domain: 'brand.example' },
    start_time: 'asap',
    end_time: '2100-01-01T00:00:00Z',
    packages: [{ product_id: 'p1', pricing_option_id: 'cpm', budget: 10, context: {} }],
    context: { brief: marker },
  }),
};

function sealed({ post, signedFor, headers, task, key }) {
  const marker = `call-${process.pid}-${(calls += 1)}`;
  const params = { name: task, arguments: argsOf[task](marker) };
  const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: calls, method: 'tools/call', params }));
  const created = Math.floor(Date.now() / 1000);
  const signature = signRequest({
    method: 'POST',
    url: signedFor,
    headers: { 'content-type': 'application/json' },
    body,
    keyid: key.kid,
    alg: 'ed25519',
    privateKey: key.privateKey,
    tag: 'adcp/request-signing/v1',
    created,
    expires: created + 290,
    nonce: randomBytes(16).toString('base64url'),
  });
  return {
    url: post,
    marker,
    body,
    headers: { 'content-type': 'application/json', accept, ...headers, ...signature },
  };
}

/** For a gateway that makes the call itself: no signature of ours reaches the seller. */
function plain({ post, task, server }) {
  const marker = `call-${process.pid}-${(calls += 1)}`;
  const body = Buffer.from(
    JSON.stringify({ server_name: server, tool: task, arguments: argsOf[task](marker) }),
  );
  return { url: post, marker, body, headers: { 'content-type': 'application/json' } };
}

async function send(ready, inFlight) {
  const latencies = [];
  const wrong = [];
  let next = 0;
  const lane = async () => {
    for (let call = ready[next++]; call !== undefined; call = ready[next++]) {
      const from = performance.now();
      const { url, headers, body } = call;
      const answer = await request(url, { method: 'POST', headers, body, dispatcher });
      const text = await answer.body.text();
      latencies.push(performance.now() - from);
      if (answer.statusCode !== 200 || !text.includes(call.marker)) {
        wrong.push(`${answer.statusCode} ${text.slice(0, 300)}`);
      }
    }
  };
  const from = performance.now();
  await Promise.all(Array.from({ length: inFlight }, lane));
  return { ms: performance.now() - from, latencies, wrong };
}

/** A session of the caller's own, as the seller insists on one. */
async function sessionAt(url) {
  const ask = (message, headers = {}) =>
    request(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept, ...headers },
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
      dispatcher,
    });
  const clientInfo = { name: 'bench', version: '1' };
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
  const answer = await ask({ id: 0, method: 'initialize', params });
  await answer.body.dump();
  const headers = {
    'mcp-session-id': answer.headers['mcp-session-id'],
    'mcp-protocol-version': '2025-06-18',
  };
  await (await ask({ method: 'notifications/initialized' }, headers)).body.dump();
  return headers;
}

let ready;
process.on('disconnect', () => process.exit(0));
process.on('message', async ({ session, prepare, go }) => {
  if (session !== undefined) return process.send({ headers: await sessionAt(session) });
  if (prepare !== undefined) {
    const key = { kid: prepare.kid, privateKey: createPrivateKey(prepare.pem) };
    const one = prepare.signedFor === undefined ? () => plain(prepare) : () => sealed({ ...prepare, key });
    ready = Array.from({ length: prepare.count }, one);
    return process.send({ prepared: ready.length });
  }
  process.send(await send(ready, go.inFlight));
});
