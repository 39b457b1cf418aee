import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openStore } from '@switchyard/store';
import { createPrincipal, createToken, machineClient, signedClientId } from '@switchyard/testing';
import pg from 'pg';
import { list, type Json } from './harness/buy-request.js';
import { callTask } from './harness/call-task.js';
import { dataFolder, ownerUrlOf } from './harness/data-folder.js';
import type { Instance } from './harness/instance.js';
import { oauthSeller, type OAuthSeller } from './harness/oauth-seller.js';
import { admin } from './harness/own-everything.js';
import { runSwitchyard } from './harness/run-switchyard.js';
import { waitUntil } from './harness/wait-until.js';
import { organizationAt } from './harness/own-organizations.js';
import { openOrganization } from './harness/shared-instance.js';

/** Sellers behind OAuth, from the command line to a product that is read with a renewed token, on the built product. */
const folder = dataFolder();
let instance: Instance;
const closers: (() => Promise<void>)[] = [];

beforeAll(async () => {
  instance = await openOrganization(folder.path, ['prompt']);
});
afterAll(async () => {
  await Promise.all(closers.map((close) => close()));
  await instance.stop();
  await folder.remove();
});

async function seller(options?: Parameters<typeof oauthSeller>[0]): Promise<OAuthSeller> {
  const made = await oauthSeller(options);
  closers.push(() => made.close());
  return made;
}

async function sellers(
  args: readonly string[],
  secret = '',
): Promise<{ readonly code: number | null; readonly json: Json }> {
  const command = ['sellers', ...args, '--json', '--data', folder.path];
  const { code, stdout, stderr } = await runSwitchyard(command, secret);
  if (stdout === '') throw new Error(stderr);
  return { code, json: JSON.parse(stdout) as Json };
}

const checkOf = (json: Json, key: string): Json | undefined =>
  list(json['checks']).find((check) => check['key'] === key);

/** The products that are read from one seller. */
async function productsOf(slug: string): Promise<readonly unknown[]> {
  const { body } = await callTask('REST', instance, 'get_products', {
    brief: 'anything',
    buying_mode: 'brief',
  });
  const ids = list(body['products']).map(({ product_id: id }) => String(id));
  return ids.filter((id) => id.startsWith(`${slug}:`));
}

/** A browser that is signed in with a token. */
async function browserOf(token: string) {
  const answer = await fetch(`${instance.url}/sign-in`, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'content-type': 'application/x-www-form-urlencoded', origin: instance.url },
    body: new URLSearchParams({ secret: token, return_to: '/console/' }),
  });
  const cookie = answer.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ');
  return async (url: string) => {
    const page = await fetch(url, { redirect: 'manual', headers: { cookie } });
    return { status: page.status, text: await page.text() };
  };
}

const unescaped = (text: string): string =>
  text.replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)));

/** The address to which the page leads, after the person has signed in there. */
async function consented(made: OAuthSeller, page: string): Promise<string> {
  const [, link = ''] = /<a href="([^"]+)">/.exec(page) ?? [];
  expect(new URL(unescaped(link)).origin).toBe(made.server.issuer);
  return (await made.server.signIn(unescaped(link))).href;
}

