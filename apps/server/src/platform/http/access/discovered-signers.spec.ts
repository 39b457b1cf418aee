import { Buffer } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createEgress } from '@switchyard/egress';
import {
  createSignerKeys,
  egressCaps,
  type Egress,
  type KeyWatch,
  type SellerTransport,
} from '@switchyard/sellers';
import {
  generateSigningKey,
  memoryReplayStore,
  publicJwk,
  signRequest,
  type SigningKey,
} from '@switchyard/signing';
import { readBody, startServer, type TestServer } from '@switchyard/testing';
import type { RegisteredSigner } from '@switchyard/tenancy';
import { createSellerTransport } from '@switchyard/transports';
import type { Clock, JsonObject, JsonValue } from '@switchyard/values';
import { signerQuery } from '../../../sellers/query-capabilities.js';
import { systemClock } from '../../clock.js';
import type { Refusal } from '../../../keys/record-refusals.js';
import { createRequestSignatures } from '../../../keys/request-signatures.js';
import { now, openHttpHarness, taskReply, type HttpHarness } from '../../../main/testkit/http-harness.js';

/**
 * Requests of an agent of which we know the address alone: real endpoints, the real egress and the real clients, and a
 * server on loopback that is the agent, its brand and its key set. Names that end in `.test` resolve to it.
 */
type Answer =
  | { readonly status: number }
  | { readonly status: number; readonly location: string }
  | { readonly text: string }
  | { readonly json: JsonValue };

let server: TestServer;
let port: number;
let egress: Egress;
let transport: SellerTransport;
let http: HttpHarness;
const time = { now };
/** What stands at an address: host and path. */
const served = new Map<string, Answer>();
/** What the agent says of itself, or the status that it answers with instead. */
let reported: JsonValue | { readonly status: number };
const requested: string[] = [];
const received: string[] = [];
const refusals: Refusal[] = [];
let signers: RegisteredSigner[];

const clock: Clock = { now: () => time.now, after: () => () => undefined };
const at = (host: string, path = ''): string => `http://${host}:${String(port)}${path}`;
const agentUrl = (): string => at('agents.buyer.test', '/mcp');
const [first, second] = [generateSigningKey('k1'), generateSigningKey('k2')] as [SigningKey, SigningKey];
const jwks = (...keys: readonly SigningKey[]): Answer => ({
  json: { keys: keys.map((key) => publicJwk(key, ['adcp_use'])) },
});
const brand = 'brand.buyer.test/brand.json';
const keySet = 'keys.buyer.test/jwks';
const entry = (more: JsonObject = {}): JsonObject => ({
  ...{ type: 'buying', id: 'buyer', url: agentUrl(), jwks_uri: at('keys.buyer.test', '/jwks') },
  ...more,
});
const brandOf = (...agents: JsonObject[]): Answer => ({ json: { agents } });
const saysOf = (identity: JsonObject, more: JsonObject = {}): JsonObject => ({
  adcp: { major_versions: [3], supported_versions: ['3.1'] },
  supported_protocols: [],
  identity,
  ...more,
});

const watch: KeyWatch = {
  found: ({ id }, jwksUri) => {
    received.push(`found ${jwksUri}`);
    keep(id, jwksUri);
  },
  changed: (_signer, known, named) => void received.push(`changed ${known} to ${named}`),
  testKey: (_signer, keyid) => void received.push(`test key ${keyid}`),
  revocationsUntrusted: (_signer, url) => void received.push(`untrusted ${url}`),
};
function keep(id: string | undefined, foundJwksUri: string): void {
  signers = signers.map((registeredSigner) =>
    registeredSigner.id === id && registeredSigner.keys.kind === 'discovered'
      ? { ...registeredSigner, keys: { ...registeredSigner.keys, foundJwksUri } }
      : registeredSigner,
  );
}

function signer(of: Partial<RegisteredSigner> = {}): RegisteredSigner {
  return {
    ...{ id: 's1', principalId: 'p1', agentUrl: agentUrl(), dialect: 'adcp', allowsRsaPss: false },
    keys: { kind: 'discovered', protocol: 'mcp' },
    principal: {
      ...{ id: 'p1', organizationId: 'o1', name: 'buyer', kind: 'buyer', permissions: {} },
      ...{ transitional: false, legacy: false },
    },
    ...of,
  };
}

