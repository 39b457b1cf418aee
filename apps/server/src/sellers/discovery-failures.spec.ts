import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createEgress } from '@switchyard/egress';
import { dialects } from '@switchyard/protocol';
import {
  createSellerKeys,
  createSignerKeys,
  type Connection,
  type Egress,
  type KeyedConnection,
  type SellerTransport,
} from '@switchyard/sellers';
import {
  generateSigningKey,
  memoryReplayStore,
  noRevocations,
  signRequest,
  verifySignature,
  webhookProfile,
  type VerificationStep,
} from '@switchyard/signing';
import { startServer, type TestServer } from '@switchyard/testing';
import type { RegisteredSigner } from '@switchyard/tenancy';
import { createSellerTransport } from '@switchyard/transports';
import { ok, type JsonValue } from '@switchyard/values';
import { capabilitiesQuery } from './query-capabilities.js';
import { systemClock } from '../platform/clock.js';
import { createRequestSignatures } from '../keys/request-signatures.js';

/**
 * Servers that fail in each way in which the way to a key can fail, and what a stored verdict then says of it. Real
 * HTTP, the real egress and the real clients; names resolve to loopback.
 */
let server: TestServer;
let port: number;
let egress: Egress;
let transport: SellerTransport;
type Answer = { readonly status: number } | { readonly text: string } | { readonly json: JsonValue };
/** What stands at an address of ours: host, path and query. */
const served = new Map<string, Answer>();

const resolver = (host: string) => {
  if (host.endsWith('.test')) return Promise.resolve([{ address: '127.0.0.1', family: 4 }]);
  return Promise.reject(Object.assign(new Error(host), { code: 'ENOTFOUND' }));
};

beforeAll(async () => {
  server = await startServer((request, response) => {
    const host = (request.headers.host ?? '').replace(/:\d+$/, '');
    const answer = served.get(`${host}${request.url ?? ''}`) ?? { status: 404 };
    request.resume();
    response.writeHead('status' in answer ? answer.status : 200, { 'content-type': 'application/json' });
    response.end('text' in answer ? answer.text : 'json' in answer ? JSON.stringify(answer.json) : '');
  });
  ({ port } = server);
  egress = createEgress({ allowLoopback: true }, { resolver });
  transport = createSellerTransport({ egress, connectTimeoutMs: 2_000 });
});
afterAll(async () => {
  await transport.close();
  await egress.close();
  await server.close();
});
beforeEach(() => served.clear());

const at = (host: string, path = ''): string => `http://${host}:${String(port)}${path}`;
const key = generateSigningKey('k1');
const agent = (): string => at('agents.seller.test', '/mcp');
const brandPath = '/.well-known/brand.json';
const saysOf = (capabilities: object): Partial<KeyedConnection> => ({
  capabilities: capabilities as NonNullable<KeyedConnection['capabilities']>,
});
const hasAgent = (more: object = {}) => ({ agents: [{ type: 'sales', id: 'sales', url: agent(), ...more }] });

/** A webhook that the seller signed, verified as the endpoints verify it: the code, and the step that it failed at. */
async function verdictOn(
  more: Partial<KeyedConnection> = {},
  endpoint = egress,
): Promise<{ readonly code: string; readonly last: VerificationStep }> {
  const connection = { id: 'c1', organizationId: 'o1', agentUrl: agent(), ...more };
  const whole = { protocol: 'mcp', dialect: 'adcp', configuredForm: 'auto', ...connection } as Connection;
  const keys = createSellerKeys({
    egress: endpoint,
    clock: systemClock,
    queryCapabilities: capabilitiesQuery({
      connections: { byId: () => Promise.resolve(whole) },
      lease: () => Promise.resolve(ok(new Map())),
      transport,
      clock: systemClock,
    }),
  });
  const names = dialects.adcp;
  const created = Math.floor(Date.now() / 1000);
  const url = 'https://us.example/webhooks/w1';
  const body = Buffer.from('{}');
  const headers = { 'content-type': 'application/json' };
  const signature = signRequest({
    ...{ method: 'POST', url, headers, body, keyid: 'k1', alg: 'ed25519', privateKey: key.privateKey },
    ...{ tag: names.webhookTag, created, expires: created + 300, nonce: 'n'.repeat(22) },
  });
  const lines = Object.entries({ host: 'us.example', ...headers, ...signature });
  const verdict = await verifySignature(
    { method: 'POST', url, headers: lines, body },
    webhookProfile({
      requestTag: names.requestTag,
      webhookTag: names.webhookTag,
      useMember: names.keyUseMember,
    }),
    {
      keys: keys.of(connection),
      replays: memoryReplayStore(1_000, () => systemClock.now()),
      revocations: noRevocations,
    },
    systemClock.now(),
  );
  const last = verdict.steps.at(-1);
  if (verdict.ok || last === undefined) throw new Error('It verified.');
  return { code: verdict.code, last };
}

