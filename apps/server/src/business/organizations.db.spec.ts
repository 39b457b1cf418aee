import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createEgress, createTxtLookup } from '@switchyard/egress';
import { checkDomain, type Egress, type TxtLookup } from '@switchyard/sellers';
import { controlRequests, openStore, organizations, principalDirectory } from '@switchyard/store';
import {
  createOrganization,
  createPrincipal,
  openTestStore,
  startNameServer,
  testClock,
  startServer,
  type TestServer,
} from '@switchyard/testing';
import { hashToken, isLoopbackName, type Organization } from '@switchyard/tenancy';
import { isoOf, must, type JsonObject } from '@switchyard/values';
import { principalCaller } from '../platform/caller/principal-caller.js';
import type { AdminCaller } from '../platform/routes/route.js';
import { organizationRoutes, type OrganizationsDeps } from './organizations.routes.js';
import { callRoutes } from '../platform/routes/testkit/call-route.js';

const clock = testClock();
const { store, stop } = await openTestStore(openStore);
const repository = organizations(store);

/** What stands at the site of a domain on this machine, by path. */
const served = new Map<string, string>();
let site: TestServer;
let domain: string;
let egress: Egress;

beforeAll(async () => {
  site = await startServer((request, response) => {
    const body = served.get(request.url ?? '');
    response.statusCode = body === undefined ? 404 : 200;
    response.end(body ?? '');
  });
  domain = `127.0.0.1:${String(site.port)}`;
  egress = createEgress({ allowLoopback: true });
});
afterAll(async () => {
  await egress.close();
  await site.close();
  await stop();
});

const agentUrl = 'https://switchyard.example/mcp';
const brandJson = '/.well-known/brand.json';
const wellKnown = '/.well-known/switchyard-challenge';

/** The routes over the real tables, the real way out, and a name service of the test's own. */
function routes(wanted: { readonly txt?: TxtLookup; readonly sharesAgent?: boolean } = {}) {
  const { txt = createTxtLookup({ servers: ['127.0.0.1:9'], timeoutMs: 50 }), sharesAgent = false } = wanted;
  const deps: OrganizationsDeps = {
    organizations: repository,
    controls: controlRequests(store),
    checkDomain: (organization: Organization) =>
      checkDomain(
        { egress, txt, clock },
        {
          domain: organization.domain,
          challenge: organization.domainChallenge ?? '',
          agentUrls: [agentUrl],
          sharesAgent,
          isLoopback: isLoopbackName(organization.domain),
        },
      ),
    allowsLoopback: true,
    ownKeys: { ensure: () => Promise.resolve(undefined) },
    local: { scope: { organizationId: randomUUID() } },
    clock,
    newId: () => randomUUID(),
    randomBytes,
  };
  return callRoutes(organizationRoutes, deps);
}

/** An organization and its admin as a caller. */
async function somebody(more: Parameters<typeof createOrganization>[1] = {}) {
  const organization = await createOrganization(store, more);
  const admin = principalCaller(
    await createPrincipal(store, organization.id, {
      permissions: { principals: ['read', 'write'] },
    }),
  );
  return { organization, admin };
}

const valueOf = async (answer: ReturnType<ReturnType<typeof routes>>): Promise<JsonObject> => {
  return must(await answer);
};
const codeOf = async (answer: ReturnType<ReturnType<typeof routes>>) => {
  const answered = await answer;
  return answered.ok ? undefined : [answered.error.code, answered.error.field];
};

describe('the rule of four eyes', () => {
  it('is that of known persons, until it is made strict, and can be made so again', async () => {
    const { admin } = await somebody();
    const rule = async (four_eyes: string) => {
      const answer = routes()(admin, 'set_organization', { params: { id: 'own' }, body: { four_eyes } });
      return (await valueOf(answer))['four_eyes'];
    };
    const before = await valueOf(routes()(admin, 'show_organization', { params: { id: 'own' } }));
    expect(before['four_eyes']).toBe('known');
    expect([await rule('strict'), await rule('known')]).toEqual(['strict', 'known']);
  });
});

describe('the rules for campaigns', () => {
  it('ask until they are set, and become weaker once another person approves it', async () => {
    const { organization, admin } = await somebody();
    const set = (by: typeof admin, body: JsonObject) =>
      routes()(by, 'set_organization', { params: { id: 'own' }, body });
    const before = await valueOf(routes()(admin, 'show_organization', { params: { id: 'own' } }));
    expect(before).toMatchObject({ above_budget: 'ask', outside_flight: 'ask' });
    expect(await valueOf(set(admin, { above_budget: 'refuse' }))).toMatchObject({
      ...{ above_budget: 'refuse', outside_flight: 'ask' },
    });
    const permissions = { principals: ['write'], ledger: ['read', 'approve'] } as const;
    const finance = principalCaller(await createPrincipal(store, organization.id, { permissions }));
    for (const body of [{ above_budget: 'ask' }, { outside_flight: 'warn' }])
      expect(await valueOf(set(admin, body))).toEqual({ approval_id: expect.any(String), state: 'open' });
    expect(await codeOf(set(admin, { above_budget: 'ask', name: 'New' }))).toEqual([
      'INVALID_REQUEST',
      'above_budget',
    ]);
    expect(await valueOf(set(finance, { above_budget: 'warn' }))).toMatchObject({
      ...{ above_budget: 'warn', alone: true },
    });
  });
});