/** One MCP server without sessions, and one A2A agent at `/a2a`: as much of both as discovery needs. */
function rpcAnswer(host: string, path: string, body: string): JsonValue | { readonly status: number } {
  const { id, method, params } = JSON.parse(body) as {
    readonly id?: JsonValue;
    readonly method: string;
    readonly params?: { readonly name?: string; readonly protocolVersion?: string };
  };
  requested.push(`${host}${path} ${params?.name ?? method}`);
  const reply = (result: JsonValue): JsonValue => ({ jsonrpc: '2.0', id: id ?? null, result });
  if (id === undefined) return { status: 202 };
  if (method === 'initialize') {
    const serverInfo = { name: 'buyer', version: '1' };
    return reply({ protocolVersion: params?.protocolVersion ?? '', capabilities: { tools: {} }, serverInfo });
  }
  if (method === 'tools/list') {
    return reply({ tools: [{ name: 'get_adcp_capabilities', inputSchema: { type: 'object' } }] });
  }
  if (isStatus(reported)) return reported;
  if (method !== 'tools/call') {
    const parts = [{ kind: 'data', data: reported }];
    return reply({ kind: 'message', messageId: 'm1', role: 'agent', parts });
  }
  return reply({ content: [], structuredContent: reported });
}
const isStatus = (value: unknown): value is { readonly status: number } =>
  typeof value === 'object' && value !== null && typeof (value as { status?: unknown }).status === 'number';

beforeAll(async () => {
  server = await startServer(async (request, response) => {
    const host = (request.headers.host ?? '').replace(/:\d+$/, '');
    const path = request.url ?? '';
    let answer: Answer = served.get(`${host}${path}`) ?? { status: 404 };
    if (request.method === 'POST') {
      const reported = rpcAnswer(host, path, (await readBody(request)).toString());
      answer = isStatus(reported) ? reported : { json: reported };
    } else requested.push(`${host}${path}`);
    const headers = {
      'content-type': 'application/json',
      ...('location' in answer ? { location: answer.location } : {}),
    };
    response.writeHead('status' in answer ? answer.status : 200, headers);
    response.end('text' in answer ? answer.text : 'json' in answer ? JSON.stringify(answer.json) : '');
  });
  ({ port } = server);
  const resolver = (host: string) =>
    host.endsWith('.test')
      ? Promise.resolve([{ address: '127.0.0.1', family: 4 }])
      : Promise.reject(Object.assign(new Error(host), { code: 'ENOTFOUND' }));
  egress = createEgress({ allowLoopback: true }, { resolver });
  transport = createSellerTransport({ egress, connectTimeoutMs: 5_000 });
  const directory = {
    prove: () => Promise.resolve(),
    find: (_scope: unknown, id: string) =>
      Promise.resolve(signers.find((registeredSigner) => registeredSigner.id === id)),
  };
  // A new set of caches for each test, behind the endpoints of all of them.
  http = await openHttpHarness(
    {},
    {
      signatures: {
        verify: (message, claimed) => signatures.verify(message, claimed),
      },
    },
  );
  open = () => {
    signatures = createRequestSignatures({
      keys: createSignerKeys({
        ...{ egress, clock, watch, signers: () => Promise.resolve(signers) },
        queryCapabilities: signerQuery({ signers: directory, transport, clock: systemClock }),
      }),
      ...{ signers: directory, clock, refusals: { note: (refusal: Refusal) => void refusals.push(refusal) } },
      replays: memoryReplayStore(1_000, () => time.now),
      alarms: { sighted: () => undefined, rateAbused: () => undefined },
    });
  };
});
let open: () => void;
let signatures: ReturnType<typeof createRequestSignatures>;
afterAll(async () => {
  await http.close();
  await transport.close();
  await egress.close();
  await server.close();
});
beforeEach(() => {
  served.clear();
  for (const list of [requested, received, refusals, http.calls]) list.length = 0;
  time.now = now;
  signers = [signer()];
  reported = saysOf({ brand_json_url: at('brand.buyer.test', '/brand.json') });
  served.set(brand, brandOf(entry()));
  served.set(keySet, jwks(first));
  http.answerWith(() => taskReply({ products: [] }));
  open();
});

