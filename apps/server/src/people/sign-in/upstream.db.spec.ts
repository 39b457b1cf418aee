import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { generate } from 'otplib';
import pg from 'pg';
import { createBrowser, freePort, type SpecBrowser } from '@switchyard/testing';
import type { JsonObject } from '@switchyard/values';
import { startRunning, type Running } from './testkit/running.js';
import { startUpstream, upstreamClient, type Upstream, type UpstreamAccount } from './testkit/upstream.js';

let upstream: Upstream;
let running: Running;
const password = 'correct horse battery';

beforeAll(async () => {
  upstream = await startUpstream();
  running = await startRunning({
    SWITCHYARD_OIDC_ISSUER: upstream.issuer,
    SWITCHYARD_OIDC_CLIENT_ID: upstreamClient.id,
    SWITCHYARD_OIDC_CLIENT_SECRET: upstreamClient.secret,
    SWITCHYARD_OIDC_NAME: 'Agency & Sons',
    SWITCHYARD_OIDC_DOMAINS: 'agency.example,bank.example,owned.example',
  });
  upstream.register(`${running.server.url}/sign-in/oidc/callback`);
});
afterEach(() => {
  upstream.forge = undefined;
  upstream.hasStrangeKey = false;
});
afterAll(async () => {
  await running.stop();
  await upstream.stop();
});

const newBrowser = (): SpecBrowser => createBrowser(running.server.url);
let people = 0;

/** A person who has accepted an invitation to an address, and the account at the provider that has the same. */
async function somebody(): Promise<{ name: string; email: string; account: UpstreamAccount }> {
  people += 1;
  const email = `person-${people}@agency.example`;
  const invitation = await invite(email);
  expect((await newBrowser().send('POST', '/v1/session', { invitation, password })).status).toBe(200);
  const account = { sub: `sub-${people}`, email: email.toUpperCase(), email_verified: true };
  return { name: email, email, account };
}

/** A second organization, with its domain and its admin. */
async function another(domain: string): Promise<{ admin: Running['admin']; id: string; name: string }> {
  const made = await newBrowser().send('POST', '/v1/organizations', { name: domain, domain }, running.local);
  const { token } = made.body['admin'] as { readonly token: string };
  return {
    admin: { authorization: `Bearer ${token}` },
    id: made.body['organization_id'] as string,
    name: domain,
  };
}

/** As if the organization had shown the record of its domain. */
async function proveDomain(id: string): Promise<void> {
  const owner = new pg.Client({ connectionString: running.database.ownerUrl });
  await owner.connect();
  try {
    await owner.query("select set_config('app.organization_id', $1, false)", [id]);
    await owner.query(
      `update organization set domain_proof = 'dns', domain_proved_at = now() where id = $1`,
      [id],
    );
  } finally {
    await owner.end();
  }
}

/** A person of an organization, signed in by a link, who sets an address without proving it. */
async function pretender(email: string, by = running.admin): Promise<{ name: string; browser: SpecBrowser }> {
  people += 1;
  const name = `viewer-${people}`;
  const browser = newBrowser();
  await browser.send('POST', '/v1/principals', { name, kind: 'person', scheme: 'none' }, by);
  const made = await browser.send('POST', `/v1/principals/${name}/sign-in-links`, {}, by);
  const link = new URL(made.body['link'] as string).hash.slice('#link='.length);
  await browser.send('POST', '/v1/session', { link });
  expect((await browser.send('POST', '/v1/me/password', { email, password })).status).toBe(200);
  return { name, browser };
}

/** Where the provider sends the browser of an account back to. */
async function atProvider(browser: SpecBrowser, account: UpstreamAccount, next = '/console/'): Promise<URL> {
  upstream.account = account;
  const begun = await browser.open(`/sign-in/oidc?return_to=${encodeURIComponent(next)}`);
  expect(begun.status).toBe(303);
  return upstream.signIn(begun.headers.get('location') ?? '');
}

/** Comes back from the provider, and presses the first button of the page that asks, if there is one. */
const signIn = async (
  browser: SpecBrowser,
  account: UpstreamAccount,
  next = '/console/',
): Promise<Response> => {
  const back = await browser.open((await atProvider(browser, account, next)).href);
  if (back.status !== 200) return back;
  const { question, entrances } = await asked(back);
  return browser.form('/sign-in/oidc/enter', { question, entrance: entrances[0]?.id ?? '' });
};

