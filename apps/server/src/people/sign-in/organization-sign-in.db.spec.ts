import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { createBrowser, type SpecBrowser } from '@switchyard/testing';
import type { JsonObject } from '@switchyard/values';
import { startRunning, type Running } from './testkit/running.js';
import { startUpstream, upstreamClient, type Upstream, type UpstreamAccount } from './testkit/upstream.js';

let upstream: Upstream;
let running: Running;
let own: string;
const password = 'correct horse battery';

beforeAll(async () => {
  upstream = await startUpstream();
  running = await startRunning();
  const shown = await newBrowser().send('GET', '/v1/sign-in-provider', undefined, running.admin);
  expect(shown.body['provider']).toBeUndefined();
  const redirect = shown.body['redirect_uri'] as string;
  own = redirect.slice(redirect.lastIndexOf('/') + 1);
  upstream.register(redirect);
});
afterEach(() => {
  upstream.forge = undefined;
});
afterAll(async () => {
  await running.stop();
  await upstream.stop();
});

const newBrowser = (): SpecBrowser => createBrowser(running.server.url);

const mapping = [
  { group: 'Traders', role: 'trader', scope: 'organization' },
  { group: 'Readers', role: 'viewer', scope: 'organization' },
];
const draft = (more: object = {}): JsonObject => ({
  issuer: upstream.issuer,
  client_id: upstreamClient.id,
  client_secret: upstreamClient.secret,
  name: 'Staff',
  domains: ['agency.example'],
  groups: mapping,
  ...more,
});
const set = (more: object = {}, by = running.admin) =>
  newBrowser().send('POST', '/v1/sign-in-provider', draft(more), by);

/** The token of the provider says these groups. */
const inGroups = (groups: unknown): void => {
  upstream.forge = (claims) => ({ ...claims, groups: groups as string[] });
};

let accounts = 0;
const account = (domain = 'agency.example'): UpstreamAccount & { readonly email: string } => {
  accounts += 1;
  return { sub: `of-staff-${accounts}`, email: `staff-${accounts}@${domain}`, email_verified: true };
};

/** What the browser of an account sees when it returns. */
async function signIn(as: UpstreamAccount, browser = newBrowser()) {
  upstream.account = as;
  const begun = await browser.open(
    `/sign-in/oidc?organization=${own}&return_to=${encodeURIComponent('/console/buys')}`,
  );
  expect(begun.status).toBe(303);
  const back = await browser.open((await upstream.signIn(begun.headers.get('location') ?? '')).href);
  return { browser, back, text: back.status === 303 ? '' : await back.text() };
}

const rolesOf = async (name: string): Promise<readonly unknown[]> => {
  const path = `/v1/principals?principal=${encodeURIComponent(name)}`;
  const { body } = await newBrowser().send('GET', path, undefined, running.admin);
  const [found] = body['principals'] as readonly { grants?: readonly { role?: string }[] }[];
  return (found?.grants ?? []).map(({ role }) => role).filter((role) => role !== undefined);
};

const audited = async (action: string): Promise<readonly JsonObject[]> => {
  const { body } = await newBrowser().send('GET', `/v1/audit?action=${action}`, undefined, running.admin);
  return body['events'] as readonly JsonObject[];
};

/** A second admin, of another person: it can approve what the first one requests. */
async function secondAdmin(): Promise<SpecBrowser> {
  const email = 'second-admin@agency.example';
  const body = { email, role: 'admin', scope: 'organization' };
  const made = await newBrowser().send('POST', '/v1/invitations', body, running.admin);
  const invitation = new URL(made.body['link'] as string).hash.slice('#invitation='.length);
  const browser = newBrowser();
  expect((await browser.send('POST', '/v1/session', { invitation, password })).status).toBe(200);
  return browser;
}

