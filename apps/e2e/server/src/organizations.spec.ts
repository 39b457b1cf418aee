import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startServer } from '@switchyard/testing';
import { Catalogue, buyRequest, list, type Json } from './harness/buy-request.js';
import { dataFolder } from './harness/data-folder.js';
import { callTask, type Send } from './harness/call-task.js';
import { startInstance, type Instance } from './harness/instance.js';
import { Market, marketTokens } from './harness/market.js';
import { admin } from './harness/own-everything.js';
import { jsonOf, runSwitchyard } from './harness/run-switchyard.js';
import { waitUntil } from './harness/wait-until.js';
import { send } from './harness/http-answer.js';

/*
 * Organizations that are created while the product runs: each works with its own items, and none sees anything of
 * another.
 */

const folder = dataFolder();
let instance: Instance;
let market: Market;

interface Agency extends Required<Pick<Send, 'url' | 'token'>> {
  readonly organizationId: string;
  readonly domain: string;
  /** The sandbox seller that it onboarded. */
  readonly seller: string;
  readonly mediaBuyId: string;
}
let nova: Agency;
let orion: Agency;

/** Creates an organization with the command. Its admin onboards one seller and buys there. */
async function open(name: string, domain: string, seller: string, more: readonly string[]): Promise<Agency> {
  const made = await jsonOf<{ organization_id: string; admin: { principal_id: string; token: string } }>([
    ...['organizations', 'add', name, '--domain', domain, '--data', folder.path],
    ...more,
  ]);
  const to = { url: instance.url, token: made.admin.token };
  const agent = (await market.agents()).find(({ slug }) => slug === seller);
  const imported = await admin(to, 'POST', '/v1/sellers', {
    slug: seller,
    agent_url: agent?.agent_url,
    protocol: agent?.agent_url.endsWith('/mcp') === true ? 'mcp' : 'a2a',
    dialect: 'adcp',
    token: marketTokens(folder.path)[seller],
  });
  expect(imported).toMatchObject({ slug: seller, state: 'live' });
  const catalogue = await Catalogue.read(to);
  expect(catalogue.sellers.map((row) => row['seller'])).toEqual([seller]);
  const { body, text } = await callTask('REST', to, 'create_media_buy', {
    ...buyRequest([catalogue.packageOf(seller)]),
    account: { brand: { domain: 'roaster.example' }, operator: domain },
  });
  const mediaBuyId = body['media_buy_id'];
  if (typeof mediaBuyId !== 'string') throw new Error(`create_media_buy answered ${text}`);
  return { ...to, organizationId: made.organization_id, domain, seller, mediaBuyId };
}

beforeAll(async () => {
  instance = await startInstance(folder.path, ['--market', 'prompt,courier']);
  market = Market.of(folder.path);
  nova = await open('Nova Agency', 'nova.example', 'prompt', ['--currency', 'EUR']);
  orion = await open('Orion Agency', 'orion.example', 'courier', ['--time-zone', 'Europe/Berlin']);
});

afterAll(async () => {
  await instance.stop();
  await folder.remove();
});

const both = (): readonly (readonly [Agency, Agency])[] => [
  [nova, orion],
  [orion, nova],
];
const get = (of: Agency, path: string): Promise<Json> => admin(of, 'GET', path);

describe('an organization that is created at runtime', () => {
  it('gets the reports of its buys into a ledger of its own, which verifies', async () => {
    for (const [own] of both()) {
      const spend = await waitUntil(`${own.domain} has spent something`, async () => {
        const rows = list((await get(own, '/v1/ledger/spend'))['spend']);
        return rows.some((row) => Number(row['spend']) > 0) ? rows : undefined;
      });
      expect(spend.map((row) => row['seller'])).toEqual([own.seller]);
      const verified = await get(own, '/v1/ledger/verify?from_start=true');
      expect(verified).toMatchObject({ ok: true });
      expect(Number(verified['entries'])).toBeGreaterThan(0);
    }
    // The installation's operator has bought nothing and has an empty ledger.
    expect(await admin(instance, 'GET', '/v1/ledger/spend')).toEqual({ spend: [] });
  });

  it('is known to its seller by its own domain', async () => {
    const calls = await market.calls();
    for (const [own, other] of both()) {
      const { recent = [] } = calls.find(({ slug }) => slug === own.seller) ?? {};
      const sent = recent
        .filter(({ tool }) => tool === 'create_media_buy')
        .map(({ args }) => JSON.stringify(args));
      expect(sent).not.toEqual([]);
      for (const text of sent) expect(text).not.toContain(other.domain);
    }
  });

  it('signs with a key of its own, which is published with all others', async () => {
    const published = (await (await fetch(`${instance.url}/.well-known/jwks.json`)).json()) as Json;
    const kids = list(published['keys']).map((key) => key['kid']);
    for (const [own, other] of both()) {
      const keys = list((await get(own, '/v1/keys'))['keys']).map((key) => key['kid']);
      expect(keys).not.toEqual([]);
      expect(kids).toEqual(expect.arrayContaining(keys));
      const theirs = list((await get(other, '/v1/keys'))['keys']).map((key) => key['kid']);
      expect(keys.filter((kid) => theirs.includes(kid))).toEqual([]);
    }
  });

  it('continues unchanged after a restart', async () => {
    const before = await get(nova, '/v1/organizations/own');
    await instance.stop();
    instance = await startInstance(folder.path, ['--market', 'prompt,courier']);
    nova = { ...nova, url: instance.url };
    orion = { ...orion, url: instance.url };
    expect(await get(nova, '/v1/organizations/own')).toEqual(before);
    expect(await get(nova, `/v1/buys/${nova.mediaBuyId}`)).toMatchObject({ media_buy_id: nova.mediaBuyId });
  });
});