/** What the page asks: who enters where, in its order. */
async function asked(page: Response) {
  expect(page.status).toBe(200);
  expect(page.headers.getSetCookie().join()).not.toContain('switchyard_session');
  const html = await page.text();
  const [, question = ''] = /name="question" value="([^"]+)"/.exec(html) ?? [];
  const rows = html.matchAll(
    /You enter <strong>([^<]+)<\/strong> as <strong>([^<]+)<\/strong>[^]*?name="entrance" value="([^"]+)"/g,
  );
  const entrances = [...rows].map(([, organization = '', as = '', id = '']) => ({ organization, as, id }));
  return { question, entrances };
}

const nameOf = async (browser: SpecBrowser): Promise<unknown> =>
  (await browser.send('GET', '/v1/session')).body['principal'];

/** Invites an address, and returns the secret of the link. */
async function invite(email: string, by = running.admin): Promise<string> {
  const body = { email, role: 'trader', scope: 'organization' };
  const made = await newBrowser().send('POST', '/v1/invitations', body, by);
  expect(made.status).toBe(201);
  return new URL(made.body['link'] as string).hash.slice('#invitation='.length);
}

const refusedWith = async (answer: Response, status: number, code: string, text: string) => {
  expect(answer.status).toBe(status);
  const page = await answer.text();
  expect(page).toContain(code);
  expect(page).toContain(text);
  expect(answer.headers.getSetCookie().join()).not.toContain('switchyard_session');
};

describe('the provider', () => {
  it('is offered by its name, and called by code with PKCE, state and nonce, only with our own callback', async () => {
    expect((await newBrowser().send('GET', '/v1/session/provider')).body).toEqual({ name: 'Agency & Sons' });
    expect(await (await newBrowser().open('/sign-in')).text()).toContain('Sign in with Agency &#38; Sons');
    const begun = await newBrowser().open('/sign-in/oidc');
    const { origin, searchParams } = new URL(begun.headers.get('location') ?? '');
    expect(origin).toBe(upstream.issuer);
    expect(Object.fromEntries(searchParams)).toMatchObject({
      response_type: 'code',
      redirect_uri: `${running.server.url}/sign-in/oidc/callback`,
      code_challenge_method: 'S256',
      code_challenge: expect.any(String),
      state: expect.any(String),
      nonce: expect.any(String),
    });
    expect(begun.headers.get('set-cookie')).toMatch(/Path=\/sign-in\/oidc; HttpOnly; SameSite=Lax/);
  });

  it('signs in the person with its verified address, then the same account after any change of its address', async () => {
    const { name, account } = await somebody();
    const browser = newBrowser();
    const back = await signIn(browser, account, '/console/buys');
    expect([back.status, back.headers.get('location')]).toEqual([303, '/console/buys']);
    expect(await nameOf(browser)).toBe(name);
    const later = newBrowser();
    await signIn(later, { sub: account.sub, email: 'moved@agency.example', email_verified: false });
    expect(await nameOf(later)).toBe(name);
  });

  it('replaces the second factor: a password needs a code, and the provider does not', async () => {
    const { email, account } = await somebody();
    const browser = newBrowser();
    await browser.send('POST', '/v1/session', { email, password });
    const { body } = await browser.send('POST', '/v1/me/totp');
    const code = await generate({ secret: body['secret'] as string });
    expect((await browser.send('POST', '/v1/me/totp/confirm', { code })).status).toBe(200);
    expect((await newBrowser().send('POST', '/v1/session', { email, password })).status).toBe(202);
    expect((await signIn(newBrowser(), account)).status).toBe(303);
  });

  it('lets in an invited person, with the role of the invitation, once', async () => {
    await invite('new@agency.example');
    const account = { sub: 'new', email: 'new@agency.example', email_verified: true };
    const browser = newBrowser();
    expect((await signIn(browser, account)).status).toBe(303);
    expect((await browser.send('GET', '/v1/me')).body).toMatchObject({
      name: 'new@agency.example',
      roles: ['trader'],
    });
    const listed = await browser.send('GET', '/v1/invitations?open=true', undefined, running.admin);
    expect(listed.body['invitations']).toEqual([]);
    const again = newBrowser();
    await signIn(again, account);
    expect(await nameOf(again)).toBe('new@agency.example');
  });

  it('redirects only to a path of ours', async () => {
    const { account } = await somebody();
    const browser = newBrowser();
    const back = await signIn(browser, account, '//evil.example/');
    expect(back.headers.get('location')).toBe('/console/');
  });
});