const text = JSON.stringify({ brief: 'x' });
const path = '/v1/tasks/get_products';

/** What the endpoint answers to a request that this key signed: 200, or the code of the challenge. */
async function send(key = first): Promise<string> {
  const created = Math.floor(time.now / 1000);
  const answer = await http.post(path, text, {
    ...signRequest({
      ...{ method: 'POST', url: http.url + path, headers: { 'content-type': 'application/json' } },
      ...{ body: Buffer.from(text), keyid: key.kid, alg: key.alg, privateKey: key.privateKey },
      ...{ tag: 'adcp/request-signing/v1', created, expires: created + 300 },
      nonce: randomBytes(16).toString('base64url'),
    }),
  });
  const body = await answer.text();
  if (answer.status === 200) return 'taken';
  const code = /^Signature error="(\w+)"$/.exec(answer.headers.get('www-authenticate') ?? '')?.[1] ?? '';
  expect(answer.status).toBe(401);
  // The caller is told the code alone: where we looked and what we found is for our own records.
  expect(body).not.toMatch(/buyer\.test|127\.0\.0\.1|brand\.json|etld1/);
  return code;
}

describe('a request of an agent whose keys are discovered', () => {
  it("is authenticated by the agent's own documents, which are fetched once", async () => {
    expect(await Promise.all([send(), send(), send()])).toEqual(['taken', 'taken', 'taken']);
    expect(http.calls[0]?.caller).toMatchObject({
      name: 'buyer',
      signedBy: { keyid: 'k1', agentUrl: agentUrl(), dialect: 'adcp' },
    });
    const once = (what: string) => requested.filter((item) => item === what);
    expect(once('agents.buyer.test/mcp get_adcp_capabilities')).toHaveLength(1);
    expect(once(brand)).toHaveLength(1);
    expect(once(keySet)).toHaveLength(1);
    expect(new Set(received)).toEqual(new Set([`found ${at('keys.buyer.test', '/jwks')}`]));
  });

  it('is accepted from an agent that is discovered over A2A', async () => {
    const url = at('agents.buyer.test', '/a2a');
    signers = [signer({ agentUrl: url, keys: { kind: 'discovered', protocol: 'a2a' } })];
    served.set(brand, brandOf(entry({ url })));
    const skills = [{ id: 'get_adcp_capabilities', name: 'capabilities', description: '', tags: [] }];
    const card = {
      ...{ protocolVersion: '0.3.0', name: 'buyer', description: '', version: '1', url, skills },
      ...{ preferredTransport: 'JSONRPC', capabilities: {}, defaultInputModes: [], defaultOutputModes: [] },
    };
    served.set('agents.buyer.test/a2a/.well-known/agent-card.json', { json: card });
    expect([await send(), refusals.at(-1)?.steps.at(-1)]).toEqual(['taken', undefined]);
  });

  it('is accepted by the brand of another site that names the agent’s as its operator, and by no other', async () => {
    reported = saysOf({ brand_json_url: at('brand.other.test', '/brand.json') });
    served.set('brand.other.test/brand.json', brandOf(entry()));
    expect(await send()).toBe('request_signature_brand_origin_mismatch');
    const operators = [{ domain: 'buyer.test', brands: ['*'] }];
    served.set('brand.other.test/brand.json', {
      json: { agents: [entry()], authorized_operators: operators },
    });
    open();
    expect(await send()).toBe('taken');
  });

  it('is accepted with the next key once it is published, and with the old one until it is removed', async () => {
    expect(await send()).toBe('taken');
    expect(await send(second)).toBe('request_signature_key_unknown');
    served.set(keySet, jwks(first, second));
    time.now += 31_000;
    expect([await send(second), await send()]).toEqual(['taken', 'taken']);
    served.set(keySet, jwks(second));
    time.now += 5 * 60_000;
    expect([await send(), await send(second)]).toEqual(['request_signature_key_unknown', 'taken']);
  });

  it('is verified with the first key set until a person accepts another one', async () => {
    expect(await send()).toBe('taken');
    served.set(brand, brandOf(entry({ jwks_uri: at('evil.buyer.test', '/jwks') })));
    served.set('evil.buyer.test/jwks', jwks(second));
    time.now += 5 * 60_000;
    expect([await send(), await send(second)]).toEqual(['taken', 'request_signature_key_unknown']);
    const known = at('keys.buyer.test', '/jwks');
    const named = at('evil.buyer.test', '/jwks');
    expect(received).toContain(`changed ${known} to ${named}`);
    expect(refusals.at(-1)?.steps.at(-1)?.seen).toContain(
      `discovery names ${named}, which nobody has accepted`,
    );
    keep('s1', named);
    time.now += 5_000;
    expect([await send(second), await send()]).toEqual(['taken', 'request_signature_key_unknown']);
  });

  it('is refused with a key in the list beside the brand.json that declares it', async () => {
    const iso = (ms: number): string => new Date(time.now + ms).toISOString();
    const list = { revoked_kids: ['k1'], updated: iso(0), next_update: iso(600_000) };
    served.set('brand.buyer.test/.well-known/governance-revocations.json', { json: list });
    expect(await send()).toBe('request_signature_key_revoked');
  });

  it('is rejected if a published test key signed it, with the reason', async () => {
    const test = generateSigningKey('test-ed25519-2026');
    served.set(keySet, jwks(test));
    expect(await send(test)).toBe('request_signature_key_unknown');
    expect(received).toContain('test key test-ed25519-2026');
  });
});

