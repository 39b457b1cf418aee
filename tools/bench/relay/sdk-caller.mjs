/**
 * A brand's agent as it is built: the official MCP SDK's client with its session kept, over `fetch` of undici, and every
 * call signed while it is made, as `fetch` hands its body on: by our signer, or by that of the public protocol's SDK
 * (`signer: 'adcp'`). A process of its own.
 *
 * The relay keeps the session with the seller and takes calls alone, so for it the agent's `fetch` answers the two
 * messages of the handshake itself. The gateway from npm is asked over its own MCP door, and nothing is signed for it.
 */
import { createPrivateKey } from 'node:crypto';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { Agent, fetch, Headers, Response } from 'undici';
import { argsOf, newMarker, signatureOf, timed } from './calls.mjs';

// Shorter than anybody here keeps an idle connection: what is reused is alive.
const dispatcher = new Agent({
  connections: 16,
  pipelining: 1,
  keepAliveTimeout: 2_000,
  keepAliveMaxTimeout: 2_000,
});

const over = (url, init) => fetch(url, { ...init, dispatcher });

/** Signs what is a call of a task and nothing else, as a seller that demands signatures of its tasks wants it. */
const signing = (signed) => (url, init) => {
  if (typeof init.body !== 'string' || !init.body.includes('"tools/call"')) return over(url, init);
  const headers = new Headers(init.headers);
  const made = signatureOf(signed, Buffer.from(init.body));
  for (const [name, value] of Object.entries(made)) headers.set(name, value);
  return over(url, { ...init, headers });
};

const theirs = createRequire(new URL('../../../apps/e2e/interop/package.json', import.meta.url));

/** The public SDK's own wrapper of `fetch`. It signs for the seller, whoever is then sent the request. */
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

/** The relay has the session: the handshake ends here. */
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
