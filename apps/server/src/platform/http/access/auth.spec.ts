import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { openHttpHarness, taskReply } from '../../../main/testkit/http-harness.js';

const http = await openHttpHarness();
afterAll(() => http.close());
beforeEach(() => {
  http.calls.length = 0;
  http.answerWith(() => taskReply({ products: [] }));
});

const call = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'get_products', arguments: { brief: 'x' } },
};
const a2a = {
  jsonrpc: '2.0',
  id: 1,
  method: 'message/send',
  params: { message: { parts: [{ kind: 'data', data: { skill: 'get_products', parameters: {} } }] } },
};
const rooms = [
  { name: 'MCP', path: '/mcp', body: call },
  { name: 'A2A', path: '/a2a', body: a2a },
  { name: 'REST', path: '/v1/tasks/get_products', body: { brief: 'x' } },
] as const;

describe.each(rooms)('authentication over $name', ({ path, body }) => {
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

  it('accepts a known token for its principal and its tenant', async () => {
    const answer = await http.post(path, body, bearer(http.token));
    expect(answer.status).toBe(200);
    expect(http.calls[0]?.caller).toMatchObject({
      kind: 'principal',
      name: 'principal 1',
      organizationId: '00000000-0000-4000-8000-000000000002',
    });
  });

  it('refuses everybody of an organization that is closed before its deletion, and nobody else', async () => {
    http.closed.add('00000000-0000-4000-8000-000000000002');
    expect((await http.post(path, body)).status).toBe(200);
    http.calls.length = 0;
    const refused = await http.post(path, body, bearer(http.token));
    expect([refused.status, http.calls]).toEqual([403, []]);
    http.closed.clear();
    expect(await refused.text()).toContain('ACCOUNT_SUSPENDED');
    expect((await http.post(path, body, bearer(http.token))).status).toBe(200);
  });

  it('treats a caller without a credential as public', async () => {
    await http.post(path, body);
    expect(http.calls[0]?.caller).toEqual({
      kind: 'public',
      organizationId: '00000000-0000-4000-8000-000000000001',
      address: '127.0.0.1',
    });
  });

  it.each([
    ['an unknown token', () => bearer(http.token.replace(/.$/, 'x'))],
    ['a text that is no token', () => bearer('letmein')],
    ['an expired token', () => bearer(http.expiredToken)],
    ['another scheme', () => ({ authorization: 'Basic dXNlcjpwYXNz' })],
    ['an empty credential', () => ({ authorization: 'Bearer ' })],
  ])('refuses %s, and never treats it as public', async (_what, headers) => {
    const answer = await http.post(path, body, headers());
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toBe(
      'Bearer realm="switchyard", error="invalid_token", Basic realm="switchyard", charset="UTF-8"',
    );
    expect(await answer.json()).toMatchObject({ error: { code: 'AUTH_INVALID' } });
    expect(http.calls).toHaveLength(0);
  });

  it.each([
    ['Signature', { signature: 'sig1=:AA==:' }],
    ['Signature-Input', { 'signature-input': 'sig1=("@method");created=1' }],
  ])('refuses %s without its other half, with any credential beside it', async (_half, half) => {
    const answer = await http.post(path, body, { ...bearer(http.token), ...half });
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toBe(
      'Signature error="request_signature_header_malformed"',
    );
    expect(http.calls).toHaveLength(0);
  });

  it('reports a missing credential if the task needs one', async () => {
    http.answerWith(() =>
      taskReply(
        { errors: [{ code: 'AUTH_REQUIRED', message: 'This request needs credentials.' }] },
        {
          isError: true,
          status: 'failed',
          httpStatus: 401,
          errors: [{ code: 'AUTH_REQUIRED', message: 'This request needs credentials.' }],
        },
      ),
    );
    const answer = await http.post(path, body);
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toBe(
      'Bearer realm="switchyard", Basic realm="switchyard", charset="UTF-8"',
    );
    expect(await answer.json()).toMatchObject({
      error: { code: 'AUTH_REQUIRED' },
      errors: [{ code: 'AUTH_REQUIRED' }],
    });
  });
});

describe('a request that needs a credential', () => {
  it('is refused without one with one error object, and the accepted schemes', async () => {
    const answer = await fetch(`${http.url}/v1/sellers`);
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([
      401,
      'Bearer realm="switchyard", Basic realm="switchyard", charset="UTF-8"',
    ]);
    const { error } = (await answer.json()) as { readonly error: unknown };
    expect(error).toEqual({ code: 'AUTH_REQUIRED', message: expect.any(String) });
  });
});

describe('a task that requires a signature', () => {
  it('is refused with the challenge of signatures', async () => {
    const errors = [{ code: 'request_signature_required', message: 'Sign this request.' }];
    http.answerWith(() => taskReply({ errors }, { isError: true, httpStatus: 401, errors }));
    const answer = await http.post('/mcp', call, { authorization: `Bearer ${http.token}` });
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([
      401,
      'Signature error="request_signature_required"',
    ]);
    expect(await answer.json()).toMatchObject({ error: { code: 'request_signature_required' } });
  });
});