describe('the provider of an organization', () => {
  it('is set at once by the only admin, shows no secret, and says so', async () => {
    const { status, body } = await set();
    expect([status, body['alone']]).toEqual([200, true]);
    expect(body['provider']).toMatchObject({ has_secret: true, groups: mapping });
    expect(JSON.stringify(body)).not.toContain(upstreamClient.secret);
  });

  it('is not stored where no provider with this issuer answers, nor asked of another person', async () => {
    const elsewhere = await set({ issuer: `${upstream.issuer}/elsewhere` });
    expect([elsewhere.status, elsewhere.body['detail']]).toEqual([
      400,
      'No OpenID Connect provider with this issuer answers at this address.',
    ]);
    const shown = await newBrowser().send('GET', '/v1/sign-in-provider', undefined, running.admin);
    expect(shown.body['provider']).toMatchObject({ issuer: upstream.issuer });
  });

  it('brings in a new person with the roles of its groups, at the page that it wanted', async () => {
    inGroups(['Traders', 'Everyone']);
    const ann = account();
    const { browser, back } = await signIn(ann);
    expect([back.status, back.headers.get('location')]).toEqual([303, '/console/buys']);
    expect((await browser.send('GET', '/v1/session')).body['principal']).toBe(ann.email);
    expect(await rolesOf(ann.email)).toEqual(['trader']);
  });

  it('takes a role away at the next sign-in after its group is left, and keeps one that a person granted', async () => {
    inGroups(['Traders', 'Readers']);
    const ann = account();
    await signIn(ann);
    const grant = { principal: ann.email, role: 'reviewer', scope: 'organization' };
    expect((await newBrowser().send('POST', '/v1/grants', grant, running.admin)).status).toBe(201);
    inGroups(['Readers']);
    await signIn(ann);
    expect([...(await rolesOf(ann.email))].toSorted()).toEqual(['reviewer', 'viewer']);
    const [row] = await audited('settle_roles');
    expect(row).toMatchObject({ object_name: ann.email, outcome: 'ok' });
    expect(JSON.stringify(row)).toContain('trader');
  });

  it('lets nobody in by an address of another domain, without a group that gives a role, or without its groups', async () => {
    inGroups(['Traders']);
    expect((await signIn(account('other.example'))).text).toContain('Addresses of this domain');
    inGroups(['Everyone']);
    expect((await signIn(account())).text).toContain('None of your groups');
    upstream.forge = (claims) => ({ ...claims, _claim_names: { groups: 'src1' } });
    expect((await signIn(account())).text).toContain('did not say which groups');
    inGroups(['Traders']);
    const unverified = { ...account(), email_verified: false };
    expect((await signIn(unverified)).text).toContain('does not say that your e-mail address is verified');
  });

  it('enters a person with the same proved address instead of making another, and not twice', async () => {
    const ann = account();
    const invited = await newBrowser().send(
      'POST',
      '/v1/invitations',
      { email: ann.email, role: 'viewer', scope: 'organization' },
      running.admin,
    );
    const invitation = new URL(invited.body['link'] as string).hash.slice('#invitation='.length);
    expect((await newBrowser().send('POST', '/v1/session', { invitation, password })).status).toBe(200);
    inGroups(['Traders']);
    const { browser } = await signIn(ann);
    expect((await browser.send('GET', '/v1/session')).body['principal']).toBe(ann.email);
    const rival = await signIn({ ...ann, sub: 'somebody-else' });
    expect(rival.text).toContain('linked to another account');
  });

  it('lets in nobody whose person is switched off', async () => {
    inGroups(['Traders']);
    const ann = account();
    await signIn(ann);
    await newBrowser().send('DELETE', `/v1/principals/${ann.email}`, undefined, running.admin);
    expect((await signIn(ann)).text).toContain('is switched off');
  });

  it('is bound to the browser that began and to the address of its organization, once', async () => {
    inGroups(['Traders']);
    upstream.account = account();
    const browser = newBrowser();
    const begun = await browser.open(`/sign-in/oidc?organization=${own}`);
    const answer = await upstream.signIn(begun.headers.get('location') ?? '');
    expect((await newBrowser().open(answer.href)).status).toBe(401);
    const elsewhere = answer.href.replace(own, '00000000-0000-4000-8000-000000000000');
    expect((await browser.open(elsewhere)).status).toBe(401);
    expect((await browser.open(answer.href)).status).toBe(303);
    expect((await browser.open(answer.href)).status).toBe(401);
  });

  it('is changed only after another person approved it, from what it was when it was requested', async () => {
    const second = await secondAdmin();
    const wider = [...mapping, { group: 'Bosses', role: 'finance', scope: 'organization' }];
    const asked = await set({ groups: wider, client_secret: undefined });
    expect(asked.status).toBe(202);
    const id = asked.body['approval_id'] as string;
    const shown = await newBrowser().send('GET', '/v1/sign-in-provider', undefined, running.admin);
    expect(shown.body['provider']).toMatchObject({ groups: mapping });
    const decide = `/v1/approvals/${id}/approve`;
    expect((await newBrowser().send('POST', decide, {}, running.admin)).status).not.toBe(200);
    expect((await second.send('POST', decide, {})).status).toBe(200);
    const after = await newBrowser().send('GET', '/v1/sign-in-provider', undefined, running.admin);
    expect(after.body['provider']).toMatchObject({ groups: wider, has_secret: true });
    inGroups(['Bosses']);
    const boss = account();
    await signIn(boss);
    expect(await rolesOf(boss.email)).toEqual(['finance']);
  });

  it('gives no role that whoever sets it does not hold', async () => {
    const name = 'people-manager';
    const permissions = { principals: ['read', 'write'] };
    const made = await newBrowser().send(
      'POST',
      '/v1/principals',
      { name, kind: 'person', permissions },
      running.admin,
    );
    const by = { authorization: `Bearer ${made.body['token'] as string}` };
    const { status, body } = await set({}, by);
    expect([status, body['detail']]).toEqual([400, expect.stringContaining('which you do not have there')]);
  });

  it('is found by an address only where its organization has proved the domain', async () => {
    const page = await newBrowser().open('/sign-in/oidc?email=ann%40agency.example');
    expect(page.status).toBe(404);
    expect(await page.text()).toContain('has proved the domain');
  });

  it('lets nobody in once it is removed, with its secret', async () => {
    expect((await newBrowser().send('DELETE', '/v1/sign-in-provider', undefined, running.admin)).status).toBe(
      200,
    );
    const page = await newBrowser().open(`/sign-in/oidc?organization=${own}`);
    expect(page.status).toBe(404);
    expect((await newBrowser().send('DELETE', '/v1/sign-in-provider', undefined, running.admin)).status).toBe(
      404,
    );
  });
});
