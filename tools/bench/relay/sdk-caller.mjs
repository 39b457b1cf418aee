/**
 * A brand's agent as users build it: the official MCP SDK's client with a stored session, over `fetch` of undici. Every
 * call is signed while `fetch` passes its body on: by our signer, or by that of the public protocol's SDK (`signer:
 * 'adcp'`). A separate process.
 *
 * The relay holds the session with the seller and accepts only calls, so for it the agent's `fetch` answers the two
 * handshake messages itself. The gateway from npm is called over its own MCP endpoint, without a signature.
 */
import { createPrivateKey } from 'node:crypto';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { Agent, fetch, Headers, Response } from 'undici';
import { argsOf, newMarker, signatureOf, timed } from './calls.mjs';

// Shorter than the servers keep an idle connection, so that a reused one is open.
const dispatcher = new Agent({
  connections: 16,
  pipelining: 1,
  keepAliveTimeout: 2_000,
  keepAliveMaxTimeout: 2_000,
});

const over = (url, init) => fetch(url, { ...init, dispatcher });

/** Signs only calls of tasks, as a seller that requires signatures for its tasks expects. */
const signing = (signed) => (url, init) => {
  if (typeof init.body !== 'string' || !init.body.includes('"tools/call"')) return over(url, init);
  const headers = new Headers(init.headers);
  const made = signatureOf(signed, Buffer.from(init.body));
  for (const [name, value] of Object.entries(made)) headers.set(name, value);
  return over(url, { ...init, headers });
};

const theirs = createRequire(new URL('../../../apps/e2e/interop/package.json', import.meta.url));

/** The public SDK's own wrapper of `fetch`. It signs for the seller, and the request is then sent there. */
async function signingTheirWay({ signedFor, key: { kid, privateKey } }) {
  const { createSigningFetch } = await import(pathToFileURL(theirs.resolve('@adcp/sdk/signing/client')));
  const mark = { kid, alg: 'EdDSA', use: 'sig', adcp_use: 'request-signing', key_ops: ['sign'] };
  const key = {
    keyid: kid,
    alg: 'ed25519',
    privateKey: { ...privateKey.export({ format: 'jwk' }), ...mark },
  };
  const isCall = (_url, init) => typeof init?.body === 'string' && init.body.includes('"tools/call"');
  return (url, init) => {
    const send = createSigningFetch((_signed, sent) => over(url, sent), key, {
      coverContentDigest: true,
      shouldSign: isCall,
    });
    return send(signedFor, init);
  };
}

/** The relay holds the session: the handshake is answered here. */
const sessionless = (send) => async (url, init) => {
  if (init.method !== 'POST') return new Response(null, { status: 405 });
  if (init.body.includes('"tools/call"')) return send(url, init);
  const { id, params } = JSON.parse(init.body);
  if (id === undefined) return new Response(null, { status: 202 });
  const serverInfo = { name: 'relayed', version: '1' };
  const result = { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo };
  return new Response(JSON.stringify({ jsonrpc: '2.0', id, result }), {
    headers: { 'content-type': 'application/json' },
  });
};

async function connected({ post, mcp, headers, kid, pem, signedFor, isRelay, signer, credential }) {
  const client = new Client({ name: 'bench', version: '1' });
  if (mcp !== undefined) {
    await client.connect(new SSEClientTransport(new URL(mcp), { fetch: over }));
    return client;
  }
  const made = { signedFor, key: { kid, privateKey: createPrivateKey(pem) } };
  const signed = signer === 'adcp' ? await signingTheirWay(made) : signing(made);
  const requestInit = isRelay ? { headers } : credential === undefined ? {} : { headers: credential };
  const send = isRelay ? sessionless(signed) : signed;
  await client.connect(new StreamableHTTPClientTransport(new URL(post), { fetch: send, requestInit }));
  return client;
}

const clients = new Map();
let ready;
process.on('disconnect', () => process.exit(0));
process.on('message', async ({ prepare, go }) => {
  if (prepare !== undefined) {
    const client = clients.get(prepare.post) ?? (await connected(prepare));
    clients.set(prepare.post, client);
    const name = prepare.mcp === undefined ? prepare.task : `${prepare.server}__${prepare.task}`;
    const items = Array.from({ length: prepare.count }, () => {
      const marker = newMarker();
      return { marker, params: { name, arguments: argsOf[prepare.task](marker) } };
    });
    ready = { client, items };
    return process.send({ prepared: items.length });
  }
  const { client, items } = ready;
  const call = async ({ marker, params }) => {
    const text = await client.callTool(params).then(JSON.stringify, (error) => `${error}`);
    return { isRight: text.includes(marker), seen: text };
  };
  process.send(await timed(items, go.inFlight, call));
});
