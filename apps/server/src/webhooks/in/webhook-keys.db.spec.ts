import type { RequestListener } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createEgress } from '@switchyard/egress';
import { createSellerKeys, type Connection, type Egress } from '@switchyard/sellers';
import { generateSigningKey, publicJwk, type SigningKey } from '@switchyard/signing';
import { startServer, type TestServer } from '@switchyard/testing';
import type { JsonObject } from '@switchyard/values';
import { openHttpHarness, type HttpHarness } from '../../main/testkit/http-harness.js';
import type { Refusal } from '../../keys/record-refusals.js';
import { watchWebhooks } from './webhook-verdicts.js';
import { report, signed, specInbox, type SpecInbox, type SpecSeller } from '../testkit/inbox.js';

/**
 * Webhooks during failures of key sets and changes of keys: the seller's documents are on their own server, and are
 * fetched through the real egress.
 */
let inbox: SpecInbox;
let http: HttpHarness;
let seller: SpecSeller;
let server: TestServer;
let egress: Egress;
let origin: string;
/** The answer at the address of the key set. */
let keySet: RequestListener;
const refusals: Refusal[] = [];

const json =
  (body: object, status = 200): RequestListener =>
  (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
const silent: RequestListener = () => undefined;
const keysOf = (...keys: readonly JsonObject[]): RequestListener => json({ keys: [...keys] });
const published = (key: SigningKey, more: JsonObject = {}): JsonObject => ({
  ...publicJwk(key, ['ads_use']),
  ...more,
});

beforeAll(async () => {
  inbox = await specInbox();
  server = await startServer((request, response) => {
    if (request.url === '/jwks') return keySet(request, response);
    if (request.url !== '/.well-known/brand.json') return json({}, 404)(request, response);
    const { agentUrl: url } = seller.connection;
    return json({ agents: [{ type: 'sales', url, jwks_uri: `${origin}/jwks` }] })(request, response);
  });
  origin = server.url;
  const real = createEgress({ allowLoopback: true });
  // The same endpoint with a shorter timeout for a key set that is never answered.
  egress = {
    ...real,
    request: (requested) => real.request(keySet === silent ? { ...requested, timeoutMs: 250 } : requested),
  };
});
afterAll(async () => {
  await egress.close();
  await server.close();
  await inbox.close();
});

beforeEach(async () => {
  seller = await inbox.seller();
  const pinnedBrandJsonUrl = `${origin}/.well-known/brand.json`;
  const connection: Connection = { ...seller.connection, pinnedBrandJsonUrl };
  refusals.length = 0;
  let url = '';
  const alarms = { sighted: () => undefined, rateAbused: () => undefined };
  const intake = inbox.intake({
    keys: createSellerKeys({ egress, clock: inbox.clock }),
    baseUrl: () => url,
    verdicts: watchWebhooks(alarms as never, {
      note: (refusal) => void refusals.push(refusal),
      settled: () => Promise.resolve(),
    }),
    connections: { byId: () => Promise.resolve(connection) },
  });
  http = await openHttpHarness({}, { webhooks: intake, clock: inbox.clock });
  ({ url } = http);
});
afterEach(() => http.close());

async function received(key: SigningKey = seller.key): Promise<readonly [number, string]> {
  const { url, bytes, headers } = signed(http.url, inbox.clock.now(), seller, report(seller), { key });
  const answer = await fetch(url, { method: 'POST', headers, body: bytes as unknown as string });
  const { errors } = answer.status === 200 ? { errors: [] } : ((await answer.json()) as Errors);
  return [answer.status, errors[0]?.code ?? ''];
}
interface Errors {
  readonly errors: readonly { readonly code: string }[];
}
const stored = async (): Promise<number> =>
  (await inbox.admin.list(inbox.caller, { seller: seller.connection.slug })).length;

describe('a webhook whose key set', () => {
  it.each<[string, () => RequestListener, object]>([
    ['is not there (404)', () => json({}, 404), { http_status: 404, dns_error: null }],
    ['breaks (500)', () => json({}, 500), { http_status: 500, dns_error: null }],
    ['is slow', () => silent, { http_status: null, dns_error: 'timeout' }],
    [
      'is huge',
      () => keysOf(published(seller.key), { kid: 'k'.repeat(64 * 1024) }),
      { http_status: null, dns_error: 'too_large' },
    ],
    ['is no key set', () => json([]), { http_status: 200, dns_error: null }],
  ])(
    '%s is refused with a retryable status, and accepted once the keys are available',
    async (_what, failing, why) => {
      keySet = failing();
      expect(await received()).toEqual([503, 'keys_unavailable']);
      expect(await stored()).toBe(0);
      expect(refusals.at(-1)?.steps.at(-1)).toMatchObject({
        step: '7',
        ok: false,
        details: { failure: 'jwks_unavailable', jwks_uri: `${origin}/jwks`, ...why },
      });
      keySet = keysOf(published(seller.key));
      inbox.clock.advance(30_000);
      expect(await received()).toEqual([200, '']);
      expect(await stored()).toBe(1);
    },
  );

  it.each<[string, JsonObject]>([
    ['the algorithm of another kind of key', { alg: 'ES256' }],
    ['an algorithm that the profile does not have', { alg: 'PS512' }],
    ['another curve', { crv: 'Ed448' }],
    ['a key for encryption', { use: 'enc' }],
    ['a key that verifies nothing', { key_ops: ['encrypt'] }],
    ['a key of governance', { ads_use: 'governance-signing' }],
    ['a key of the other dialect alone', { ads_use: undefined as never, adcp_use: 'request-signing' }],
  ])('names %s is refused', async (_what, more) => {
    keySet = keysOf(published(seller.key, more));
    expect(await received()).toEqual([401, 'webhook_signature_key_purpose_invalid']);
    expect(refusals.at(-1)?.steps.at(-1)).toMatchObject({ step: '8', ok: false });
    expect(await stored()).toBe(0);
  });
});

describe('a rotated key', () => {
  it('is accepted once it is published; the old one is accepted until it is retired', async () => {
    const next = generateSigningKey(`next-${seller.connection.slug}`);
    keySet = keysOf(published(seller.key));
    expect(await received()).toEqual([200, '']);
    keySet = keysOf(published(seller.key), published(next));
    expect(await received(next)).toEqual([200, '']);
    expect(await received()).toEqual([200, '']);
    keySet = keysOf(published(next));
    inbox.clock.advance(5 * 60_000);
    expect(await received()).toEqual([401, 'webhook_signature_key_unknown']);
    expect(await received(next)).toEqual([200, '']);
  });

  it('is stored once with the messages that it verified, and exported with them after its seller removed it', async () => {
    const { kid } = seller.key;
    const reused = generateSigningKey(kid);
    for (const key of [seller.key, seller.key, reused]) {
      keySet = keysOf(published(key, { contact: 'private' }));
      inbox.clock.advance(5 * 60_000);
      expect(await received(key)).toEqual([200, '']);
    }
    keySet = keysOf();
    const messages = (await inbox.admin.messages(inbox.caller)).filter(({ keyid }) => keyid === kid);
    const points = [seller.key, reused].map((key) => published(key)['x']);
    expect(messages.map(({ keys = [] }) => keys.map(({ x }) => x))).toEqual([points, points, points]);
    expect(JSON.stringify(messages)).not.toContain('private');
  });

  it('is refused before it is published, and accepted once the cached key set may be renewed', async () => {
    const next = generateSigningKey(`early-${seller.connection.slug}`);
    keySet = keysOf(published(seller.key));
    expect(await received()).toEqual([200, '']);
    expect(await received(next)).toEqual([401, 'webhook_signature_key_unknown']);
    keySet = keysOf(published(seller.key), published(next));
    inbox.clock.advance(30_000);
    expect(await received(next)).toEqual([200, '']);
    expect(await received()).toEqual([200, '']);
  });
});
