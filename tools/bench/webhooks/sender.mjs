/** The load: signs a round's posts beforehand, then sends them with a fixed number in flight. A separate process. */
import { createPrivateKey, randomBytes } from 'node:crypto';
import { signRequest } from '@switchyard/signing';
import { Agent, request } from 'undici';

const inFlight = 64;
const dispatcher = new Agent({ connections: inFlight, pipelining: 1, keepAliveTimeout: 60_000 });

function signed(base, { address, body }, key) {
  const url = `${base}/webhooks/${address}`;
  const headers = { 'Content-Type': 'application/json' };
  const bytes = Buffer.from(body, 'utf8');
  const created = Math.floor(Date.now() / 1000);
  const signature = signRequest({
    method: 'POST',
    url,
    headers,
    body: bytes,
    keyid: key.kid,
    alg: 'ed25519',
    privateKey: key.privateKey,
    tag: 'adcp/webhook-signing/v1',
    created,
    expires: created + 300,
    nonce: randomBytes(16).toString('base64url'),
  });
  return { url, headers: { ...headers, ...signature }, body: bytes };
}

async function send(posts) {
  const latencies = [];
  const refusals = [];
  let next = 0;
  const lane = async () => {
    for (let post = posts[next++]; post !== undefined; post = posts[next++]) {
      const from = performance.now();
      const { url, headers, body } = post;
      const answer = await request(url, { method: 'POST', headers, body, dispatcher });
      const text = await answer.body.text();
      if (answer.statusCode !== 200) refusals.push(`${answer.statusCode} ${text.slice(0, 200)}`);
      latencies.push(performance.now() - from);
    }
  };
  const from = performance.now();
  await Promise.all(Array.from({ length: inFlight }, lane));
  return { ms: performance.now() - from, latencies, refusals };
}

let ready;
process.on('disconnect', () => process.exit(0));
process.on('message', async ({ prepare, go }) => {
  if (prepare !== undefined) {
    const key = { kid: prepare.kid, privateKey: createPrivateKey(prepare.pem) };
    ready = prepare.posts.map((post) => signed(prepare.url, post, key));
    process.send({ prepared: ready.length });
  } else if (go) {
    process.send(await send(ready));
  }
});