describe('the requirements for closing a period', () => {
  it('are set with the permission to close, not with the one to manage people', async () => {
    const { organization, admin } = await somebody();
    const finance = principalCaller(
      await createPrincipal(store, organization.id, {
        permissions: { principals: ['write'], ledger: ['read', 'approve'] },
      }),
    );
    const set = { params: { id: 'own' }, body: { close_unreconciled: true } };
    expect(await codeOf(routes()(admin, 'set_organization', set))).toEqual([
      'INSUFFICIENT_PERMISSIONS',
      'close_unreconciled',
    ]);
    expect(await valueOf(routes()(finance, 'set_organization', set))).toMatchObject({
      close_unreconciled: true,
    });
    expect(
      await valueOf(routes()(admin, 'set_organization', { ...set, body: { name: 'Other' } })),
    ).toMatchObject({
      name: 'Other',
    });
  });
});

describe('a new organization', () => {
  it('has an admin with a working token, and the given zone and currencies', async () => {
    const call = routes();
    const body = { name: 'Nova Agency', domain: 'Nova.Example', time_zone: 'Europe/Berlin', currency: 'EUR' };
    const made = await valueOf(call('local', 'add_organization', { body }));
    const { admin, organization_id: id } = made as { admin: JsonObject; organization_id: string };
    expect(made).toMatchObject({
      domain: 'nova.example',
      time_zone: 'Europe/Berlin',
      currency: 'EUR',
      reporting_currency: 'EUR',
    });
    const match = await principalDirectory(store).findByTokenHash(hashToken(admin['token'] as string));
    expect(match?.principal).toMatchObject({ id: admin['principal_id'], organizationId: id, kind: 'person' });
    const caller = principalCaller(match!.principal);
    const own = await valueOf(call(caller, 'show_organization', { params: { id: 'own' } }));
    expect(own).toMatchObject({ organization_id: id, name: 'Nova Agency' });
    expect(JSON.stringify(own)).not.toContain(admin['token']);
    // A script that is run twice makes one.
    expect(await codeOf(call('local', 'add_organization', { body }))).toEqual(['CONFLICT', 'name']);
  });

  it('is refused without the admin secret, with any other permission', async () => {
    const { admin } = await somebody();
    const body = { name: 'Sneaked in', domain: 'sneak.example' };
    expect(await codeOf(routes()(admin, 'add_organization', { body }))).toEqual([
      'INSUFFICIENT_PERMISSIONS',
      undefined,
    ]);
  });

  it('needs a host name as domain, an IANA time zone and an ISO currency', async () => {
    const call = routes();
    for (const wrong of ['https://a.example', 'agency', '10.0.0.1', 'a.example:443'])
      expect([
        wrong,
        await codeOf(call('local', 'add_organization', { body: { name: wrong, domain: wrong } })),
      ]).toEqual([wrong, ['INVALID_REQUEST', 'domain']]);
    for (const wrong of [{ time_zone: '+02:00' }, { currency: 'EURO' }, { reporting_currency: 'XXX' }, {}])
      await expect(
        call('local', 'set_organization', { params: { id: 'own' }, body: wrong }),
      ).rejects.toThrow();
  });
});

describe('organizations of others', () => {
  it('are listed and changed with the admin secret, and are not found without it', async () => {
    const call = routes();
    const [one, other] = [await somebody(), await somebody()];
    const listed = async (caller: AdminCaller): Promise<readonly string[]> => {
      const { organizations: rows } = await valueOf(call(caller, 'list_organizations', { query: {} }));
      return (rows as JsonObject[]).map((row) => row['organization_id'] as string);
    };
    expect(await listed('local')).toEqual(
      expect.arrayContaining([one.organization.id, other.organization.id]),
    );
    expect(await listed(one.admin)).toEqual([one.organization.id]);
    for (const id of ['show_organization', 'set_organization', 'prove_organization']) {
      const at = (named: string) =>
        call(one.admin, id, {
          params: { id: named },
          ...(id === 'set_organization' && { body: { name: 'Mine' } }),
        });
      expect(await at(other.organization.id)).toEqual(await at(randomUUID()));
      expect(await at('not a uuid')).toMatchObject({ ok: false, error: { code: 'NOT_FOUND' } });
    }
    expect((await repository.byId(other.organization.id))?.name).toBe(other.organization.name);
    const params = { id: other.organization.id };
    expect(
      await valueOf(call('local', 'set_organization', { params, body: { name: 'Named' } })),
    ).toMatchObject({
      name: 'Named',
    });
  });

  it('are listed in pages with the admin secret', async () => {
    const call = routes();
    await somebody();
    const first = await valueOf(call('local', 'list_organizations', { query: { limit: '1' } }));
    const query = { limit: '1', cursor: first['next_cursor'] as string };
    const second = await valueOf(call('local', 'list_organizations', { query }));
    expect(second['organizations']).not.toEqual(first['organizations']);
    const all = async (sort: string) => {
      const found: JsonObject[] = [];
      for (let cursor: string | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
        const page = { limit: '2', sort, ...(cursor !== undefined && { cursor }) };
        const answer = await valueOf(call('local', 'list_organizations', { query: page }));
        found.push(...(answer['organizations'] as JsonObject[]));
        cursor = answer['next_cursor'] as string | undefined;
      }
      return found.map((one) => one['organization_id']);
    };
    const oldest = await all('oldest');
    expect(oldest[0]).toBe((first['organizations'] as JsonObject[])[0]?.['organization_id']);
    expect(await all('newest')).toEqual(oldest.toReversed());
  });
});

