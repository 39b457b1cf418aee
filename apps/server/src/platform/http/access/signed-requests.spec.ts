import { Buffer } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createSignerKeys, type Egress } from '@switchyard/sellers';
import {
  generateSigningKey,
  memoryReplayStore,
  publicJwk,
  signRequest,
  type SigningKey,
} from '@switchyard/signing';
import { allPermissions, type RegisteredSigner } from '@switchyard/tenancy';
import { ok, type Clock, type JsonObject } from '@switchyard/values';
import type { Refusal } from '../../../keys/record-refusals.js';
import { createRequestSignatures } from '../../../keys/request-signatures.js';
import { now, openHttpHarness, taskReply, type HttpHarness } from '../../../main/testkit/http-harness.js';

const clock: Clock = { now: () => now, after: () => () => undefined };
const [ads, adcp, shared, strange] = ['ads', 'adcp', 'shared', 'strange'].map((kid) =>
  generateSigningKey(kid),
) as [SigningKey, SigningKey, SigningKey, SigningKey];
const [dead, overdue] = [generateSigningKey('dead'), generateSigningKey('overdue')];
const principalOf = (seed: number) => ({
  id: `00000000-0000-4000-8000-00000000010${seed}`,
  organizationId: '00000000-0000-4000-8000-000000000002',
  name: `principal ${seed}`,
  kind: 'buyer' as const,
  permissions: {},
  transitional: false,
  legacy: false,
});
const signerOf = (seed: number, keys: RegisteredSigner['keys']): RegisteredSigner => ({
  id: `signer ${seed}`,
  principalId: principalOf(seed).id,
  agentUrl: `https://buyer-${seed}.example/mcp`,
  keys,
  dialect: 'ads',
  allowsRsaPss: false,
  principal: principalOf(seed),
});
const jwks = (...keys: readonly (readonly [SigningKey, string])[]) => ({
  keys: keys.map(([key, member]) => publicJwk(key, [member])),
});
const address = 'https://buyer-2.example/jwks.json';
const rsaPair = generateSigningKey('rsa', 'rsa-pss-sha512');
const rsaJwk = (kid: string): JsonObject => ({
  ...(rsaPair.publicKey.export({ format: 'jwk' }) as JsonObject),
  kid,
  alg: 'PS512',
  use: 'sig',
  key_ops: ['verify'],
  ads_use: 'request-signing',
});
const rsaKey = (kid: string): SigningKey =>
  ({ kid, alg: 'rsa-pss-sha512', privateKey: rsaPair.privateKey }) as SigningKey;
const signers = [
  signerOf(6, { kind: 'document', jwks: jwks([dead, 'ads_use']) }),
  signerOf(7, { kind: 'document', jwks: jwks([overdue, 'ads_use']) }),
  { ...signerOf(3, { kind: 'document', jwks: { keys: [rsaJwk('rsa')] } }), allowsRsaPss: true },
  signerOf(4, { kind: 'document', jwks: { keys: [rsaJwk('plain-rsa')] } }),
  signerOf(5, { kind: 'document', jwks: jwks([generateSigningKey('test-ed25519-2026'), 'ads_use']) }),
  signerOf(1, { kind: 'document', jwks: jwks([ads, 'ads_use'], [shared, 'ads_use']) }),
  signerOf(2, { kind: 'address', jwksUri: address }),
];
/** Lists of revoked keys, by the site that publishes them: one names a key, one is long overdue. */
const lists: Readonly<Record<string, { readonly kids: readonly string[]; readonly updated: number }>> = {
  'https://buyer-6.example/.well-known/governance-revocations.json': { kids: ['dead'], updated: now },
  'https://buyer-7.example/.well-known/governance-revocations.json': { kids: [], updated: now - 86_400_000 },
};
const iso = (at: number): string => new Date(at).toISOString();
const egress = {
  request: ({ url }: { url: string }) => {
    const list = lists[url];
    if (list !== undefined) {
      const { kids, updated } = list;
      const text = { revoked_kids: kids, updated: iso(updated), next_update: iso(updated + 600_000) };
      return Promise.resolve(ok({ status: 200, headers: {}, body: Buffer.from(JSON.stringify(text)) }));
    }
    const body = Buffer.from(JSON.stringify(jwks([adcp, 'adcp_use'], [shared, 'ads_use'])));
    return Promise.resolve(ok({ status: url === address ? 200 : 404, headers: {}, body }));
  },
} as unknown as Egress;