const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
const brandUrl = (): string => at('agents.seller.test', brandPath);

interface Case {
  readonly serve?: () => Readonly<Record<string, Answer>>;
  readonly of?: () => Partial<KeyedConnection>;
  /** Of a webhook: what could not be found out is tried again, what is wrong is not. */
  readonly code: 'keys_unavailable' | 'webhook_signature_key_unknown';
  readonly details: () => object;
}

const unknown = 'webhook_signature_key_unknown';
const cases: Readonly<Record<string, Case>> = {
  'an agent that answers its capabilities task with 503': {
    serve: () => ({ 'agents.seller.test/mcp': { status: 503 } }),
    code: 'keys_unavailable',
    details: () => ({
      failure: 'capabilities_unreachable',
      agent_url: agent(),
      http_status: 503,
      dns_error: null,
      last_attempt_at: instant,
    }),
  },
  'an agent that wants a credential for its capabilities': {
    serve: () => ({ 'agents.seller.test/mcp': { status: 401 } }),
    code: 'keys_unavailable',
    details: () => ({ failure: 'capabilities_unreachable', http_status: 401, dns_error: null }),
  },
  'an agent whose name does not resolve': {
    of: () => ({ agentUrl: 'https://nowhere.invalid/mcp' }),
    code: 'keys_unavailable',
    details: () => ({
      failure: 'capabilities_unreachable',
      agent_url: 'https://nowhere.invalid/mcp',
      http_status: null,
      dns_error: 'unresolved',
      last_attempt_at: instant,
    }),
  },
  'a brand.json that is not there': {
    of: () => saysOf({}),
    code: 'keys_unavailable',
    details: () => ({
      failure: 'brand_json_unreachable',
      brand_json_url: brandUrl(),
      http_status: 404,
      dns_error: null,
      last_attempt_at: instant,
    }),
  },
  'a brand.json at a name that does not resolve': {
    of: () => saysOf({ brandJsonUrl: 'https://nowhere.invalid/brand.json' }),
    code: 'keys_unavailable',
    details: () => ({ failure: 'brand_json_unreachable', http_status: null, dns_error: 'unresolved' }),
  },
  'a brand.json that is cut off': {
    serve: () => ({ [`agents.seller.test${brandPath}`]: { text: '{"agents":[' } }),
    of: () => saysOf({}),
    code: unknown,
    details: () => ({
      failure: 'brand_json_malformed',
      brand_json_url: brandUrl(),
      parse_error: expect.stringMatching(/\w{3}/),
    }),
  },
  'a brand.json that has one member twice': {
    serve: () => ({ [`agents.seller.test${brandPath}`]: { text: '{"agents":[],"agents":[]}' } }),
    of: () => saysOf({}),
    code: unknown,
    details: () => ({
      failure: 'brand_json_malformed',
      brand_json_url: brandUrl(),
      parse_error: expect.stringMatching(/agents/),
    }),
  },
  'a brand.json that is a list': {
    serve: () => ({ [`agents.seller.test${brandPath}`]: { json: [] } }),
    of: () => saysOf({}),
    code: unknown,
    details: () => ({ failure: 'brand_json_malformed', parse_error: 'the document is no object' }),
  },
  'a pointer to a pointer': {
    serve: () => ({
      [`agents.seller.test${brandPath}`]: {
        json: { authoritative_location: at('brand.seller.test', '/1?token=s3cret') },
      },
      'brand.seller.test/1?token=s3cret': { json: { authoritative_location: at('brand.seller.test', '/2') } },
    }),
    of: () => saysOf({}),
    code: unknown,
    details: () => ({ failure: 'brand_json_malformed', parse_error: expect.stringContaining('third one') }),
  },
  'a brand.json of another site that does not name the agent’s as its operator': {
    serve: () => ({ 'brand.other.test/brand.json': { json: hasAgent() } }),
    of: () => saysOf({ brandJsonUrl: at('brand.other.test', '/brand.json') }),
    code: unknown,
    details: () => ({
      failure: 'brand_origin_mismatch',
      agent_url: agent(),
      agent_etld1: 'seller.test',
      brand_json_url_etld1: 'other.test',
    }),
  },
  'a brand.json without the agent': {
    serve: () => ({ [`agents.seller.test${brandPath}`]: { json: { agents: [] } } }),
    of: () => saysOf({}),
    code: unknown,
    details: () => ({
      failure: 'agent_not_in_brand_json',
      agent_url: agent(),
      brand_json_url: brandUrl(),
    }),
  },
  'a brand.json that has the agent twice, with two key sets': {
    serve: () => ({
      [`agents.seller.test${brandPath}`]: {
        json: {
          agents: ['one', 'two'].map((id) => ({
            type: 'sales',
            id,
            url: agent(),
            jwks_uri: `https://u:s3cret@keys.seller.test/${id}?key=s3cret#s3cret`,
          })),
        },
      },
    }),
    of: () => saysOf({}),
    code: unknown,
    details: () => ({
      failure: 'brand_json_ambiguous',
      matched_count: 2,
      matched_entries: ['one', 'two'].map((id) => ({
        type: 'sales',
        id,
        url: agent(),
        jwks_uri: `https://keys.seller.test/${id}`,
      })),
    }),
  },
  'a key set elsewhere than the agent declares': {
    serve: () => ({
      [`agents.seller.test${brandPath}`]: { json: hasAgent({ jwks_uri: at('keys.seller.test', '/jwks') }) },
    }),
    of: () => saysOf({ keyOrigins: { webhook_signing: 'https://u:s3cret@elsewhere.seller.test/s3cret' } }),
    code: unknown,
    details: () => ({
      failure: 'key_origin_mismatch',
      purpose: 'webhook_signing',
      expected_origin: 'https://elsewhere.seller.test',
      actual_origin: at('keys.seller.test'),
    }),
  },
  'governance keys beside the keys of messages': {
    serve: () => ({ [`agents.seller.test${brandPath}`]: { json: hasAgent() } }),
    of: () =>
      saysOf({
        keyOrigins: {
          webhook_signing: at('agents.seller.test'),
          governance_signing: at('agents.seller.test'),
        },
      }),
    code: unknown,
    details: () => ({ failure: 'key_origin_mismatch', purpose: 'governance_signing' }),
  },
  'an agent that signs webhooks and declares no origin for that': {
    serve: () => ({ [`agents.seller.test${brandPath}`]: { json: hasAgent() } }),
    of: () => saysOf({ webhookSigning: true, keyOrigins: { request_signing: at('agents.seller.test') } }),
    code: unknown,
    details: () => ({
      failure: 'key_origin_missing',
      purpose: 'webhook_signing',
      posture: 'webhook_signing.supported',
    }),
  },
  'a declared brand.json that is no address': {
    of: () => saysOf({ brandJsonUrl: 'brand.json' }),
    code: unknown,
    details: () => ({ failure: 'brand_json_url_missing', agent_url: agent() }),
  },
  'a declared brand.json of another scheme': {
    of: () => saysOf({ brandJsonUrl: 'ftp://brand.seller.test/brand.json' }),
    code: unknown,
    details: () => ({ failure: 'brand_json_url_missing', agent_url: agent() }),
  },
  'a key set that breaks': {
    serve: () => ({
      [`agents.seller.test${brandPath}`]: {
        json: hasAgent({ jwks_uri: at('keys.seller.test', '/jwks?token=s3cret') }),
      },
      'keys.seller.test/jwks?token=s3cret': { status: 500 },
    }),
    of: () => saysOf({}),
    code: 'keys_unavailable',
    details: () => ({
      failure: 'jwks_unavailable',
      jwks_uri: at('keys.seller.test', '/jwks'),
      http_status: 500,
      dns_error: null,
      last_attempt_at: instant,
    }),
  },
  'a key set behind a redirect': {
    serve: () => ({
      [`agents.seller.test${brandPath}`]: { json: hasAgent({ jwks_uri: at('keys.seller.test', '/jwks') }) },
      'keys.seller.test/jwks': { status: 302 },
    }),
    of: () => saysOf({}),
    code: unknown,
    details: () => ({
      failure: 'jwks_untrusted',
      jwks_uri: at('keys.seller.test', '/jwks'),
      http_status: null,
      dns_error: 'redirect_refused',
    }),
  },
};