describe('nobody is signed in', () => {
  it.each<[string, Partial<UpstreamAccount>, string]>([
    ['who is unknown and not invited', {}, 'no invitation is open'],
    ['whose address is not verified', { email_verified: false }, 'is verified'],
    ['who has no address', { email: undefined as never }, 'is verified'],
    ['whose address is of another domain', { email: 'ann@elsewhere.example' }, 'this domain'],
  ])('%s', async (_who, differs, text) => {
    const account = { sub: 'stranger', email: 'stranger@agency.example', email_verified: true, ...differs };
    const answer = await signIn(newBrowser(), account);
    await refusedWith(answer, 403, 'INSUFFICIENT_PERMISSIONS', text);
    const found = await newBrowser().send('GET', '/v1/principals', undefined, running.admin);
    expect(JSON.stringify(found.body)).not.toContain('stranger');
  });

  it('by a second account with the address of a linked person', async () => {
    const { account } = await somebody();
    await signIn(newBrowser(), account);
    const answer = await signIn(newBrowser(), { ...account, sub: `${account.sub}-again` });
    await refusedWith(answer, 403, 'INSUFFICIENT_PERMISSIONS', 'another account');
  });

  it('by the account of a disabled person', async () => {
    const { name, account } = await somebody();
    await signIn(newBrowser(), account);
    const path = `/v1/principals/${encodeURIComponent(name)}`;
    expect((await newBrowser().send('DELETE', path, undefined, running.admin)).status).toBe(200);
    await refusedWith(await signIn(newBrowser(), account), 403, 'INSUFFICIENT_PERMISSIONS', 'switched off');
  });

  it.each<[string, (address: URL) => void]>([
    ['names another issuer', ({ searchParams }) => searchParams.set('iss', 'https://evil.example')],
    ['names no issuer', ({ searchParams }) => searchParams.delete('iss')],
    ['brings another code', ({ searchParams }) => searchParams.set('code', 'another')],
  ])('by an answer that %s', async (_what, change) => {
    const { account } = await somebody();
    const browser = newBrowser();
    const address = await atProvider(browser, account);
    change(address);
    await refusedWith(await browser.open(address.href), 401, 'AUTH_INVALID', 'does not hold');
  });

  it.each<[string, JsonObject]>([
    ['of another issuer', { iss: 'https://evil.example' }],
    ['for another client', { aud: 'another' }],
    ['of another sign-in', { nonce: 'another' }],
    ['that has ended', { exp: 1_700_000_000 }],
  ])('by a token %s', async (_what, claims) => {
    const { account } = await somebody();
    upstream.forge = (signed) => ({ ...signed, ...claims });
    await refusedWith(await signIn(newBrowser(), account), 401, 'AUTH_INVALID', 'does not hold');
  });

  it('by a token that another key has signed', async () => {
    const { account } = await somebody();
    upstream.hasStrangeKey = true;
    await refusedWith(await signIn(newBrowser(), account), 401, 'AUTH_INVALID', 'does not hold');
  });

  it('by a used answer, or one for another browser', async () => {
    const { account } = await somebody();
    const browser = newBrowser();
    const address = (await atProvider(browser, account)).href;
    const other = newBrowser();
    await other.open('/sign-in/oidc');
    await refusedWith(await other.open(address), 401, 'AUTH_INVALID', 'not begun in this browser');
    await refusedWith(await newBrowser().open(address), 401, 'AUTH_INVALID', 'not begun in this browser');
    const { question, entrances } = await asked(await browser.open(address));
    await refusedWith(await browser.open(address), 401, 'AUTH_INVALID', 'was used');
    const form = { question, entrance: entrances[0]?.id ?? '' };
    const enter = (by: SpecBrowser) => by.form('/sign-in/oidc/enter', form);
    await refusedWith(await enter(other), 401, 'AUTH_INVALID', 'not begun in this browser');
    await refusedWith(await enter(newBrowser()), 401, 'AUTH_INVALID', 'not begun in this browser');
    expect((await enter(browser)).status).toBe(303);
    await refusedWith(await enter(browser), 401, 'AUTH_INVALID', 'was used');
  });

  it('who cancels the question before a first entry; it is asked again at the next sign-in', async () => {
    const { name, account } = await somebody();
    const browser = newBrowser();
    const { question } = await asked(await browser.open((await atProvider(browser, account)).href));
    const canceled = await browser.form('/sign-in/oidc/enter', { question, entrance: '' });
    expect(canceled.headers.get('location')).toBe('/sign-in?return_to=%2Fconsole%2F');
    expect((await browser.send('GET', '/v1/session')).status).toBe(401);
    const again = await asked(await browser.open((await atProvider(browser, account)).href));
    expect(again.entrances).toMatchObject([{ as: name }]);
  });
});

