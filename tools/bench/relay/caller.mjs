/**
 * The stricter figure: a bare loop over undici that signs a round's calls beforehand, each with its own nonce, then
 * sends them with a fixed number in flight and checks each answer against its request. A separate process.
 */
import { createPrivateKey } from 'node:crypto';
import { Agent, request } from 'undici';
import { argsOf, newMarker, signatureOf, timed } from './calls.mjs';
import { accept, sessionAt } from './session.mjs';

// Shorter than the servers keep an idle connection, so that a reused one is open.
const dispatcher = new Agent({
  connections: 16,
  pipelining: 1,
  keepAliveTimeout: 2_000,
  keepAliveMaxTimeout: 2_000,
});
let ids = 0;

function sealed({ post, signedFor, headers, task, key }) {
  const marker = newMarker();
  const params = { name: task, arguments: argsOf[task](marker) };
  const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: (ids += 1), method: 'tools/call', params }));
  const signature = signatureOf({ signedFor, key }, body);
  return {
    url: post,
    marker,
    body,
    headers: { 'content-type': 'application/json', accept, ...headers, ...signature },
  };
}

/** For a gateway that makes the call itself: our signature does not reach the seller. */
function plain({ post, task, server }) {
  const marker = newMarker();
  const body = Buffer.from(
    JSON.stringify({ server_name: server, tool: task, arguments: argsOf[task](marker) }),
  );
  return { url: post, marker, body, headers: { 'content-type': 'application/json' } };
}

async function send({ url, headers, body, marker }) {
  const answer = await request(url, { method: 'POST', headers, body, dispatcher });
  const text = await answer.body.text();
  return {
    isRight: answer.statusCode === 200 && text.includes(marker),
    seen: `${answer.statusCode} ${text}`,
  };
}

let ready;
process.on('disconnect', () => process.exit(0));
process.on('message', async ({ session, prepare, go }) => {
  if (session !== undefined) return process.send({ headers: await sessionAt(session, dispatcher) });
  if (prepare !== undefined) {
    const key = { kid: prepare.kid, privateKey: createPrivateKey(prepare.pem) };
    const one = prepare.signedFor === undefined ? () => plain(prepare) : () => sealed({ ...prepare, key });
    ready = Array.from({ length: prepare.count }, one);
    return process.send({ prepared: ready.length });
  }
  process.send(await timed(ready, go.inFlight, send));
});