describe('two organizations of one installation', () => {
  it('list only their own sellers, buys, principals, credentials, custody and events', async () => {
    for (const [own, other] of both()) {
      const lists = await Promise.all(
        [
          ...[
            'sellers',
            'buys',
            'principals',
            'credentials',
            'custody',
            'events',
            'accounts',
            'organizations',
          ],
          ...['keys', 'alarms', 'approvals', 'delegations', 'signers'],
        ].map((noun) => get(own, `/v1/${noun}`)),
      );
      const text = JSON.stringify(lists);
      expect(text).toContain(own.mediaBuyId);
      for (const foreign of [other.mediaBuyId, other.organizationId, other.domain, other.token])
        expect(text).not.toContain(foreign);
      expect(list(lists[0]?.['sellers']).map((row) => row['slug'])).toEqual([own.seller]);
    }
  });

  it('get the same answer for a buy and an organization of the other as for ones that do not exist', async () => {
    for (const [own, other] of both()) {
      const nobodys = '00000000-0000-4000-8000-000000000000';
      expect(await send(own, 'GET', `/v1/organizations/${other.organizationId}`)).toEqual(
        await send(own, 'GET', `/v1/organizations/${nobodys}`),
      );
      const { status } = await send(own, 'GET', `/v1/buys/${other.mediaBuyId}`);
      expect(status).toBe(404);
      const { body } = await callTask('REST', own, 'get_media_buys', {
        adcp_version: '3.1',
        media_buy_ids: [other.mediaBuyId],
      });
      expect(list(body['media_buys'])).toEqual([]);
    }
  });

  it('are listed and created only with the admin secret', async () => {
    const listed = await jsonOf<Json>(['organizations', 'list', '--data', folder.path]);
    expect(list(listed['organizations']).map((row) => row['name'])).toEqual([
      'Practice Agency',
      'Nova Agency',
      'Orion Agency',
    ]);
    const tried = await runSwitchyard([
      ...['organizations', 'add', 'Sneaked', '--domain', 'sneaked.example', '--data', folder.path],
      ...['--token', nova.token],
    ]);
    expect([tried.code, tried.stderr]).toEqual([
      1,
      expect.stringContaining('the operator of this installation'),
    ]);
  });
});

describe('the domain of an organization', () => {
  it('allows no sellers beyond this machine until it is proved', async () => {
    const site = await startServer((request, response) => {
      const isRequested = request.url === '/.well-known/switchyard-challenge';
      response.statusCode = isRequested ? 200 : 404;
      response.end(isRequested ? challenge : '');
    });
    let challenge = 'not yet';
    const domain = `127.0.0.1:${String(site.port)}`;
    const by = ['--data', folder.path, '--token', orion.token];
    const seller = { slug: 'far', agent_url: 'https://far.example/mcp', protocol: 'mcp', dialect: 'adcp' };
    await expect(admin(orion, 'POST', '/v1/sellers', seller)).rejects.toThrow(/422.*DOMAIN_NOT_PROVED/);
    await jsonOf(['organizations', 'set', '--domain', domain, ...by]);
    const shown = await jsonOf<Json>(['organizations', 'show', ...by]);
    expect(await jsonOf(['organizations', 'prove', ...by])).toMatchObject({ proved: false });
    challenge = String(shown['domain_challenge']);
    const proved = await jsonOf<Json>(['organizations', 'prove', ...by]);
    await site.close();
    expect(proved).toMatchObject({ proved: true, domain, domain_proof: 'well_known' });
    expect(await get(nova, '/v1/organizations/own')).not.toHaveProperty('domain_proof');
  });

  it('is the operator that callers declare; the local profile accepts another one with a finding', async () => {
    const catalogue = await Catalogue.read(nova);
    const { body } = await callTask('REST', nova, 'create_media_buy', {
      ...buyRequest([catalogue.packageOf('prompt')]),
      account: { brand: { domain: 'roaster.example' }, operator: 'somebody-else.example' },
    });
    expect(JSON.stringify(body)).toContain('OPERATOR_NOT_OWN');
  });
});