describe('the stored verdict on a webhook whose key could not be found', () => {
  it.each(Object.entries(cases))('because of %s has every detail of its code', async (_what, item) => {
    for (const [address, answer] of Object.entries(item.serve?.() ?? {})) served.set(address, answer);
    const { code, last } = await verdictOn(item.of?.());
    expect(code).toBe(item.code);
    expect(last).toMatchObject({ step: '7', name: 'key is found', ok: false });
    expect(last.details).toEqual(expect.objectContaining(item.details()));
    const { failure } = item.details() as { readonly failure: string };
    // The words for people name the code too, unless they know better; and nothing secret is in either.
    expect(last.seen).toContain(failure === 'agent_not_in_brand_json' ? 'brand.json' : failure);
    expect(JSON.stringify(last)).not.toContain('s3cret');
  });

  it('covers every code that the profile has for the way to a key', () => {
    const received = new Set(
      Object.values(cases).map((testCase) => (testCase.details() as { failure: string }).failure),
    );
    expect([...received].sort()).toEqual([
      'agent_not_in_brand_json',
      'brand_json_ambiguous',
      'brand_json_malformed',
      'brand_json_unreachable',
      'brand_json_url_missing',
      'brand_origin_mismatch',
      'capabilities_unreachable',
      'jwks_unavailable',
      'jwks_untrusted',
      'key_origin_mismatch',
      'key_origin_missing',
    ]);
  });
});