const refusals: Refusal[] = [];
/** What has become of a signer since the list was read: nothing of it is there, or its principal is another. */
const changed = new Map<string, RegisteredSigner | undefined>();
let http: HttpHarness;
beforeAll(async () => {
  http = await openHttpHarness(
    {},
    {
      signatures: createRequestSignatures({
        keys: createSignerKeys({ egress, clock, signers: () => Promise.resolve(signers) }),
        signers: {
          prove: () => Promise.resolve(),
          find: (_scope, id) =>
            Promise.resolve(changed.has(id) ? changed.get(id) : signers.find((signer) => signer.id === id)),
        },
        replays: memoryReplayStore(100, () => now),
        clock,
        alarms: { sighted: () => undefined, rateAbused: () => undefined },
        refusals: { note: (refusal) => refusals.push(refusal) },
      }),
    },
  );
});
afterAll(() => http.close());
beforeEach(() => {
  changed.clear();
  http.calls.length = 0;
  http.answerWith(() => taskReply({ products: [] }));
});

const rooms = [
  {
    name: 'MCP',
    path: '/mcp',
    body: {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'get_products', arguments: { brief: 'x' } },
    },
  },
  {
    name: 'A2A',
    path: '/a2a',
    body: {
      jsonrpc: '2.0',
      id: 1,
      method: 'message/send',
      params: { message: { parts: [{ kind: 'data', data: { skill: 'get_products', parameters: {} } }] } },
    },
  },
  { name: 'REST', path: '/v1/tasks/get_products?a=%7e', body: { brief: 'x' } },
] as const;

function signed(key: SigningKey, path: string, body: string, tag = 'ads'): Record<string, string> {
  const seconds = now / 1000;
  return {
    ...signRequest({
      method: 'POST',
      url: http.url + path,
      headers: { 'content-type': 'application/json' },
      body: Buffer.from(body),
      keyid: key.kid,
      alg: key.alg,
      privateKey: key.privateKey,
      tag: `${tag}/request-signing/v1`,
      created: seconds,
      expires: seconds + 300,
      nonce: randomBytes(16).toString('base64url'),
    }),
  };
}

describe.each(rooms)('a signed request over $name', ({ path, body }) => {
  const text = JSON.stringify(body);
  const codeOf = (answer: Response) => [answer.status, answer.headers.get('www-authenticate')];
  const refused = (code: string) => [401, `Signature error="request_signature_${code}"`];

  it('has the principal of the agent that signed it, without any other credential', async () => {
    expect((await http.post(path, text, signed(ads, path, text))).status).toBe(200);
    expect(http.calls[0]?.caller).toMatchObject({
      name: 'principal 1',
      signedBy: { keyid: 'ads', agentUrl: 'https://buyer-1.example/mcp', dialect: 'ads' },
    });
  });

  it('is verified only in the dialect of its key, found at the registered address', async () => {
    expect((await http.post(path, text, signed(adcp, path, text, 'adcp'))).status).toBe(200);
    expect(http.calls[0]?.caller).toMatchObject({ name: 'principal 2', signedBy: { dialect: 'adcp' } });
    const crossed = await http.post(path, text, signed(adcp, path, text, 'ads'));
    expect(codeOf(crossed)).toEqual(refused('tag_invalid'));
  });

  it.each([
    ['a body that was changed', 'digest_mismatch', () => signed(ads, path, `${text} `)],
    ['another address', 'invalid', () => signed(ads, `${path}x`, text)],
    ['a key of nobody', 'key_unknown', () => signed(strange, path, text)],
    ['a key that two signers have', 'key_unknown', () => signed(shared, path, text)],
    ['half a signature', 'header_malformed', () => ({ Signature: 'sig1=:AAAA:' })],
    ['junk', 'header_malformed', () => ({ Signature: 'x', 'Signature-Input': 'sig1=(' })],
    [
      'two types',
      'header_malformed',
      () => ({ ...signed(ads, path, text), 'content-type': 'application/json, text/plain' }),
    ],
  ])('with %s is refused as %s, even with a valid token', async (what, code, headers) => {
    const sent = { ...headers(), ...(what.startsWith('half') ? bearer() : {}) };
    const answer = await http.post(path, text, sent);
    expect(codeOf(answer)).toEqual(refused(code));
    expect(http.calls).toHaveLength(0);
  });

  it('is accepted once', async () => {
    const headers = signed(ads, path, text);
    expect((await http.post(path, text, headers)).status).toBe(200);
    expect(codeOf(await http.post(path, text, headers))).toEqual(refused('replayed'));
  });

  const bearer = () => ({ authorization: `Bearer ${http.token}` });

  it("with a token has the principal of both; only that principal's agents are searched", async () => {
    expect((await http.post(path, text, { ...signed(shared, path, text), ...bearer() })).status).toBe(200);
    expect(http.calls[0]?.caller).toMatchObject({ name: 'principal 1', signedBy: { keyid: 'shared' } });
    const crossed = await http.post(path, text, { ...signed(adcp, path, text, 'adcp'), ...bearer() });
    expect(codeOf(crossed)).toEqual(refused('key_unknown'));
    const dead = { authorization: `Bearer ${http.expiredToken}` };
    expect((await http.post(path, text, { ...signed(ads, path, text), ...dead })).status).toBe(401);
  });
});