describe('a seller whose authorization server is elsewhere', () => {
  it('waits for a person who sees its host, then goes live as our client, and is read with a renewed token', async () => {
    const made = await seller({ lifeSeconds: 6 });
    const { host } = new URL(made.server.issuer);
    const asked = await sellers(['add', made.agentUrl, '--slug', 'machine']);
    expect([asked.code, asked.json['state'], checkOf(asked.json, 'authorise')]).toMatchObject([
      6,
      'needs_person',
      { state: 'needs_person', code: 'issuer_unpinned', words: expect.stringContaining(host) },
    ]);
    const client = ['--client-id', machineClient.id, '--issuer', made.server.issuer];
    const wrong = await sellers(['add', made.agentUrl, '--slug', 'machine', ...client], 'not the secret');
    expect([wrong.code, checkOf(wrong.json, 'authorise')]).toMatchObject([
      1,
      { state: 'failed', code: 'oauth_invalid_client' },
    ]);
    const added = await sellers(['add', made.agentUrl, '--slug', 'machine', ...client], machineClient.secret);
    expect([added.code, added.json['state']]).toEqual([0, 'live']);
    const before = made.server.tokenRequests.length;
    await waitUntil('the token is renewed', () =>
      made.server.tokenRequests.length > before + 1 ? true : undefined,
    );
    made.callers.length = 0;
    expect(await productsOf('machine')).toEqual(['machine:p1']);
    expect(new Set(made.callers)).toEqual(new Set([machineClient.id]));
    const { credentials } = await admin(instance, 'GET', '/v1/credentials?seller=machine');
    expect(
      new Set(
        list(credentials).flatMap(({ kind, destination }) =>
          String(kind).startsWith('oauth') ? [`${String(kind)} ${String(destination)}`] : [],
        ),
      ),
    ).toEqual(
      new Set([`oauth_access ${new URL(made.agentUrl).origin}`, `oauth_client ${made.server.issuer}`]),
    );
  });

  it('that refuses a token before its end is asked again with a new one; another secret of our client counts once its server takes it', async () => {
    const made = await seller();
    const client = ['--client-id', machineClient.id, '--issuer', made.server.issuer];
    const added = await sellers(['add', made.agentUrl, '--slug', 'steady', ...client], machineClient.secret);
    expect(added.json['state']).toBe('live');
    const before = made.server.tokenRequests.length;
    made.server.forgetGrants();
    expect(await productsOf('steady')).toEqual(['steady:p1']);
    expect(made.server.tokenRequests).toHaveLength(before + 1);

    // Its server says whether it takes another secret of our client: a wrong one changes nothing.
    const { credentials } = await admin(instance, 'GET', '/v1/credentials?seller=steady&kind=oauth_client');
    const [{ credential_id: id } = { credential_id: '' }] = list(credentials);
    const credential = async (act: string, secret = '') => {
      const command = ['credentials', act, String(id), '--json', '--data', folder.path];
      const { code, stdout } = await runSwitchyard(command, secret);
      return { code, json: JSON.parse(stdout) as Json };
    };
    expect(await credential('rotate', 'not the secret')).toMatchObject({
      code: 1,
      json: { version: 1, state: 'current', seller_check: { ok: false } },
    });
    made.server.forgetGrants();
    expect(await productsOf('steady')).toEqual(['steady:p1']);
    expect(await credential('rotate', machineClient.secret)).toMatchObject({
      code: 0,
      json: { version: 2, state: 'current', seller_check: { ok: true } },
    });
    expect(await credential('rollback')).toMatchObject({ code: 0, json: { version: 1, state: 'current' } });
    expect(await productsOf('steady')).toEqual(['steady:p1']);
    const repeated = await sellers(['add', made.agentUrl, '--slug', 'steady']);
    expect([repeated.code, repeated.json['state']]).toEqual([0, 'live']);
  });

  it('that knows our published key is signed in at without any secret', async () => {
    const made = await seller({ signedClientKeys: `${instance.url}/.well-known/jwks.json` });
    const client = ['--client-id', signedClientId, '--issuer', made.server.issuer];
    const added = await sellers(['add', made.agentUrl, '--slug', 'signed', ...client]);
    expect([added.code, checkOf(added.json, 'authorise'), added.json['state']]).toMatchObject([
      0,
      { state: 'passed' },
      'live',
    ]);
    made.callers.length = 0;
    expect(await productsOf('signed')).toEqual(['signed:p1']);
    expect(new Set(made.callers)).toEqual(new Set([signedClientId]));
    const { credentials } = await admin(instance, 'GET', '/v1/credentials?seller=signed');
    const kinds = list(credentials).map(({ kind }) => String(kind));
    expect(kinds.filter((kind) => kind.startsWith('oauth'))).toEqual(['oauth_access']);
  });

  it('that reads documents of clients finds the same words for a connection that is there and one that is not', async () => {
    const id = '5a0e8a52-3f6d-4b1d-9d5a-0c5b8f1e2a77';
    const url = `${instance.url}/sellers/${id}/signed-client.json`;
    const answer = await fetch(url);
    expect([answer.status, await answer.json()]).toEqual([
      200,
      {
        client_id: url,
        client_name: 'Switchyard',
        client_uri: instance.url,
        redirect_uris: [`${instance.url}/sellers/${id}/authorised`],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        token_endpoint_auth_method: 'private_key_jwt',
        jwks_uri: `${instance.url}/.well-known/jwks.json`,
      },
    ]);
    expect((await fetch(`${instance.url}/sellers/not-an-id/signed-client.json`)).status).toBe(404);
  });

  it('that does not name the issuer of a person is refused', async () => {
    const made = await seller();
    const args = ['--oauth', '--issuer', 'http://127.0.0.1:1'];
    const refused = await sellers(['add', made.agentUrl, '--slug', 'other', ...args]);
    expect([refused.code, checkOf(refused.json, 'authorise')]).toMatchObject([
      1,
      { code: 'issuer_not_offered' },
    ]);
    expect(made.server.tokenRequests).toEqual([]);
  });
});