const big = (bytes: number): string => JSON.stringify({ agents: [], padding: 'x'.repeat(bytes) });

interface Case {
  readonly when: () => void;
  readonly code: string;
  readonly details: () => object;
}

const cases: Readonly<Record<string, Case>> = {
  'does not answer its capabilities task': {
    when: () => (reported = { status: 503 }),
    code: 'capabilities_unreachable',
    details: () => ({ agent_url: agentUrl(), http_status: 503, dns_error: null }),
  },
  'cannot be found': {
    when: () => (signers = [signer({ agentUrl: 'https://nowhere.invalid/mcp' })]),
    code: 'capabilities_unreachable',
    details: () => ({ agent_url: 'https://nowhere.invalid/mcp', http_status: null, dns_error: 'unresolved' }),
  },
  'says more than 64 KiB of itself': {
    when: () =>
      (reported = saysOf(
        { brand_json_url: at('brand.buyer.test', '/brand.json') },
        { padding: 'x'.repeat(egressCaps.capabilities) },
      )),
    code: 'capabilities_unreachable',
    details: () => ({ agent_url: agentUrl(), http_status: null, dns_error: 'too_large' }),
  },
  'declares no brand.json, although there is one at its own site': {
    when: () => {
      reported = saysOf({});
      served.set('agents.buyer.test/.well-known/brand.json', brandOf(entry()));
    },
    code: 'brand_json_url_missing',
    details: () => ({ agent_url: agentUrl() }),
  },
  'declares a brand.json that is not there': {
    when: () => served.delete(brand),
    code: 'brand_json_unreachable',
    details: () => ({ brand_json_url: at('brand.buyer.test', '/brand.json'), http_status: 404 }),
  },
  'declares a brand.json of more than 256 KiB': {
    when: () => served.set(brand, { text: big(egressCaps.brandJson) }),
    code: 'brand_json_unreachable',
    details: () => ({ http_status: null, dns_error: 'too_large' }),
  },
  'declares a brand.json with one member twice': {
    when: () => served.set(brand, { text: '{"agents":[],"agents":[]}' }),
    code: 'brand_json_malformed',
    details: () => ({ parse_error: expect.stringContaining('agents') }),
  },
  'declares the brand.json of another site': {
    when: () => {
      reported = saysOf({ brand_json_url: at('brand.other.test', '/brand.json') });
      served.set('brand.other.test/brand.json', brandOf(entry()));
    },
    code: 'brand_origin_mismatch',
    details: () => ({ agent_url: agentUrl(), agent_etld1: 'buyer.test', brand_json_url_etld1: 'other.test' }),
  },
  'is in its brand.json with a slash more': {
    when: () => served.set(brand, brandOf(entry({ url: `${agentUrl()}/` }))),
    code: 'agent_not_in_brand_json',
    details: () => ({ agent_url: agentUrl(), brand_json_url: at('brand.buyer.test', '/brand.json') }),
  },
  'is in its brand.json twice with two key sets': {
    when: () => served.set(brand, brandOf(entry(), entry({ jwks_uri: at('x.buyer.test', '/jwks') }))),
    code: 'brand_json_ambiguous',
    details: () => ({ matched_count: 2 }),
  },
  'says that its keys are elsewhere': {
    when: () =>
      (reported = saysOf({
        brand_json_url: at('brand.buyer.test', '/brand.json'),
        key_origins: { request_signing: at('other.buyer.test') },
      })),
    code: 'key_origin_mismatch',
    details: () => ({
      purpose: 'request_signing',
      expected_origin: at('other.buyer.test'),
      actual_origin: at('keys.buyer.test'),
    }),
  },
  'says where its other keys are and not those that sign requests': {
    when: () =>
      (reported = saysOf({
        brand_json_url: at('brand.buyer.test', '/brand.json'),
        key_origins: { governance_signing: at('governance.buyer.test') },
      })),
    code: 'key_origin_missing',
    details: () => ({ purpose: 'request_signing', posture: 'request_signing.supported' }),
  },
  'has a key set that breaks': {
    when: () => served.set(keySet, { status: 500 }),
    code: 'jwks_unavailable',
    details: () => ({ jwks_uri: at('keys.buyer.test', '/jwks'), http_status: 500 }),
  },
  'has a key set behind a redirect': {
    when: () => served.set(keySet, { status: 302, location: at('keys.buyer.test', '/other') }),
    code: 'jwks_untrusted',
    details: () => ({ jwks_uri: at('keys.buyer.test', '/jwks'), dns_error: 'redirect_refused' }),
  },
};