describe('an address that somebody has only set', () => {
  it('matches nobody: its owner is unknown without an invitation, and enters the organization that invited her', async () => {
    const email = 'cfo@bank.example';
    const account = { sub: 'cfo', email, email_verified: true };
    await pretender(email);
    const unknown = await signIn(newBrowser(), account);
    expect(unknown.status).toBe(403);
    const bank = await another('bank.example');
    await invite(email, bank.admin);
    const browser = newBrowser();
    const { entrances } = await asked(await browser.open((await atProvider(browser, account)).href));
    expect(entrances).toMatchObject([{ organization: bank.name, as: email }]);
    expect((await signIn(browser, account)).status).toBe(303);
    expect((await browser.send('GET', '/v1/session')).body['organization_id']).toBe(bank.id);
  });

  it('blocks nobody: the link of an invitation lets its owner in, and both sign in with their own password', async () => {
    const email = 'cfo@trust.example';
    const { name } = await pretender(email);
    const trust = await another('trust.example');
    const invitation = await invite(email, trust.admin);
    const browser = newBrowser();
    const own = 'a password of the owner';
    expect((await browser.send('POST', '/v1/session', { invitation, password: own })).status).toBe(200);
    const entered = async (given: string) =>
      (await newBrowser().send('POST', '/v1/session', { email, password: given })).body;
    expect(await entered(own)).toMatchObject({ organization_id: trust.id, principal: email });
    expect(await entered(password)).toMatchObject({ principal: name });
  });

  it('is taken from nobody and told to nobody: setting a proved address gets the same answer, and gives nothing', async () => {
    const { email, account, name } = await somebody();
    const two = await another('quiet.example');
    const { browser } = await pretender(email, two.admin);
    await pretender('nobody@agency.example', two.admin);
    await browser.send('POST', '/v1/session', { email, password: `${password} of another` });
    const own = newBrowser();
    expect((await signIn(own, account)).status).toBe(303);
    expect(await nameOf(own)).toBe(name);
  });
});

describe('an address that several organizations know', () => {
  it('is asked about: an invitation comes before whoever has proved the address', async () => {
    const { email, account, name } = await somebody();
    const two = await another('second.example');
    await invite(email, two.admin);
    const browser = newBrowser();
    const { entrances } = await asked(await browser.open((await atProvider(browser, account)).href));
    expect(entrances.map(({ organization, as }) => [organization, as])).toEqual([
      [two.name, email],
      [expect.any(String), name],
    ]);
  });

  it('enters only the organization that has proved its domain, also where its account is linked elsewhere', async () => {
    const email = 'cfo@owned.example';
    const account = { sub: 'owned', email, email_verified: true };
    await invite(email);
    expect((await signIn(newBrowser(), account)).status).toBe(303);
    const owner = await another('owned.example');
    await proveDomain(owner.id);
    await refusedWith(await signIn(newBrowser(), account), 403, 'INSUFFICIENT_PERMISSIONS', 'no invitation');
    await invite(email, owner.admin);
    const browser = newBrowser();
    const { entrances } = await asked(await browser.open((await atProvider(browser, account)).href));
    expect(entrances).toMatchObject([{ organization: owner.name }]);
    await signIn(browser, account);
    expect((await browser.send('GET', '/v1/session')).body['organization_id']).toBe(owner.id);
  });
});