describe('the aliases of the credential header', () => {
  it.each(['x-ads-auth', 'x-adcp-auth'])('accepts %s as a bearer token over MCP', async (alias) => {
    await http.post('/mcp', call, { [alias]: http.token });
    expect(http.calls[0]?.caller).toMatchObject({ kind: 'principal', name: 'principal 1' });
  });

  it('accepts an alias with the value of Authorization', async () => {
    const headers = { authorization: `Bearer ${http.token}`, 'x-adcp-auth': http.token };
    expect((await http.post('/mcp', call, headers)).status).toBe(200);
  });

  it('refuses an alias that contradicts Authorization', async () => {
    const pair = Buffer.from(`user:${http.token}`).toString('base64');
    for (const headers of [
      { authorization: `Bearer ${http.token}`, 'x-ads-auth': http.readerToken },
      { authorization: `Basic ${pair}`, 'x-ads-auth': http.token },
      { 'x-ads-auth': http.token, 'x-adcp-auth': http.readerToken },
      { authorization: `Bearer ${http.token}`, 'x-adcp-auth': '' },
      { 'x-ads-auth': `Basic ${pair}` },
    ]) {
      const answer = await http.post('/mcp', call, headers);
      expect([headers, answer.status]).toEqual([headers, 401]);
      expect(await answer.json()).toMatchObject({ error: { code: 'AUTH_INVALID' } });
    }
    expect(http.calls).toHaveLength(0);
  });

  it('are never advertised, neither in a challenge nor in the card', async () => {
    const refused = await http.post('/mcp', call, { authorization: 'Bearer letmein' });
    const card = await fetch(`${http.url}/.well-known/agent-card.json`);
    const received = `${refused.headers.get('www-authenticate') ?? ''} ${await refused.text()} ${await card.text()}`;
    expect(received).toMatch(/bearerAuth/);
    expect(received).not.toMatch(/x-(ads|adcp)-auth/i);
  });

  it('do not allow a credential in the address either', async () => {
    for (const { path, body } of rooms)
      await http.post(`${path}?access_token=${http.token}&token=${http.token}`, body);
    expect(http.calls.map(({ caller }) => caller.kind)).toEqual(['public', 'public', 'public']);
  });

  it.each(['/a2a', '/v1/tasks/get_products'])('accepts no alias on %s', async (path) => {
    await http.post(path, path === '/a2a' ? a2a : {}, { 'x-ads-auth': http.token });
    expect(http.calls[0]?.caller.kind).toBe('public');
  });
});

describe('the permissions of a principal', () => {
  it('refuse an operation that they do not name', async () => {
    const answer = await fetch(`${http.url}/v1/ledger/spend`, {
      headers: { authorization: `Bearer ${http.readerToken}` },
    });
    expect(answer.status).toBe(403);
    expect(await answer.json()).toMatchObject({ errors: [{ code: 'INSUFFICIENT_PERMISSIONS' }] });
  });

  it('refuse every operation to the public', async () => {
    for (const path of [
      'sellers',
      'buys',
      'buys/x',
      'ledger/spend',
      'ledger/verify',
      'ledger/entries/x',
      'ledger/export',
      'credentials',
      'instance',
      'events',
    ]) {
      const answer = await fetch(`${http.url}/v1/${path}`);
      expect([path, answer.status]).toEqual([path, 401]);
    }
  });

  it('let the admin secret issue a token', async () => {
    const answer = await http.post('/v1/tokens', {}, { authorization: `Bearer ${http.adminSecret}` });
    expect(await answer.json()).toEqual({
      url: http.url,
      mcp_url: `${http.url}/mcp`,
      a2a_url: `${http.url}/a2a`,
      token: 'sy_minted',
      principal: 'local',
      expires_at: '2026-11-21T12:00:00.000Z',
    });
  });

  it('let the admin secret do nothing else', async () => {
    const headers = { authorization: `Bearer ${http.adminSecret}` };
    expect((await fetch(`${http.url}/v1/sellers`, { headers })).status).toBe(401);
    expect((await http.post('/mcp', call, headers)).status).toBe(401);
  });

  it('issue no token for a principal without permission to write principals', async () => {
    const answer = await http.post('/v1/tokens', {}, { authorization: `Bearer ${http.readerToken}` });
    expect(answer.status).toBe(403);
  });
});

describe('published heads', () => {
  const organization = '00000000-0000-4000-8000-000000000001';
  const heads = (id: string) => fetch(`${http.url}/.well-known/switchyard/heads/${id}`);

  it('are public, and contain only what was signed', async () => {
    const answer = await heads(organization);
    expect([answer.status, await answer.json()]).toEqual([
      200,
      {
        organization_id: organization,
        anchors: [
          {
            number: '3',
            hash: 'a'.repeat(64),
            made_at: '2026-11-24T00:00:00.000Z',
            jws: 'e.e.e',
            key: { kid: 'k1', kty: 'OKP', crv: 'Ed25519', x: 'public' },
          },
        ],
      },
    ]);
  });

  it('do not distinguish an organization without any from an unknown one', async () => {
    for (const id of ['00000000-0000-4000-8000-000000000002', 'nobody'])
      expect((await heads(id)).status).toBe(404);
  });

  it.each([`switchyard/heads/${organization}`, 'jwks.json', 'switchyard/retired-keys.json'])(
    'are limited per address like requests without credentials, and so are the keys: %s',
    async (document) => {
      const taken: string[] = [];
      const refusal = { retryAfter: 7, limit: 1, windowSeconds: 1 };
      const take = (who: string, kind: string) => {
        taken.push(`${kind} ${who}`);
        return refusal;
      };
      const limited = await openHttpHarness({}, { rates: { take, giveBack: () => undefined } });
      const answer = await fetch(`${limited.url}/.well-known/${document}`);
      await limited.close();
      expect([answer.status, answer.headers.get('retry-after'), taken]).toEqual([
        429,
        '7',
        ['read address:127.0.0.1'],
      ]);
    },
  );
});
