/**
 * One receiver in a separate process: `bare` (Fastify, verify, INSERT), `sdk` (the same with the public SDK's verifier
 * and its PostgreSQL replay store) or `http` (ours: the real HTTP server and intake, without workers). Each answers
 * 200 only after its row is committed.
 */
import { createHash, createPublicKey, randomUUID, timingSafeEqual, verify } from 'node:crypto';
import { createRequire } from 'node:module';
import Fastify from 'fastify';
import pg from 'pg';
import { createEgress } from '@switchyard/egress';
import { createSellerKeys } from '@switchyard/sellers';
import {
  connectionDirectory,
  inboxStore,
  openStore,
  replayStore,
  webhookRegistrations,
} from '@switchyard/store';
import { createTelemetry } from '@switchyard/telemetry';

const makers = { bare, sdk, http: switchyardHttp };

/** The number of our own connections. */
const connections = 12;

/** A plain insert of the usual data: the dedupe key is the primary key, the rest is evidence. */
async function receiver(appUrl, check) {
  const pool = new pg.Pool({ connectionString: appUrl, max: connections });
  const app = Fastify({ bodyLimit: 1_048_576 });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  const state = { url: '' };
  app.post('/webhooks/:registration', async (request, reply) => {
    const verdict = await check(request, state.url, pool);
    if (verdict !== true) return reply.status(401).send(String(verdict));
    const { idempotency_key: key } = JSON.parse(request.body.toString('utf8'));
    await pool.query({
      name: 'keep',
      text: `insert into bench_inbox (sender, idempotency_key, id, headers, body, body_hash, received_at)
             values ($1, $2, $3, $4, $5, $6, now()) on conflict do nothing`,
      values: [
        'seller',
        key,
        randomUUID(),
        JSON.stringify(request.raw.rawHeaders),
        request.body,
        createHash('sha256').update(request.body).digest('hex'),
      ],
    });
    return reply.status(200).send();
  });
  state.url = await app.listen({ port: 0, host: '127.0.0.1' });
  return { url: state.url };
}

/** The minimum of a verification: digest, base with the sender's own components, signature. No replay check. */
function bare({ appUrl, jwk }) {
  const key = createPublicKey({ key: jwk, format: 'jwk' });
  return receiver(appUrl, (request, base) => {
    const { headers, body } = request;
    const digest = headers['content-digest'];
    const sent = Buffer.from(digest.slice(9, -1), 'base64url');
    if (!timingSafeEqual(sent, createHash('sha256').update(body).digest())) return 'digest';
    const params = headers['signature-input'].slice(5);
    const text =
      `"@method": POST\n"@target-uri": ${base}${request.raw.url}\n"@authority": ${headers.host}\n` +
      `"content-type": ${headers['content-type']}\n"content-digest": ${digest}\n"@signature-params": ${params}`;
    const signature = Buffer.from(headers['signature'].slice(6, -1), 'base64url');
    return verify(null, Buffer.from(text), key, signature) || 'signature';
  });
}

async function sdk({ appUrl, ownerUrl, jwk }) {
  const require = createRequire(new URL('../../../apps/e2e/interop/package.json', import.meta.url));
  const kit = require('@adcp/sdk/signing/server');
  const owner = new pg.Client({ connectionString: ownerUrl });
  await owner.connect();
  await owner.query(kit.getReplayStoreMigration());
  await owner.query('grant all on all tables in schema public to public');
  await owner.end();
  const pool = new pg.Pool({ connectionString: appUrl, max: connections });
  const check = kit.createWebhookVerifier({
    jwks: new kit.StaticJwksResolver([jwk]),
    replayStore: new kit.PostgresReplayStore(pool),
    revocationStore: new kit.InMemoryRevocationStore(),
  });
  return receiver(appUrl, async (request, base) => {
    const url = `${base}${request.raw.url}`;
    const body = request.body.toString('utf8');
    const result = await check({ method: 'POST', url, headers: request.headers, body }).catch(
      (error) => error,
    );
    return result.status === 'verified' || String(result);
  });
}

async function switchyardHttp({ appUrl }) {
  const built = (path) => import(new URL(`../../../apps/server/dist/${path}`, import.meta.url));
  const [{ createServer }, { createWebhookIntake }, { systemClock: clock }] = await Promise.all(
    ['main/server.js', 'webhooks/in/webhook-intake.js', 'platform/clock.js'].map(built),
  );
  const store = openStore(appUrl);
  const { metrics } = createTelemetry({ level: 'silent' });
  const address = { url: '' };
  const intake = createWebhookIntake({
    registrations: webhookRegistrations(store),
    inbox: inboxStore(store),
    nonces: replayStore(store, { clock, cap: 100_000 }),
    keys: createSellerKeys({ egress: createEgress({ allowLoopback: true }), clock }),
    connections: connectionDirectory(store),
    // For the older modes, which are not used here.
    secrets: () => Promise.resolve(undefined),
    localCredentials: () => Promise.resolve(['tok_of_ours_at_the_seller_0123456789']),
    evidence: { seal: () => Promise.resolve(undefined), forget: () => Promise.resolve() },
    clock,
    newId: randomUUID,
    baseUrl: () => address.url,
    metrics,
    notifyInbox: () => undefined,
  });
  const onUnexpected = (error) => process.stderr.write(`${error.stack}\n`);
  // The HTTP server needs issuers at its start, although only webhooks come here.
  const issuedTokens = { issuers: [] };
  const server = await createServer({ ports: { webhooks: intake, clock, issuedTokens }, onUnexpected });
  if (!server.ok) throw new Error(server.error.message);
  address.url = server.value.url;
  return address;
}

process.on('disconnect', () => process.exit(0));
process.on('message', async ({ make }) => {
  const { url } = await makers[make.name](make.options);
  process.send({ url, pid: process.pid });
});