describe('a link to the provider', () => {
  it('is shown to its person and to admins, is in the audit, and can be removed only by its person', async () => {
    const { name, account } = await somebody();
    const browser = newBrowser();
    await signIn(browser, account);
    const { body } = await browser.send('GET', '/v1/me/sign-in');
    const links = body['provider_links'] as { provider_link_id: string }[];
    expect(links).toMatchObject([{ issuer: upstream.issuer, subject: account.sub }]);
    const [{ provider_link_id: id } = { provider_link_id: '' }] = links;
    const listed = await browser.send('GET', '/v1/principals', undefined, running.admin);
    expect(JSON.stringify(listed.body)).toContain(id);
    const audit = await browser.send('GET', '/v1/audit?action=link_provider', undefined, running.admin);
    expect(audit.body['events']).toContainEqual(
      expect.objectContaining({
        actor: name,
        outcome: 'ok',
        detail: expect.objectContaining({ identity_id: id }),
      }),
    );
    const other = newBrowser();
    await signIn(other, (await somebody()).account);
    const path = `/v1/me/provider-links/${id}`;
    expect((await other.send('DELETE', path)).status).toBe(404);
    expect((await browser.send('DELETE', path)).status).toBe(200);
    const moved = { sub: account.sub, email: 'elsewhere@agency.example', email_verified: true };
    expect((await signIn(newBrowser(), moved)).status).toBe(403);
  });
});

describe('a link that an admin removes', () => {
  it('ends the sessions of its person, enters nowhere by the address alone, and again by a new invitation', async () => {
    const { email, account } = await somebody();
    const browser = newBrowser();
    await signIn(browser, account);
    const { body } = await browser.send('GET', '/v1/me/sign-in');
    const [link] = body['provider_links'] as { provider_link_id: string }[];
    const path = `/v1/identities/${link?.provider_link_id}`;
    expect((await newBrowser().send('DELETE', path, undefined, running.admin)).status).toBe(200);
    expect((await browser.send('GET', '/v1/session')).status).toBe(401);
    expect((await signIn(newBrowser(), account)).status).toBe(403);
    const audit = await browser.send('GET', '/v1/audit?action=remove_identity', undefined, running.admin);
    expect(JSON.stringify(audit.body)).toContain(link?.provider_link_id);
    await invite(email);
    expect((await signIn(newBrowser(), account)).status).toBe(303);
  });

  it('can also come from the person, signed in a moment ago, whose address nobody has proved', async () => {
    const { name, browser } = await pretender('own@agency.example');
    await browser.send('POST', '/v1/session', { email: 'own@agency.example', password });
    const account = { sub: 'own', email: 'own@agency.example', email_verified: true };
    const { entrances } = await asked(await browser.open((await atProvider(browser, account)).href));
    expect(entrances).toMatchObject([{ as: name }]);
    await signIn(browser, account);
    const later = newBrowser();
    await signIn(later, account);
    expect(await nameOf(later)).toBe(name);
  });
});

describe('signing out', () => {
  const signOut = async (browser: SpecBrowser) => (await browser.send('DELETE', '/v1/session')).body;

  it('redirects to where the provider ends its session too, with our client and without a token', async () => {
    const { account } = await somebody();
    const browser = newBrowser();
    await signIn(browser, account);
    const leaveAt = (await signOut(browser))['leave_at'] as string;
    const { origin, searchParams } = new URL(leaveAt);
    expect([origin, Object.fromEntries(searchParams)]).toEqual([
      upstream.issuer,
      { client_id: upstreamClient.id, post_logout_redirect_uri: `${running.server.url}/console/` },
    ]);
    expect((await fetch(leaveAt)).status).toBe(200);
    expect((await browser.send('GET', '/v1/session')).status).toBe(401);
    expect(await signOut(browser)).toEqual({ signed_out: true });
  });

  it('is local after a sign-in with a password, also in the same browser', async () => {
    const { email, account } = await somebody();
    const browser = newBrowser();
    await signIn(browser, account);
    await browser.send('POST', '/v1/session', { email, password });
    expect(await signOut(browser)).toEqual({ signed_out: true });
  });

  it('ends the session here while the provider is down', async () => {
    const { account } = await somebody();
    const browser = newBrowser();
    await signIn(browser, account);
    await upstream.stop();
    try {
      expect(await signOut(browser)).toMatchObject({ signed_out: true });
    } finally {
      await upstream.start();
    }
    expect((await browser.send('GET', '/v1/session')).status).toBe(401);
  });
});