describe('a seller at which a person signs in', () => {
  it('goes live after the consent of whoever began it, once, and is renewed; a grant that ends takes it out of use until somebody signs in again', async () => {
    const made = await seller({ lifeSeconds: 6 });
    const args = ['add', made.agentUrl, '--slug', 'person', '--oauth', '--issuer', made.server.issuer];
    const asked = await sellers(args);
    expect([asked.code, asked.json['state'], checkOf(asked.json, 'authorise')]).toMatchObject([
      6,
      'needs_person',
      { code: 'consent_wanted' },
    ]);
    const url = String(asked.json['authorize_url']);
    expect(new URL(url).origin).toBe(instance.url);
    const stranger = await fetch(url, { redirect: 'manual' });
    expect([stranger.status, stranger.headers.get('location')]).toEqual([
      303,
      expect.stringContaining('/sign-in?return_to='),
    ]);
    const own = list((await admin(instance, 'GET', '/v1/organizations'))['organizations'])[0]?.[
      'organization_id'
    ];
    const store = openStore(ownerUrlOf(folder.path));
    const permissions = { sellers: ['read', 'write'] } as const;
    const colleague = await createPrincipal(store, String(own), { kind: 'person', permissions });
    const other = await browserOf(await createToken(store, colleague));
    await store.close();
    expect((await other(url)).status).toBe(403);
    const person = await browserOf(instance.token);
    const page = await person(url);
    expect([page.status, page.text]).toEqual([
      200,
      expect.stringContaining(new URL(made.server.issuer).host),
    ]);
    const back = await consented(made, page.text);
    expect(await other(back)).toMatchObject({ status: 403 });
    const mixed = new URL(back);
    mixed.searchParams.set('state', 'another');
    expect((await person(mixed.href)).status).toBe(410);
    expect(made.server.tokenRequests).toEqual([]);
    expect(await person(back)).toMatchObject({
      status: 200,
      text: expect.stringContaining('person is live'),
    });
    expect((await person(back)).status).toBe(410);
    await waitUntil(
      'the token is renewed',
      () => made.server.tokenRequests.includes('refresh_token') || undefined,
    );
    expect(await productsOf('person')).toEqual(['person:p1']);

    made.server.forgetGrants();
    const failed = await waitUntil('the seller is out of use', async () => {
      const shown = await admin(instance, 'GET', '/v1/sellers/person');
      return shown['state'] === 'failed' ? shown : undefined;
    });
    expect(failed['reason']).toContain('switchyard sellers add');
    const { alarms } = await admin(instance, 'GET', '/v1/alarms?kind=sign_in_ended');
    expect(list(alarms)[0]).toMatchObject({ subject: 'seller person', detail: { code: 'invalid_grant' } });
    // Long after the first sign-in, so that every check runs again.
    const database = new pg.Client({ connectionString: ownerUrlOf(folder.path) });
    await database.connect();
    await database.query(
      `update onboarding_run set checks = (select jsonb_agg(one || '{"at": 0}') from jsonb_array_elements(checks) one)
       where organization_id = $1`,
      [organizationAt(folder.path)?.id],
    );
    await database.end();
    const again = await sellers(['add', made.agentUrl, '--slug', 'person']);
    expect([again.code, checkOf(again.json, 'authorise')?.['state']]).toEqual([6, 'needs_person']);
    const second = await person(String(again.json['authorize_url']));
    await person(await consented(made, second.text));
    expect(await productsOf('person')).toEqual(['person:p1']);
    expect(made.server.refreshTokens()).toBe(1);
    await sellers(['remove', 'person']);
    expect(made.server.refreshTokens()).toBe(0);
  });

  it('gives each client a login of its own by the consent of a person, and no row that SQL writes gives it another one', async () => {
    const made = await seller();
    const common = ['--client-id', machineClient.id, '--issuer', made.server.issuer];
    const added = await sellers(['add', made.agentUrl, '--slug', 'split', ...common], machineClient.secret);
    expect(added.json['state']).toBe('live');
    const client = async (name: string): Promise<string> => {
      const id = String((await admin(instance, 'POST', '/v1/clients', { name }))['client_id']);
      await admin(instance, 'POST', '/v1/brands', { domain: `${name}.example`, client_id: id, name });
      return id;
    };
    const person = await browserOf(instance.token);
    const login = async (id: string): Promise<void> => {
      const args = ['accounts', 'login', '--seller', 'split', '--client', id, '--oauth', '--json'];
      const asked = await runSwitchyard([...args, '--data', folder.path]);
      expect(asked.code).toBe(6);
      const { authorize_url: url } = JSON.parse(asked.stdout) as Json;
      const page = await person(String(url));
      const back = await person(await consented(made, page.text));
      expect(back).toMatchObject({
        status: 200,
        text: expect.stringContaining('a login of its own at split'),
      });
    };
    /** The tokens with which the products of a client were read. */
    const tokensOf = async (domain: string): Promise<readonly string[]> => {
      made.tokens.clear();
      const account = { brand: { domain }, operator: 'agency.example' };
      await callTask('REST', instance, 'get_products', {
        ...{ adcp_version: '3.1', buying_mode: 'brief', brief: 'everything', brand: { domain }, account },
      });
      return [...made.tokens];
    };
    const [nova, orion] = [await client('nova'), await client('orion')];
    const [shared] = await tokensOf('nova.example');
    await login(nova);
    await login(orion);
    const [ofNova, ofOrion] = [await tokensOf('nova.example'), await tokensOf('orion.example')];
    expect(new Set([shared, ...ofNova, ...ofOrion]).size).toBe(3);
    expect(made.server.refreshTokens()).toBe(2);

    const database = new pg.Client({ connectionString: ownerUrlOf(folder.path) });
    await database.connect();
    const renewed = made.server.tokenRequests.length;
    for (const column of ['refresh', 'access'])
      await database.query(
        `update seller_authorization n set ${column}_credential_id = o.${column}_credential_id, due_at = now()
         from seller_authorization o where n.for_client = $1 and o.for_client = $2`,
        [nova, orion],
      );
    await waitUntil('the renewal has failed', async () => {
      const { rows } = await database.query(
        'select from seller_authorization where for_client = $1 and failures > 0',
        [nova],
      );
      return rows.length > 0 ? true : undefined;
    });
    expect(made.server.tokenRequests).toHaveLength(renewed);
    // The login itself, and the whole sign-in, are said to be those of the other client.
    await database.query(
      `update client_login n set credential_id = o.credential_id from client_login o
       where n.client_id = $1 and o.client_id = $2`,
      [nova, orion],
    );
    expect(await tokensOf('nova.example')).toEqual([]);
    await database.end();
    expect(await tokensOf('orion.example')).toEqual(ofOrion);
    const args = ['accounts', 'logout', '--seller', 'split', '--client', orion, '--data', folder.path];
    expect((await runSwitchyard(args)).code).toBe(0);
    expect(await tokensOf('orion.example')).toEqual([shared]);
    expect(made.server.refreshTokens()).toBe(1);
  });

  it('is refused if the answer comes from another issuer (RFC 9207)', async () => {
    const made = await seller();
    const asked = await sellers([
      'add',
      made.agentUrl,
      '--slug',
      'mixed',
      '--oauth',
      '--issuer',
      made.server.issuer,
    ]);
    const person = await browserOf(instance.token);
    const page = await person(String(asked.json['authorize_url']));
    const back = new URL(await consented(made, page.text));
    back.searchParams.set('iss', 'http://127.0.0.1:1');
    expect((await person(back.href)).status).toBe(502);
    expect(made.server.tokenRequests).toEqual([]);
  });
});