describe('the proof of a domain', () => {
  const prove = async (call: ReturnType<typeof routes>, admin: AdminCaller) => {
    const answer = await valueOf(call(admin, 'prove_organization', { params: { id: 'own' } }));
    const checks = answer['checks'] as JsonObject[];
    return { answer, by: checks.filter(({ proves }) => proves).map(({ by }) => by), checks };
  };

  it('is a file that contains the challenge, and no file with another one', async () => {
    const { admin, organization } = await somebody({ domain, domainChallenge: 'challenge-of-one' });
    served.clear();
    const nothing = await prove(routes(), admin);
    expect(nothing.answer).toMatchObject({ proved: false, domain_challenge: 'challenge-of-one' });
    expect(nothing.answer).not.toHaveProperty('domain_proof');
    expect(nothing.checks.map(({ by }) => by)).toEqual(['brand_json', 'well_known', 'dns']);
    served.set(wellKnown, 'challenge-of-another');
    expect((await prove(routes(), admin)).by).toEqual([]);
    served.set(wellKnown, 'challenge-of-one\n');
    const found = await prove(routes(), admin);
    expect(found.by).toEqual(['well_known']);
    expect(found.answer).toMatchObject({ domain_proof: 'well_known', domain_proved_at: isoOf(clock.now()) });
    // A file that is taken away later takes nothing back; another domain does.
    served.clear();
    expect((await prove(routes(), admin)).answer).toMatchObject({
      proved: false,
      domain_proof: 'well_known',
    });
    const params = { id: organization.id };
    const body = { domain: 'another.example' };
    const moved = await valueOf(routes()(admin, 'set_organization', { params, body }));
    expect(moved).not.toHaveProperty('domain_proof');
    expect(moved['domain_challenge']).not.toBe('challenge-of-one');
  });

  it('is a brand.json that lists this agent, with the challenge where several organizations share it', async () => {
    const { admin } = await somebody({ domain, domainChallenge: 'challenge-of-two' });
    served.clear();
    const listing = (url: string, more: object = {}) =>
      served.set(brandJson, JSON.stringify({ agents: [{ type: 'sales', url }], ...more }));
    listing('https://other.example/mcp');
    expect((await prove(routes(), admin)).by).toEqual([]);
    listing(agentUrl);
    expect((await prove(routes({ sharesAgent: true }), admin)).by).toEqual([]);
    listing(agentUrl, { switchyard_challenge: 'challenge-of-one' });
    expect((await prove(routes({ sharesAgent: true }), admin)).by).toEqual([]);
    listing(agentUrl, { switchyard_challenge: 'challenge-of-two' });
    expect((await prove(routes({ sharesAgent: true }), admin)).by).toEqual(['brand_json']);
    listing(agentUrl);
    expect((await prove(routes(), admin)).by).toEqual(['brand_json']);
  });

  it('is a TXT record of a name below the domain', async () => {
    const { admin } = await somebody({ domain: 'nowhere.test', domainChallenge: 'challenge-of-three' });
    const server = await startNameServer({
      '_switchyard.nowhere.test': [['other'], ['challenge-', 'of-three']],
    });
    const txt = createTxtLookup({ servers: [server.address] });
    const found = await prove(routes({ txt }), admin);
    await server.stop();
    expect(found.by).toEqual(['dns']);
    expect(found.answer).toMatchObject({ proved: true, domain_proof: 'dns' });
  });

  it('is possible for an organization that never had a challenge', async () => {
    const { admin } = await somebody({ domain });
    served.clear();
    served.set(wellKnown, '');
    const { answer, by } = await prove(routes(), admin);
    expect(by).toEqual([]);
    expect(answer['domain_challenge']).toMatch(/^[\w-]{32}$/);
  });
});