describe('a signature beside a token with fewer permissions than its principal', () => {
  const { path, body } = rooms[0];
  const text = JSON.stringify(body);
  const held = async (headers: Record<string, string>): Promise<unknown> => {
    await http.post(path, text, headers);
    const { caller } = http.calls.at(-1) ?? {};
    return caller?.kind === 'principal' ? [caller.signedBy?.keyid, caller.permissions] : caller;
  };

  it('has only the permissions of the token', async () => {
    const everything = allPermissions;
    const signer = signers.at(-1);
    if (signer === undefined) throw new Error('Nobody signs.');
    changed.set(signer.id, { ...signer, principal: { ...signer.principal, permissions: everything } });
    const keyed = () => signed(adcp, path, text, 'adcp');
    const less = await held({ authorization: `Bearer ${http.readerToken}` });
    const [, permissions] = less as readonly [unknown, unknown];
    expect(permissions).not.toEqual(everything);
    expect(await held(keyed())).toEqual([adcp.kid, everything]);
    expect(await held({ ...keyed(), authorization: `Bearer ${http.readerToken}` })).toEqual([
      adcp.kid,
      permissions,
    ]);
  });
});

describe('a refused signature', () => {
  const { path, body } = rooms[0];
  const text = JSON.stringify(body);
  const challenge = async (headers: Record<string, string>) =>
    (await http.post(path, text, headers)).headers.get('www-authenticate');

  it('is stored with every step up to the failed one, for the principal whose key it names, without authenticating it', async () => {
    refusals.length = 0;
    await http.post(path, text, signed(ads, path, `${text} `));
    await http.post(path, text, signed(strange, path, text));
    await http.post(path, text, { Signature: 'sig1=:AAAA:' });
    await http.post(path, text, { ...signed(strange, path, text), authorization: `Bearer ${http.token}` });
    expect(
      refusals.map(({ code, isStranger, keyid, principalName, steps }) => [
        code,
        isStranger,
        keyid,
        principalName,
        steps.at(-1)?.step,
      ]),
    ).toEqual([
      ['request_signature_digest_mismatch', false, 'ads', 'principal 1', '11'],
      ['request_signature_key_unknown', true, 'strange', undefined, '7'],
      ['request_signature_header_malformed', true, undefined, undefined, '1'],
      ['request_signature_key_unknown', false, 'strange', expect.any(String), '7'],
    ]);
    expect(JSON.stringify(refusals)).not.toContain(http.token);
  });

  it('results from the removal of its signer, from the next request on', async () => {
    expect((await http.post(path, text, signed(ads, path, text))).status).toBe(200);
    refusals.length = 0;
    changed.set('signer 1', undefined);
    expect(await challenge(signed(ads, path, text))).toBe('Signature error="request_signature_key_unknown"');
    expect(refusals).toMatchObject([{ keyid: 'ads', principalName: 'principal 1' }]);
    expect(refusals[0]?.steps.at(-1)).toMatchObject({ name: 'signer is still registered', ok: false });
    const beside = { ...signed(ads, path, text), authorization: `Bearer ${http.token}` };
    expect(await challenge(beside)).toBe('Signature error="request_signature_key_unknown"');
  });

  it('does not result from a change of permissions, which apply at once', async () => {
    const [, , , , , signer] = signers;
    if (signer === undefined) throw new Error('There is no such signer.');
    const principal = {
      ...signer.principal,
      kind: 'brand' as const,
      brandDomain: 'brand.example',
      permissions: { products: ['read' as const] },
    };
    changed.set('signer 1', { ...signer, principal });
    expect((await http.post(path, text, signed(ads, path, text))).status).toBe(200);
    expect(http.calls[0]?.caller).toMatchObject({
      permissions: { products: ['read' as const] },
      principalKind: 'brand',
      brandDomain: 'brand.example',
    });
  });

  it('is one with RSA, unless the signer is registered for it', async () => {
    expect((await http.post(path, text, signed(rsaKey('rsa'), path, text))).status).toBe(200);
    expect(await challenge(signed(rsaKey('plain-rsa'), path, text))).toBe(
      'Signature error="request_signature_alg_not_allowed"',
    );
  });

  it('is one with a revoked key, or with an overdue revocation list', async () => {
    const codeOf = (code: string) => `Signature error="request_signature_${code}"`;
    expect(await challenge(signed(dead, path, text))).toBe(codeOf('key_revoked'));
    expect(await challenge(signed(overdue, path, text))).toBe(codeOf('revocation_stale'));
  });

  it('is one with a published test key, wherever it is registered', async () => {
    const key = generateSigningKey('test-ed25519-2026');
    expect(await challenge(signed(key, path, text))).toBe('Signature error="request_signature_key_unknown"');
  });
});