describe('a brand.json that a seller declares over http', () => {
  it('is ignored outside the local profile, which requires https', async () => {
    const strict = createEgress({ allowLoopback: false }, { resolver });
    const { code, last } = await verdictOn(saysOf({ brandJsonUrl: at('agents.seller.test') }), strict);
    await strict.close();
    expect(code).toBe(unknown);
    expect(last.details).toEqual({ failure: 'brand_json_url_missing', agent_url: agent() });
  });
});

describe('a seller whose capabilities cannot be read', () => {
  it('is still found by its brand.json', async () => {
    served.set('agents.seller.test/mcp', { status: 503 });
    served.set(`agents.seller.test${brandPath}`, { json: hasAgent() });
    served.set('agents.seller.test/.well-known/jwks.json', { json: { keys: [] } });
    expect(await verdictOn()).toMatchObject({ code: unknown, last: { step: '7', ok: false } });
    expect((await verdictOn()).last.details).toBeUndefined();
  });

  it('is reported without the password in its address', async () => {
    const { last } = await verdictOn({ agentUrl: `http://u:s3cret@agents.seller.test:${String(port)}/mcp` });
    expect(last.details).toMatchObject({ failure: 'capabilities_unreachable', agent_url: agent() });
    expect(JSON.stringify(last)).not.toContain('s3cret');
  });
});

describe('the stored verdict on a request whose key set could not be fetched', () => {
  it('has the same details as for a key set of a seller; the caller gets only the code', async () => {
    const jwksUri = at('buyer.test', '/jwks?token=s3cret');
    served.set('buyer.test/jwks?token=s3cret', { status: 503 });
    const signer = {
      id: 's1',
      agentUrl: at('buyer.test', '/mcp'),
      dialect: 'adcp',
      keys: { kind: 'address', jwksUri },
      principal: { id: 'p1', organizationId: 'o1', name: 'buyer' },
    } as unknown as RegisteredSigner;
    const noted: { readonly code: string; readonly steps: readonly VerificationStep[] }[] = [];
    const signatures = createRequestSignatures({
      keys: createSignerKeys({ egress, clock: systemClock, signers: () => Promise.resolve([signer]) }),
      signers: { find: () => Promise.resolve(signer), prove: () => Promise.resolve() },
      replays: memoryReplayStore(1_000, () => systemClock.now()),
      clock: systemClock,
      alarms: { sighted: () => undefined, rateAbused: () => undefined },
      refusals: { note: (refusal) => void noted.push(refusal) },
    });
    const created = Math.floor(Date.now() / 1000);
    const url = 'https://us.example/mcp';
    const body = Buffer.from('{}');
    const headers = { 'content-type': 'application/json' };
    const signature = signRequest({
      ...{ method: 'POST', url, headers, body, keyid: 'k1', alg: 'ed25519', privateKey: key.privateKey },
      ...{ tag: dialects.adcp.requestTag, created, expires: created + 300, nonce: 'n'.repeat(22) },
    });
    const lines = Object.entries({ host: 'us.example', ...headers, ...signature });
    const received = await signatures.verify({ method: 'POST', url, headers: lines, body }, undefined);
    expect(received).toEqual({ ok: false, error: 'request_signature_jwks_unavailable' });
    expect(noted[0]?.steps.at(-1)).toMatchObject({
      step: '7',
      ok: false,
      details: {
        failure: 'jwks_unavailable',
        jwks_uri: at('buyer.test', '/jwks'),
        http_status: 503,
        dns_error: null,
        last_attempt_at: instant,
      },
    });
    expect(JSON.stringify(noted)).not.toContain('s3cret');
  });
});
