import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { hashPair, hashToken, newToken, permissionTable, type TokenMatch } from '@switchyard/tenancy';
import { createIssuedTokens } from '../../keys/issued-tokens.js';
import { createRateLimits } from '../caller/rate-limits.js';
import { readRateSettings } from '../../main/settings/rate-settings.js';
import { readSettings } from '../../main/settings/settings.js';
import { now, openHttpHarness, type HttpHarness } from '../../main/testkit/http-harness.js';

const usualRates = readRateSettings(readSettings({}).settings);

const clock = { now: () => now, after: () => () => undefined };
const principal = {
  id: '00000000-0000-4000-8000-000000000201',
  organizationId: '00000000-0000-4000-8000-000000000002',
  name: 'agency',
  kind: 'buyer' as const,
  permissions: permissionTable,
  transitional: true,
  legacy: true,
};
const password = newToken(Buffer.alloc(32, 21)).text;
const pairHash = hashPair(principal.id, password);
const match: TokenMatch = {
  principal,
  token: {
    id: 't',
    principalId: principal.id,
    scheme: 'basic',
    hash: pairHash,
    label: 'spec',
    createdAt: 0,
    expiresAt: now + 1_000,
  },
};
const issuer = 'https://login.example';
const audience = 'https://switchyard.example';

let http: HttpHarness;
let jwt: (claims?: {
  readonly sub?: string;
  readonly exp?: number;
  readonly iss?: string;
}) => Promise<string>;

beforeAll(async () => {
  const pair = await generateKeyPair('EdDSA', { extractable: true });
  const jwk = { ...(await exportJWK(pair.publicKey)), kid: 'k1', alg: 'EdDSA', use: 'sig' };
  jwt = ({ sub = 'agent-7', exp = now / 1_000 + 60, iss = issuer } = {}) =>
    new SignJWT({})
      .setProtectedHeader({ alg: 'EdDSA', kid: 'k1' })
      .setIssuer(iss)
      .setAudience(audience)
      .setSubject(sub)
      .setIssuedAt(now / 1_000)
      .setExpirationTime(exp)
      .sign(pair.privateKey);
  const trusted = {
    issuer,
    audience: [audience],
    algorithms: ['EdDSA'],
    keys: { kind: 'document' as const, jwks: { keys: [jwk] } },
  };
  http = await openHttpHarness(
    {},
    {
      identities: (kind, by, subjects) =>
        kind === 'jwt' && by === issuer && subjects.includes('agent-7')
          ? [{ principal, createdAt: 0, isProved: false }]
          : [],
      clock,
      principals: {
        find: () => Promise.resolve(undefined),
        findByTokenHash: (hash) => Promise.resolve(hash.equals(pairHash) ? match : undefined),
        issueToken: () => Promise.reject(new Error('No session is opened here.')),
        revokeToken: () => Promise.resolve(false),
        noteUse: () => Promise.resolve(),
      },
      issuedTokens: createIssuedTokens(
        [trusted],
        { request: () => Promise.reject(new Error('not asked')) },
        clock,
      ),
    },
  );
});
afterAll(() => http.close());
beforeEach(() => {
  http.calls.length = 0;
});

const basic = (user: string, secret: string): string =>
  `Basic ${Buffer.from(`${user}:${secret}`, 'utf8').toString('base64')}`;
const rooms = [
  {
    name: 'MCP',
    path: '/mcp',
    body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'get_products', arguments: {} } },
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
  { name: 'REST', path: '/v1/tasks/get_products', body: {} },
] as const;

describe.each(rooms)('over $name', ({ path, body }) => {
  const send = (authorization: string) => http.post(path, body, { authorization });

  it('a name and a password authenticate only their own principal', async () => {
    expect((await send(basic(principal.id, password))).status).toBe(200);
    expect(http.calls.map(({ caller }) => caller)).toMatchObject([{ name: 'agency' }]);
    for (const [user, secret] of [
      [principal.id, newToken(Buffer.alloc(32, 22)).text],
      ['00000000-0000-4000-8000-000000000202', password],
      [principal.id, ''],
      ['', password],
    ] as const) {
      const answer = await send(basic(user, secret));
      expect([answer.status, (await answer.json()) as object]).toMatchObject([
        401,
        { error: { code: 'AUTH_INVALID' } },
      ]);
      expect(answer.headers.get('www-authenticate')).toContain('Basic realm="switchyard"');
    }
    // The secret of a pair is no bearer token: they are hashed apart.
    expect(hashToken(password).equals(pairHash)).toBe(false);
    expect((await send(`Bearer ${password}`)).status).toBe(401);
    expect(http.calls).toHaveLength(1);
  });

  it('a token of a trusted issuer authenticates the principal of its subject', async () => {
    expect((await send(`Bearer ${await jwt()}`)).status).toBe(200);
    expect(http.calls.map(({ caller }) => caller)).toMatchObject([{ name: 'agency' }]);
    for (const token of [
      await jwt({ sub: 'agent-8' }),
      await jwt({ exp: now / 1_000 - 120 }),
      await jwt({ iss: 'https://other.example' }),
      `${await jwt()}x`,
    ]) {
      const answer = await send(`Bearer ${token}`);
      expect([answer.status, await answer.json()]).toMatchObject([401, { error: { code: 'AUTH_INVALID' } }]);
    }
    expect(http.calls).toHaveLength(1);
  });
});

describe('guessing', () => {
  it('is limited: after too many invalid credentials an address gets 429 with a retry time', async () => {
    const rates = createRateLimits({ ...usualRates, failures: { perSecond: 1, burst: 3 } }, clock);
    const strict = await openHttpHarness({}, { clock, rates });
    const wrong = { authorization: `Bearer ${newToken(Buffer.alloc(32, 23)).text}` };
    const received: number[] = [];
    for (const { path, body } of [...rooms, ...rooms]) {
      const answer = await strict.post(path, body, wrong);
      received.push(answer.status);
      if (answer.status === 429) expect(answer.headers.get('retry-after')).toBe('1');
    }
    expect(received).toEqual([401, 401, 401, 429, 429, 429]);
    // Who holds something that is good is not kept out by others at the same address.
    const good = { authorization: `Bearer ${strict.token}` };
    expect((await strict.post('/v1/tasks/get_products', {}, good)).status).toBe(200);
    await strict.close();
  });
});