describe('a request of an agent that', () => {
  it.each(Object.entries(cases))(
    '%s is refused with its own code, and the reason is stored in members',
    async (_what, item) => {
      item.when();
      expect(await send()).toBe(`request_signature_${item.code}`);
      expect(http.calls).toHaveLength(0);
      const last = refusals.at(-1)?.steps.at(-1);
      expect(last).toMatchObject({ step: '7', name: 'key is found', ok: false });
      expect(last?.details).toEqual(expect.objectContaining({ failure: item.code, ...item.details() }));
      // It is remembered: whoever repeats it makes us call nobody.
      const before = requested.length;
      expect(await send()).toBe(`request_signature_${item.code}`);
      expect(requested.slice(before)).toEqual([]);
    },
  );

  it('fails in each way that the profile has a code for', () => {
    expect([...new Set(Object.values(cases).map(({ code }) => code))].sort()).toEqual([
      ...[
        'agent_not_in_brand_json',
        'brand_json_ambiguous',
        'brand_json_malformed',
        'brand_json_unreachable',
      ],
      ...['brand_json_url_missing', 'brand_origin_mismatch', 'capabilities_unreachable', 'jwks_unavailable'],
      ...['jwks_untrusted', 'key_origin_mismatch', 'key_origin_missing'],
    ]);
  });

  it('has corrected its documents is accepted once the failure has expired', async () => {
    served.delete(brand);
    expect(await send()).toBe('request_signature_brand_json_unreachable');
    served.set(brand, brandOf(entry()));
    time.now += 31_000;
    expect(await send()).toBe('taken');
  });

  it.each([
    [
      'says 60 KiB of itself',
      () => (reported = { ...(reported as JsonObject), padding: 'x'.repeat(60 * 1024) }),
    ],
    [
      'has a brand.json of 255 KiB',
      () => served.set(brand, { json: { agents: [entry()], padding: 'x'.repeat(255 * 1024) } }),
    ],
  ])('%s is within its limits', async (_what, when) => {
    when();
    expect(await send()).toBe('taken');
  });
});
