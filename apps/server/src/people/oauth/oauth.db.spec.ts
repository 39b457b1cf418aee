import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, describe, expect, it, jest } from '@jest/globals';
import { UnauthorizedError, type OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { OAuthClientInformationMixed, OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import pg from 'pg';
import { expandScopes, usualScopes } from '@switchyard/tenancy';
import { callback, newVerifier, oauthKit, shownForm } from '@switchyard/testing';
import { startRunning } from '../sign-in/testkit/running.js';
import { lifetimes, unusedClientMs } from './provider-options.js';
import { refreshGraceMs } from './refresh-successor.js';

const running = await startRunning({ SWITCHYARD_RATE_PUBLIC: '1000/10000' });
const { server, admin } = running;
const {
  person,
  call,
  register,
  clientId,
  authorization,
  requestCode,
  exchange,
  redeem,
  refresh,
  tokensOf,
  newBrowser,
} = oauthKit({ url: server.url, admin });

afterEach(() => {
  jest.restoreAllMocks();
});
afterAll(() => running.stop());

/** What the SDK asks of a program that signs its person in. */
class Program implements OAuthClientProvider {
  readonly redirectUrl = callback;
  readonly clientMetadata = { client_name: 'Desktop <b>assistant</b>', redirect_uris: [callback] };
  readonly state = (): string => 'a state of the program';
  client: OAuthClientInformationMixed | undefined;
  held: OAuthTokens | undefined;
  verifier = '';
  address: URL | undefined;
  readonly clientInformation = () => this.client;
  readonly saveClientInformation = (client: OAuthClientInformationMixed) => void (this.client = client);
  readonly tokens = () => this.held;
  readonly saveTokens = (tokens: OAuthTokens) => void (this.held = tokens);
  readonly saveCodeVerifier = (verifier: string) => void (this.verifier = verifier);
  readonly codeVerifier = () => this.verifier;
  readonly redirectToAuthorization = (address: URL) => void (this.address = address);
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

const me = (token: string): Promise<Response> =>
  call('GET', '/v1/me', undefined, { authorization: `Bearer ${token}` });

async function expectFault(answer: Response, error: string): Promise<void> {
  expect({ status: answer.status, ...((await answer.json()) as object) }).toMatchObject({
    status: 400,
    error,
  });
}

describe('a program that knows only the address', () => {
  it('discovers, registers, lets its person sign in, and calls with that person’s permissions', async () => {
    const ada = await person();
    const program = new Program();
    const transport = () =>
      new StreamableHTTPClientTransport(new URL('/mcp', server.url), { authProvider: program });
    const query = async (through = transport()) => {
      const client = new Client({ name: 'program', version: '1' });
      await client.connect(through);
      return client;
    };
    const first = transport();
    const stranger = await query(first);
    await expect(stranger.callTool({ name: 'get_media_buys', arguments: {} })).rejects.toThrow(
      UnauthorizedError,
    );
    const browser = newBrowser();
    const back = await browser.consent(program.address ?? '', ada.token);
    expect([back.origin + back.pathname, back.searchParams.get('state')]).toEqual([
      callback,
      program.state(),
    ]);
    // RFC 9207: who has answered stands in the answer, against mix-up.
    expect(back.searchParams.get('iss')).toBe(server.url);
    await first.finishAuth(back.searchParams.get('code') ?? '');
    const held = program.held?.access_token ?? '';
    expect(decodeProtectedHeader(held)).toMatchObject({ alg: 'ES256', typ: 'at+jwt' });
    expect(decodeJwt(held)).toMatchObject({
      iss: server.url,
      aud: `${server.url}/mcp`,
      scope: usualScopes.join(' '),
    });

    const client = await query();
    const listed = await client.callTool({ name: 'get_media_buys', arguments: {} });
    expect(listed.isError ?? false).toBe(false);
    // Ada may read. That her program may write for her gives her nothing more.
    const refused = await client.callTool({
      name: 'sync_creatives',
      arguments: { account: { account_id: 'x' }, creatives: [], idempotency_key: randomUUID() },
    });
    expect(JSON.stringify(refused)).toMatch(/PERMISSION/);
    await client.close();
    await stranger.close();
  });

  it('reads in the metadata: only S256, no client credentials, and the server of each resource', async () => {
    const server_ = (await (await call('GET', '/.well-known/oauth-authorization-server')).json()) as object;
    expect(server_).toMatchObject({
      issuer: server.url,
      registration_endpoint: `${server.url}/oauth/register`,
      code_challenge_methods_supported: ['S256'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      response_types_supported: ['code'],
      token_endpoint_auth_methods_supported: ['none'],
      authorization_response_iss_parameter_supported: true,
    });
    for (const path of ['/mcp', '/a2a', '/v1']) {
      const resource = await call('GET', `/.well-known/oauth-protected-resource${path}`);
      expect(await resource.json()).toMatchObject({
        resource: server.url + path,
        authorization_servers: [server.url],
        scopes_supported: usualScopes,
      });
    }
    const rest = await (await call('GET', '/.well-known/oauth-protected-resource/v1')).json();
    expect(await (await call('GET', '/.well-known/oauth-protected-resource/api')).json()).toEqual(rest);
    for (const path of ['oauth-authorization-server/', 'openid-configuration', 'openid-configuration/'])
      expect(await (await call('GET', `/.well-known/${path}`)).json()).toEqual(server_);
    const refused = await call('GET', '/v1/me');
    expect(refused.headers.get('www-authenticate')).toContain(
      `resource_metadata="${server.url}/.well-known/oauth-protected-resource/v1"`,
    );
    const form = { grant_type: 'client_credentials', client_id: await clientId() };
    await expectFault(await exchange(form), 'unsupported_grant_type');
  });

  it('is shown to the person as text, on a page without scripts whose form goes to one other place', async () => {
    const ada = await person();
    const browser = newBrowser();
    await browser.signIn(ada.token);
    const name = '<script>alert(1)</script>\u202Egnp.exe';
    const client = await clientId({
      client_name: name,
      redirect_uris: ['com.example.cursor://callback/done'],
    });
    const address = authorization(client, newVerifier(), {
      redirect_uri: 'com.example.cursor://callback/done',
    });
    const { page } = await browser.follow(address);
    const html = (await page?.text()) ?? '';
    expect(html).toContain('&#60;script&#62;alert(1)&#60;/script&#62;gnp.exe');
    expect(html).not.toMatch(/<script|\u202E/);
    expect(page?.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-[^' ]+'; base-uri 'none'; frame-ancestors 'none'; form-action 'self' com\.example\.cursor:$/,
    );
  });
});

describe('a token', () => {
  it('is valid only at its own resource, and never at the relay', async () => {
    const ada = await person();
    const { access_token: token } = await tokensOf(
      await requestCode(ada.token, { resource: `${server.url}/a2a` }),
    );
    const auth = { authorization: `Bearer ${token}` };
    expect((await me(token)).status).toBe(401);
    expect((await call('POST', '/mcp', { jsonrpc: '2.0', id: 1, method: 'ping' }, auth)).status).toBe(401);
    expect((await call('POST', '/relay/prompt/mcp', {}, auth)).status).toBe(401);
  });

  it('is refused for a resource that is not ours', async () => {
    const elsewhere = { resource: 'https://seller.example/mcp' };
    const { page } = await newBrowser().follow(authorization(await clientId(), newVerifier(), elsewhere));
    expect([page?.status, await page?.text()]).toEqual([400, expect.stringContaining('invalid_target')]);
  });

  it('expires at its time', async () => {
    const ada = await person();
    const { access_token: token } = await tokensOf(await requestCode(ada.token));
    expect((await me(token)).status).toBe(200);
    const now = Date.now();
    jest.spyOn(Date, 'now').mockImplementation(() => now + (lifetimes.AccessToken + 10) * 1000);
    const late = await me(token);
    expect([late.status, JSON.stringify(await late.json())]).toEqual([
      401,
      expect.stringContaining('expired'),
    ]);
  });

  it('is listed only for its person, who can end it at once', async () => {
    const [ada, bob] = [await person(), await person()];
    const requested = await requestCode(ada.token);
    const held = await tokensOf(requested);
    const asPerson = async ({ token }: { readonly token: string }) => {
      const opened = await call('POST', '/v1/session', { token });
      const cookie = (opened.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
      return (method: string, path: string) =>
        call(method, path, undefined, { cookie, 'x-switchyard-console': '1' });
    };
    const [byAda, byBob] = [await asPerson(ada), await asPerson(bob)];
    const listed = async (by: typeof byAda) =>
      ((await (await by('GET', '/v1/me/programs')).json()) as { programs: { program_id: string }[] })
        .programs;
    const [program, ...others] = await listed(byAda);
    expect([others, await listed(byBob)]).toEqual([[], []]);
    expect(program).toMatchObject({
      name: 'A program',
      client_id: requested.client,
      access: [{ resource: `${server.url}/v1`, scopes: expandScopes('read') }],
    });
    const path = `/v1/me/programs/${program?.program_id ?? ''}`;
    expect((await byBob('DELETE', path)).status).toBe(404);
    expect((await me(held.access_token)).status).toBe(200);
    expect((await byAda('DELETE', path)).status).toBe(200);
    expect((await me(held.access_token)).status).toBe(401);
    await expectFault(await refresh(requested.client, held.refresh_token), 'invalid_grant');
  });

  it('ends at once when its program revokes it, when its person is disabled, and with the token of its person', async () => {
    const [ada, bob, cid] = [await person(), await person(), await person()];
    const requested = await requestCode(ada.token);
    const held = await tokensOf(requested);
    const revoked = await fetch(`${server.url}/oauth/revoke`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ token: held.refresh_token, client_id: requested.client }).toString(),
    });
    expect([revoked.status, (await me(held.access_token)).status]).toEqual([200, 401]);

    const bobs = await tokensOf(await requestCode(bob.token));
    expect(
      (await call('DELETE', `/v1/principals/${encodeURIComponent(bob.name)}`, undefined, admin)).status,
    ).toBe(200);
    expect((await me(bobs.access_token)).status).toBe(401);

    const asking = await requestCode(cid.token);
    const cids = await tokensOf(asking);
    await call('DELETE', `/v1/tokens/${cid.tokenId}`, undefined, admin);
    expect((await me(cids.access_token)).status).toBe(401);
    await expectFault(await refresh(asking.client, cids.refresh_token), 'invalid_grant');
  });

  it('ends when the password of its person changes', async () => {
    const ada = await person();
    const opened = await call('POST', '/v1/session', { token: ada.token });
    const cookie = (opened.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    const email = `${ada.tokenId}@agency.example`;
    const set = async (body: object, by = cookie) =>
      (await call('POST', '/v1/me/password', { email, ...body }, { cookie: by, 'x-switchyard-console': '1' }))
        .status;
    const requested = await requestCode(ada.token);
    const held = await tokensOf(requested);
    expect(await set({ password: 'correct horse battery' })).toBe(200);
    expect((await me(held.access_token)).status).toBe(200);
    const again = await call('POST', '/v1/session', { email, password: 'correct horse battery' });
    const next = (again.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    const other = { password: 'another horse battery', current_password: 'correct horse battery' };
    expect(await set(other, next)).toBe(200);
    expect((await me(held.access_token)).status).toBe(401);
    await expectFault(await refresh(requested.client, held.refresh_token), 'invalid_grant');
  });

  it('limits its program to its scopes, with any permissions of its person', async () => {
    const operator = await server.issueToken();
    const { access_token: reader } = await tokensOf(await requestCode(operator));
    const client = (token: string, name: string) =>
      call('POST', '/v1/clients', { name }, { authorization: `Bearer ${token}` });
    expect((await client(reader, 'Nova')).status).toBe(403);
    const { access_token: writer } = await tokensOf(await requestCode(operator, { scope: 'read write' }));
    expect((await client(writer, 'Nova')).status).toBe(201);
    const own = await call(
      'POST',
      '/v1/principals/operator/tokens',
      {},
      { authorization: `Bearer ${writer}` },
    );
    expect(own.status).toBe(403);
  });

  it('has no more permissions than the token that its person has signed in with', async () => {
    const { name } = await person();
    const minted = await call(
      'POST',
      `/v1/principals/${encodeURIComponent(name)}/tokens`,
      { permissions: { products: ['read'] } },
      admin,
    );
    const { token: narrow } = (await minted.json()) as { token: string };
    const { access_token: token } = await tokensOf(await requestCode(narrow, { scope: 'read write' }));
    expect(await (await me(token)).json()).toMatchObject({ name, permissions: { products: ['read'] } });
    expect((await call('GET', '/v1/clients', undefined, { authorization: `Bearer ${token}` })).status).toBe(
      403,
    );
  });

  it('of another issuer, or changed, is refused', async () => {
    const ada = await person();
    const { access_token: token } = await tokensOf(await requestCode(ada.token));
    const [header = '', body = '', signature = ''] = token.split('.');
    const claims = { ...decodeJwt(token) };
    const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    expect((await me(`${header}.${encoded({ ...claims, scope: 'write' })}.${signature}`)).status).toBe(401);
    expect(
      (await me(`${header}.${encoded({ ...claims, iss: 'https://evil.example' })}.${signature}`)).status,
    ).toBe(401);
    expect((await me(`${encoded({ alg: 'none', typ: 'at+jwt' })}.${body}.`)).status).toBe(401);
  });
});

describe('a code', () => {
  it('is valid once: a second use revokes its token', async () => {
    const requested = await requestCode((await person()).token);
    const { access_token: token } = await tokensOf(requested);
    await expectFault(await redeem(requested), 'invalid_grant');
    expect((await me(token)).status).toBe(401);
  });

  it('is exchanged by one of several simultaneous requests, and then by none', async () => {
    const requested = await requestCode((await person()).token);
    const answers = await Promise.all(Array.from({ length: 6 }, () => redeem(requested)));
    expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
    for (const answer of answers) {
      const { access_token: token } = (await answer.json()) as { access_token?: string };
      if (token !== undefined) expect((await me(token)).status).toBe(401);
    }
  });

  it('is invalid for another client, and with another verifier', async () => {
    const ada = await person();
    const requested = await requestCode(ada.token);
    await expectFault(await redeem({ ...requested, client: await clientId() }), 'invalid_grant');
    const again = await requestCode(ada.token);
    await expectFault(await redeem({ ...again, verifier: newVerifier() }), 'invalid_grant');
  });
});

describe('a refresh token', () => {
  const at = (ms: number) => {
    const now = Date.now();
    jest.spyOn(Date, 'now').mockImplementation(() => now + ms);
  };
  const answered = async (answer: Response) => (await answer.json()) as Awaited<ReturnType<typeof tokensOf>>;

  it('is exchanged for the next one, and the use of an old one after a minute ends the whole family', async () => {
    const requested = await requestCode((await person()).token);
    const first = await tokensOf(requested);
    const next = await answered(await refresh(requested.client, first.refresh_token));
    expect((await me(next.access_token)).status).toBe(200);
    at(refreshGraceMs + 1000);
    await expectFault(await refresh(requested.client, first.refresh_token), 'invalid_grant');
    await expectFault(await refresh(requested.client, next.refresh_token), 'invalid_grant');
    expect((await me(next.access_token)).status).toBe(401);
  });

  it('that many requests use at one moment, in two processes, is answered with one successor, which works', async () => {
    const requested = await requestCode((await person()).token);
    const first = await tokensOf(requested);
    const { listensAt } = await running.startBeside();
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, turn) =>
        refresh(requested.client, first.refresh_token, turn % 2 === 0 ? server.url : listensAt),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    const told = await Promise.all(answers.map(answered));
    const [next = '', ...others] = new Set(told.map(({ refresh_token: token }) => token));
    expect([others, next === first.refresh_token]).toEqual([[], false]);
    for (const { access_token: token } of told) expect((await me(token)).status).toBe(200);
    expect((await refresh(requested.client, next)).status).toBe(200);
  });

  it('that was used within the minute gives the same successor again, and nothing of it is stored in clear', async () => {
    const requested = await requestCode((await person()).token);
    const first = await tokensOf(requested);
    const next = await answered(await refresh(requested.client, first.refresh_token));
    at(refreshGraceMs - 5000);
    const again = await answered(await refresh(requested.client, first.refresh_token));
    expect(again.refresh_token).toBe(next.refresh_token);
    const owner = new pg.Client({ connectionString: running.database.ownerUrl });
    await owner.connect();
    const { rows } = await owner.query('select model, id, payload::text from oauth_artifact');
    await owner.end();
    expect(JSON.stringify(rows)).not.toContain(next.refresh_token);
  });

  it('is not told again once its person has ended the grant', async () => {
    const requested = await requestCode((await person()).token);
    const first = await tokensOf(requested);
    await refresh(requested.client, first.refresh_token);
    const form = { token: first.refresh_token, client_id: requested.client };
    await fetch(`${server.url}/oauth/revoke`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(form).toString(),
    });
    await expectFault(await refresh(requested.client, first.refresh_token), 'invalid_grant');
  });
});

describe('a request for authorization', () => {
  it.each([
    ['a plain challenge', { code_challenge_method: 'plain' }],
    ['no challenge', { code_challenge: '', code_challenge_method: '' }],
    ['the implicit flow', { response_type: 'token' }],
  ])('is refused with %s', async (_what, more) => {
    const { url, page } = await newBrowser().follow(authorization(await clientId(), newVerifier(), more));
    expect([url.pathname, page?.status]).toEqual(['/oauth/authorize', 400]);
    expect(await page?.text()).toMatch(/invalid_request|unsupported_response_type|unauthorized_client/);
  });

  it.each([
    ['it asks for no page', { prompt: 'none' }],
    ['its answer is to be posted', { prompt: 'none', response_mode: 'form_post' }],
    ['its resource is not ours', { resource: 'https://evil.example' }],
    ['it is wrong, with an answer behind #', { code_challenge: '', response_mode: 'fragment' }],
  ])('redirects nowhere before a person has answered, even if %s', async (_what, more) => {
    const { url, page } = await newBrowser().follow(authorization(await clientId(), newVerifier(), more));
    expect([url.pathname, page?.status]).toEqual(['/oauth/authorize', 400]);
    expect(await page?.text()).not.toContain('<form');
  });

  it('never redirects to an address that its client has not registered', async () => {
    const address = authorization(await clientId(), newVerifier(), {
      redirect_uri: 'https://evil.example/cb',
    });
    const { url, page } = await newBrowser().follow(address);
    expect([url.pathname, page?.status]).toEqual(['/oauth/authorize', 400]);
  });

  it('gives nothing to an ended session, nor to a person who signs in meanwhile', async () => {
    const [ada, bob] = [await person(), await person()];
    const browser = newBrowser();
    await browser.signIn(ada.token);
    const at = await browser.follow(authorization(await clientId(), newVerifier()));
    await call('DELETE', `/v1/tokens/${ada.tokenId}`, undefined, admin);
    const ended = await browser.open(at.url, { answer: 'allow' });
    expect(ended.headers.get('location')).toBe(`/sign-in?return_to=${encodeURIComponent(at.url.pathname)}`);
    await browser.signIn(bob.token);
    const posted = await browser.open(at.url, { answer: 'allow' });
    const { url } = await browser.follow(posted.headers.get('location') ?? '');
    expect([url.searchParams.get('code'), url.searchParams.get('error')]).toEqual([null, 'access_denied']);
  });

  it('gives nothing when the person refuses, or when another browser sends the answer', async () => {
    const ada = await person();
    const client = await clientId();
    const no = await newBrowser().consent(authorization(client, newVerifier()), ada.token, 'deny');
    expect(no.searchParams.get('error')).toBe('access_denied');
    const [one, other] = [newBrowser(), newBrowser()];
    await one.signIn(ada.token);
    await other.signIn(ada.token);
    const at = await one.follow(authorization(client, newVerifier()));
    expect((await other.open(at.url, { answer: 'allow' })).status).toBe(400);
  });

  it('ignores its Host header: metadata names our address', async () => {
    const path = '/.well-known/oauth-authorization-server';
    const spoofed = { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' };
    const received = JSON.stringify(await (await call('GET', path, undefined, spoofed)).json());
    expect(received).not.toContain('evil.example');
  });
});

describe('the page of consent', () => {
  /** A browser at the page, whose person has these permissions. */
  async function atConsent(scope: string, permissions?: object) {
    const ada = await person(permissions);
    const [client, verifier, browser] = [await clientId(), newVerifier(), newBrowser()];
    const { url, page } = await browser.consentPage(authorization(client, verifier, { scope }), ada.token);
    const html = (await page?.text()) ?? '';
    const answer = (form: URLSearchParams) => browser.open(url, form);
    const tokens = async (form: URLSearchParams) => {
      const { url: to } = await browser.follow((await answer(form)).headers.get('location') ?? '');
      return tokensOf({ client, verifier, code: to.searchParams.get('code') ?? '' });
    };
    return { ada, html, client, answer, tokens };
  }
  const filled = (html: string, change: (form: URLSearchParams) => void = () => undefined) => {
    const form = shownForm(html);
    form.set('answer', 'allow');
    change(form);
    return form;
  };
  const buying = { media_buys: ['read', 'write'], products: ['read'] };

  it('offers each scope by itself, and the token has those that the person leaves chosen', async () => {
    const { html, tokens } = await atConsent('read write', buying);
    expect(shownForm(html).getAll('scope')).toEqual(usualScopes);
    const held = await tokens(
      filled(html, (form) => {
        form.delete('scope');
        form.append('scope', 'market:read');
        form.append('scope', 'buys:read');
        // What the program has not asked for cannot be given by it either.
        form.append('scope', 'ledger:write');
      }),
    );
    expect(decodeJwt(held.access_token)['scope']).toBe('market:read buys:read');
    const shown = (await (await me(held.access_token)).json()) as object;
    expect(shown).toMatchObject({ permissions: { media_buys: ['read'], products: ['read'] } });
  });

  it('gives nothing when nothing is chosen', async () => {
    const { html, answer } = await atConsent('read');
    const none = await answer(filled(html, (form) => form.delete('scope')));
    expect([none.status, await none.text()]).toEqual([
      400,
      expect.stringContaining('Choose what the program'),
    ]);
  });

  it('asks for a limit only if the program could buy, and offers the currency of the organization', async () => {
    const { html } = await atConsent('read write', buying);
    expect(Object.fromEntries(shownForm(html))).toMatchObject({ limit_amount: '1000', limit_per: 'month' });
    expect(shownForm(html).get('limit_currency')).toMatch(/^[A-Z]{3}$/);
    for (const [scope, permissions] of [
      ['read', buying],
      ['read write', { media_buys: ['read'] }],
    ] as const) {
      const { html: without } = await atConsent(scope, permissions);
      expect([scope, shownForm(without).has('limit_amount'), without.includes('It cannot buy')]).toEqual([
        scope,
        false,
        true,
      ]);
    }
  });

  it.each([
    ['no amount', { limit_amount: '' }, 'not a decimal number'],
    ['nothing', { limit_amount: '0' }, 'above zero'],
    ['no currency', { limit_currency: 'XXQ' }, 'ISO 4217'],
    [
      'more than the person may spend',
      { limit_amount: '901', limit_currency: 'EUR' },
      'Your own limit is 900 EUR',
    ],
  ])('takes no limit of %s, and keeps what was written', async (_what, fields, why) => {
    const { ada, html, answer } = await atConsent('read write', buying);
    const shown = (await (await call('GET', '/v1/me', undefined, bearer(ada.token))).json()) as {
      principal_id: string;
    };
    const own = { for: `principal:${shown.principal_id}`, amount: '900', currency: 'EUR' };
    expect((await call('POST', '/v1/limits', own, admin)).status).toBe(200);
    const refused = await answer(
      filled(html, (form) => {
        for (const [name, value] of Object.entries(fields)) form.set(name, value);
      }),
    );
    const again = await refused.text();
    expect([refused.status, again]).toEqual([400, expect.stringContaining(why)]);
    expect(Object.fromEntries(shownForm(again))).toMatchObject(fields);
  });

  it('sets the limit of the program, which its person sees with the program, and which ends with it', async () => {
    const { ada, html, client, tokens } = await atConsent('read write', buying);
    await tokens(filled(html, (form) => form.set('limit_amount', '750.50')));
    const opened = await call('POST', '/v1/session', { token: ada.token });
    const cookie = (opened.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    const own = (method: string, path: string) =>
      call(method, path, undefined, { cookie, 'x-switchyard-console': '1' });
    const { programs } = (await (await own('GET', '/v1/me/programs')).json()) as {
      programs: { program_id: string }[];
    };
    expect(programs).toMatchObject([
      { client_id: client, limit: { limit: '750.5', per: 'month', left: '750.5' } },
    ]);
    expect((await own('DELETE', `/v1/me/programs/${programs[0]?.program_id ?? ''}`)).status).toBe(200);
    expect(await (await own('GET', '/v1/me')).json()).toMatchObject({ limits: [] });
  });
});

describe('a registration', () => {
  it.each([
    'http://evil.example/cb',
    'http://127.0.0.1.evil.example/cb',
    'javascript:alert(1)',
    'data:text/html,x',
    'https://user:pass@program.example/cb',
    'https://program.example/cb#fragment',
    'cursor://x/y',
    'com.:/cb',
  ])('is refused with the redirect %s', async (uri) => {
    expect((await register({ redirect_uris: [uri] })).status).toBe(400);
    expect((await register({ redirect_uris: [uri], application_type: 'web' })).status).toBe(400);
  });

  it.each([
    'https://program.example/cb',
    'http://127.0.0.1:9/cb',
    'http://localhost/cb',
    'com.example.program:/cb',
  ])('is accepted with the redirect %s', async (uri) => {
    expect((await register({ redirect_uris: [uri] })).status).toBe(201);
  });

  it('is taken at /register as well, where a client looks that reads no metadata', async () => {
    const answer = await call('POST', '/register', { redirect_uris: ['https://program.example/cb'] });
    expect([answer.status, await answer.json()]).toMatchObject([201, { client_id: expect.any(String) }]);
  });

  it('is refused with a client description of more than 16 KB', async () => {
    expect((await register({ client_name: 'x'.repeat(10_000) })).status).toBe(201);
    expect((await register({ client_name: 'x'.repeat(17_000) })).status).toBe(400);
    const keys = Array.from({ length: 100 }, () => ({ kty: 'RSA', n: 'AQAB'.repeat(40), e: 'AQAB' }));
    expect((await register({ jwks: { keys } })).status).toBe(400);
  });

  it.each(['none', 'client_secret_post', 'client_secret_basic', 'private_key_jwt', undefined])(
    'creates a public client without a secret, also for %s (RFC 7591)',
    async (method) => {
      const answer = await register({ ...(method !== undefined && { token_endpoint_auth_method: method }) });
      const made = (await answer.json()) as object;
      expect([answer.status, made]).toMatchObject([201, { token_endpoint_auth_method: 'none' }]);
      expect(made).not.toHaveProperty('client_secret');
    },
  );

  it('is answered with the scopes and grant types that are given, of those that it asks for', async () => {
    const grant_types = ['authorization_code', 'implicit', 'refresh_token', 'client_credentials'];
    const answer = await register({
      scope: 'read openid mcp:everything',
      grant_types,
      response_types: ['token'],
    });
    expect([answer.status, await answer.json()]).toMatchObject([
      201,
      {
        ...{ scope: 'read openid', response_types: ['code'] },
        grant_types: ['authorization_code', 'refresh_token'],
      },
    ]);
  });

  it('is deleted after a day without a person’s consent', async () => {
    const client = await clientId();
    const now = Date.now();
    jest.spyOn(Date, 'now').mockImplementation(() => now + unusedClientMs + 1000);
    const { page } = await newBrowser().follow(authorization(client, newVerifier()));
    expect([page?.status, await page?.text()]).toEqual([400, expect.stringContaining('invalid_client')]);
  });

  it('is refused after very many from one address in an hour', async () => {
    let last = 201;
    for (let turn = 0; turn < 110 && last === 201; turn += 1) last = (await register({})).status;
    expect(last).toBe(429);
  });
});

describe('the signing key', () => {
  it('is replaced after 90 days by another, which is published before it signs, and then is removed', async () => {
    const start = Date.now();
    const at = (hours: number) =>
      jest.spyOn(Date, 'now').mockImplementation(() => start + 90 * 86_400_000 + hours * 3_600_000);
    const published = async () => {
      const { keys } = (await (await call('GET', '/oauth/jwks')).json()) as {
        keys: readonly { kid: string }[];
      };
      return keys.map(({ kid }) => kid);
    };
    const kidOfToken = async () => {
      const operator = await server.issueToken();
      const requested = await requestCode(operator);
      const { access_token: token } = await tokensOf(requested);
      expect((await me(token)).status).toBe(200);
      return decodeProtectedHeader(token).kid;
    };
    const [first = ''] = await published();
    at(1);
    const [signs, next = ''] = await published();
    expect([signs, next]).toEqual([first, expect.not.stringMatching(first)]);
    at(3);
    expect(await kidOfToken()).toBe(next);
    at(6);
    expect(await published()).toEqual([next]);
    expect(await kidOfToken()).toBe(next);
  });
});