describe('our published identity', () => {
  it('contains our two agents byte for byte, and their key set', async () => {
    const brand = await (await fetch(`${http.url}/.well-known/brand.json`)).json();
    expect(brand).toEqual({
      agents: [
        {
          type: 'buying',
          id: 'switchyard_mcp',
          url: `${http.url}/mcp`,
          jwks_uri: `${http.url}/.well-known/jwks.json`,
        },
        {
          type: 'buying',
          id: 'switchyard_a2a',
          url: `${http.url}/a2a`,
          jwks_uri: `${http.url}/.well-known/jwks.json`,
        },
      ],
    });
  });

  it.each([
    ['jwks.json', 'k1'],
    ['switchyard/retired-keys.json', 'k0'],
  ])('never contains a private member, even if a stored key does: %s', async (document, kid) => {
    const answer = await fetch(`${http.url}/.well-known/${document}`);
    expect(answer.headers.get('cache-control')).toBe('public, max-age=300');
    const text = await answer.text();
    expect(text).not.toContain('private');
    expect(JSON.parse(text)).toEqual({
      keys: [{ kid, kty: 'OKP', crv: 'Ed25519', x: 'public', ads_use: 'request-signing' }],
    });
  });

  it.each([
    ['GET', '/v1/keys', undefined, 200],
    ['GET', '/v1/principals', undefined, 200],
    ['GET', '/v1/signers', undefined, 200],
    ['POST', '/v1/keys/rotate', { principal: 'operator' }, 200],
    ['POST', '/v1/keys/rotate', { principal: 'nobody' }, 404],
    ['POST', '/v1/keys/rotate', { private_key: 'x' }, 400],
    ['POST', '/v1/keys/rotate', { key: 'x' }, 422],
    ['POST', '/v1/principals', { name: 'agency', kind: 'buyer', permissions: { products: ['read'] } }, 200],
    ['POST', '/v1/principals', { name: 'agency', kind: 'buyer', permissions: { products: ['write'] } }, 422],
    ['POST', '/v1/principals', { name: 'agency', kind: 'buyer', permissions: { planets: ['read'] } }, 422],
    ['POST', '/v1/principals', { name: 'key', kind: 'service' }, 422],
    ['POST', '/v1/principals', { name: 'agency', kind: 'buyer', brand_domain: 'a.example' }, 422],
    ['POST', '/v1/principals/agency/tokens', { permissions: { products: ['read'] } }, 200],
    ['POST', '/v1/principals/agency/rotate', { overlap_seconds: 0 }, 200],
    ['POST', '/v1/principals/nobody/rotate', {}, 404],
    ['DELETE', '/v1/principals/agency', undefined, 200],
    ['DELETE', '/v1/principals/nobody', undefined, 404],
    ['DELETE', '/v1/tokens/t1', undefined, 200],
    ['POST', '/v1/principals/agency/identities', { kind: 'certificate', subject: 'dns:a.example' }, 200],
    ['POST', '/v1/principals/agency/identities', { kind: 'certificate', subject: 'a.example' }, 422],
    ['DELETE', '/v1/identities/i1', undefined, 200],
    ['POST', '/v1/principals/agency/signers', { agent_url: 'https://a.example/', jwks_uri: address }, 200],
    ['POST', '/v1/principals/agency/signers', { agent_url: 'https://a.example/' }, 200],
    ['POST', '/v1/principals/agency/signers', { agent_url: 'https://a.example/', protocol: 'a2a' }, 200],
    ['POST', '/v1/principals/agency/signers', { agent_url: 'https://a.example/', protocol: 'soap' }, 422],
    [
      'POST',
      '/v1/principals/agency/signers',
      { agent_url: 'https://a.example/', jwks_uri: address, protocol: 'mcp' },
      422,
    ],
    ['POST', '/v1/principals/agency/signers', { protocol: 'mcp' }, 422],
    ['POST', '/v1/principals/nobody/signers', { agent_url: 'https://a.example/', jwks_uri: address }, 404],
    ['DELETE', '/v1/signers/s1', undefined, 200],
    ['DELETE', '/v1/signers/s2', undefined, 404],
  ])('is administered by %s %s only with the permission', async (method, path, body, status) => {
    const query = (token: string) =>
      fetch(http.url + path, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
    expect((await query(http.token)).status).toBe(status);
    expect((await query(http.readerToken)).status).toBe(403);
  });
});