describe('a provider without email_verified and without sign-out, whose addresses are trusted', () => {
  let trusting: Running;
  beforeAll(async () => {
    trusting = await startRunning({
      SWITCHYARD_OIDC_ISSUER: upstream.issuer,
      SWITCHYARD_OIDC_CLIENT_ID: upstreamClient.id,
      SWITCHYARD_OIDC_CLIENT_SECRET: upstreamClient.secret,
      SWITCHYARD_OIDC_TRUST_EMAIL: 'true',
    });
    upstream.register(`${trusting.server.url}/sign-in/oidc/callback`, { endsSessions: false });
  });
  afterAll(async () => {
    upstream.register(`${running.server.url}/sign-in/oidc/callback`);
    await trusting.stop();
  });

  const arrive = async (account: UpstreamAccount) => {
    const browser = createBrowser(trusting.server.url);
    const body = { email: account.email, role: 'trader', scope: 'organization' };
    await browser.send('POST', '/v1/invitations', body, trusting.admin);
    return { browser, answer: await signIn(browser, account) };
  };

  it('signs in its accounts, and signing out ends only the session here', async () => {
    const { browser, answer } = await arrive({ sub: 'plain', email: 'plain@agency.example' });
    expect([answer.status, await nameOf(browser)]).toEqual([303, 'plain@agency.example']);
    expect((await browser.send('DELETE', '/v1/session')).body).toEqual({ signed_out: true });
  });

  it('rejects a person whose address the provider reports as unverified', async () => {
    const account = { sub: 'unsure', email: 'unsure@agency.example', email_verified: false };
    expect((await arrive(account)).answer.status).toBe(403);
  });
});

describe('while the provider is down', () => {
  it('the page says so, and people sign in here', async () => {
    const { name, email, account } = await somebody();
    const browser = newBrowser();
    const address = await atProvider(browser, account);
    await upstream.stop();
    try {
      const back = await browser.open(address.href);
      expect([back.status, await back.text()]).toEqual([503, expect.stringContaining('UNAVAILABLE')]);
      expect((await browser.send('POST', '/v1/session', { email, password })).body['principal']).toBe(name);
    } finally {
      await upstream.start();
    }
    await signIn(browser, account);
    expect(await nameOf(browser)).toBe(name);
  });

  it('the server starts', async () => {
    const port = await freePort();
    const second = await startRunning({
      SWITCHYARD_OIDC_ISSUER: `http://127.0.0.1:${port}`,
      SWITCHYARD_OIDC_CLIENT_ID: upstreamClient.id,
    });
    try {
      const begun = await createBrowser(second.server.url).open('/sign-in/oidc');
      expect([begun.status, await begun.text()]).toEqual([503, expect.stringContaining('name="secret"')]);
    } finally {
      await second.stop();
    }
  });
});

describe('a provider whose metadata name another issuer', () => {
  it('is asked for nobody: no browser is sent to what they name', async () => {
    const metadata = await (await fetch(`${upstream.issuer}/.well-known/openid-configuration`)).text();
    let asked = 0;
    const liar = createServer((_request, response) => {
      asked += 1;
      response.writeHead(200, { 'content-type': 'application/json' }).end(metadata);
    }).listen(0, '127.0.0.1');
    await once(liar, 'listening');
    const { port } = liar.address() as AddressInfo;
    const third = await startRunning({
      SWITCHYARD_OIDC_ISSUER: `http://127.0.0.1:${port}`,
      SWITCHYARD_OIDC_CLIENT_ID: upstreamClient.id,
    });
    try {
      const begun = await createBrowser(third.server.url).open('/sign-in/oidc');
      expect([asked > 0, begun.status, begun.headers.get('location')]).toEqual([true, 503, null]);
    } finally {
      await third.stop();
      liar.close();
    }
  });
});

it('is counted by its outcome in the metrics', async () => {
  const { account } = await somebody();
  await signIn(newBrowser(), account);
  await newBrowser().open('/sign-in/oidc/callback?state=of+nobody&code=x');
  const page = await (await fetch(`${running.server.url}/metrics`, { headers: running.admin })).text();
  for (const outcome of ['opened', 'refused'])
    expect(page).toMatch(
      new RegExp(`switchyard_sign_ins_total\\{way="provider",outcome="${outcome}"\\} [1-9]`),
    );
});
