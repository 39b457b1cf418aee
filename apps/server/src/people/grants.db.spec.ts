import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import type { LimitKind } from '@switchyard/buys';
import {
  grantDirectory,
  teamDirectory,
  identityDirectory,
  openStore,
  organizations,
  principalDirectory,
  setUpLists,
  signerDirectory,
  spendingLimits,
  controlRequests,
  listReader,
} from '@switchyard/store';
import { admitToken, allPermissions, hashToken, reachOf, type Permissions } from '@switchyard/tenancy';
import { createOrganization, createPrincipal, openTestStore, testClock } from '@switchyard/testing';
import { isUuid, must, ok, type JsonObject, type Result } from '@switchyard/values';
import { principalCaller } from '../platform/caller/principal-caller.js';
import { permissionRefusal } from '../platform/caller/permission-refusal.js';
import type { PrincipalCaller } from '../platform/tasks/call/task-call.js';
import { grantRoutes } from './grants.routes.js';
import { meRoutes } from '../business/me.routes.js';
import { principalRoutes } from './principals.routes.js';
import { teamRoutes } from './teams.routes.js';
import { tokenRoutes } from './tokens.routes.js';
import { callRoutes } from '../platform/routes/testkit/call-route.js';

const clock = testClock();
const { store, stop } = await openTestStore(openStore);
afterAll(stop);

const principals = principalDirectory(store);
const deps = {
  passwords: { set: () => Promise.reject(new Error('No password is set here.')) },
  principals,
  grants: grantDirectory(store),
  controls: controlRequests(store),
  teams: teamDirectory(store),
  lists: listReader(store),
  identities: identityDirectory(store),
  signers: signerDirectory(store),
  setUp: setUpLists(store),
  spendingLimits: spendingLimits(store),
  organizations: organizations(store),
  egress: { checkUrl: () => Promise.resolve(ok(undefined)) },
  clock,
  newId: () => randomUUID(),
  randomBytes,
  baseUrl: () => 'http://127.0.0.1',
  local: { scope: { organizationId: randomUUID() }, principalName: 'operator' },
  sellersReady: () => Promise.resolve(),
};
const call = callRoutes<typeof deps>(
  [...grantRoutes, ...meRoutes, ...principalRoutes, ...teamRoutes, ...tokenRoutes],
  deps,
);

const made = (result: Result<JsonObject, unknown>): JsonObject => {
  if (!result.ok) throw new Error(JSON.stringify(result.error));
  return result.value;
};

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

async function admin(permissions: Permissions = allPermissions): Promise<PrincipalCaller> {
  const { id } = await createOrganization(store);
  return principalCaller(await createPrincipal(store, id, { permissions, kind: 'person' }));
}

async function callerOf(token: unknown): Promise<PrincipalCaller> {
  const match = await principals.findByTokenHash(hashToken(text(token)));
  const admitted = must(admitToken(match, clock.now()));
  return principalCaller(admitted);
}

/** A client with a brand and a campaign, as rows. */
async function clientOf({ organizationId }: PrincipalCaller) {
  const [client, campaign] = [randomUUID(), randomUUID()];
  const brand = `${client.slice(0, 8)}.example`;
  const base = { organization_id: organizationId, created_at: new Date(), updated_at: new Date() };
  await store.inTenantModels({ organizationId }, async (models) => {
    await models.client.create({ data: { id: client, name: client, ...base } });
    await models.brand.create({
      data: { id: randomUUID(), client_id: client, domain: brand, name: brand, ...base },
    });
    const dates = { starts_on: '2026-01-01', ends_on: '2026-12-31', currency: 'USD' };
    await models.campaign.create({
      data: { id: campaign, client_id: client, brand_domain: brand, name: 'spring', ...dates, ...base },
    });
  });
  return { client, brand, campaign };
}

const grant = (principal: unknown, role: string, scope: string) => ({
  body: { principal: text(principal), role, scope },
});
const person = (name: string, ...grants: readonly JsonObject[]) => ({
  body: { name, kind: 'person', grants: [...grants] },
});

describe('a principal with roles', () => {
  it('has their permissions in their scopes from its first token on, and shows them', async () => {
    const by = await admin();
    const { client, brand } = await clientOf(by);
    const roles = [
      { role: 'trader', scope: `client:${client}` },
      { role: 'viewer', scope: `brand:${brand.toUpperCase()}` },
    ];
    const { token, grants } = made(await call(by, 'add_principal', person('ann', ...roles)));
    expect(new Set(grants as JsonObject[])).toEqual(
      new Set([roles[0], { role: 'viewer', scope: `brand:${brand}` }]),
    );
    const me = made(await call(await callerOf(token), 'show_me'));
    expect(me).toMatchObject({
      name: 'ann',
      kind: 'person',
      roles: expect.arrayContaining(['trader', 'viewer']),
    });
    expect(me['organization']).toMatchObject({ organization_id: by.organizationId });
    expect(me['scopes']).toEqual(expect.arrayContaining([`brand:${brand}`]));
    expect(me['permission_list']).toEqual(expect.arrayContaining(['media_buys.write', 'ledger.read']));
    expect(me['permission_list']).not.toContain('sellers.read');
    expect(me['limits']).toEqual([]);
    const limit = (kind: LimitKind, key: string, at: number) =>
      deps.spendingLimits.set(
        by,
        {
          ...{ id: randomUUID(), kind, key, amount: 5_000_000n, currency: 'USD' },
          ...{ above: 'ask', createdAt: clock.now() + at },
        },
        by.principalId,
      );
    await limit('brand', brand, 3);
    await limit('each_buy', '', 2);
    await limit('new_brand', '', 1);
    // No limits on what it does not see.
    for (const [kind, key] of [
      ['organization', ''],
      ['seller', 'acme'],
      ['brand', 'other.example'],
    ] as const)
      await limit(kind, key, 0);
    const limited = made(await call(await callerOf(token), 'show_me'));
    expect(limited['limits']).toMatchObject([
      { for: `brand:${brand}`, limit: '5', left: '5' },
      { for: 'each-buy', limit: '5', left: null },
      { for: 'new-brand', limit: '5', left: null },
    ]);
    expect(limited['limits']).toHaveLength(3);
    expect((me['grants'] as JsonObject[]).map(({ role, scope }) => ({ role, scope }))).toEqual(grants);
    // A person with roles holds nothing beside them, and a trader of one client no part of the sellers.
    expect(Object.keys(me['permissions'] as object).toSorted()).toEqual(
      [
        'clients',
        'creatives',
        'delegations',
        'ledger',
        'media_buys',
        'products',
        'reports',
        'signals',
      ].toSorted(),
    );
  });

  it('loses a role from its next request on, by the id in the list, in pages', async () => {
    const by = await admin();
    const { token } = made(await call(by, 'add_principal', person('bob', { role: 'trader', scope: 'own' })));
    clock.advance(1);
    const row = made(await call(by, 'add_grant', grant('bob', 'finance', 'organization')));
    const first = made(await call(by, 'list_grants', { query: { principal: 'bob', limit: '1' } }));
    const query = { principal: 'bob', limit: '1', cursor: text(first['next_cursor']) };
    const second = made(await call(by, 'list_grants', { query }));
    const roleIn = (page: JsonObject) => (page['grants'] as JsonObject[]).map(({ role }) => role);
    expect([roleIn(first), roleIn(second), second['next_cursor']]).toEqual([
      ['trader'],
      ['finance'],
      undefined,
    ]);
    const newest = { principal: 'bob', limit: '1', sort: 'newest' };
    const last = made(await call(by, 'list_grants', { query: newest }));
    const cursor = text(last['next_cursor']);
    const before = made(await call(by, 'list_grants', { query: { ...newest, cursor } }));
    expect([roleIn(last), roleIn(before)]).toEqual([['finance'], ['trader']]);
    expect((await callerOf(token)).permissions['delegations']).toBeDefined();
    const id = { params: { id: text(row['grant_id']) } };
    made(await call(by, 'remove_grant', id));
    expect((await callerOf(token)).permissions['delegations']).toBeUndefined();
    expect(await call(by, 'remove_grant', id)).toMatchObject({ error: { code: 'NOT_FOUND' } });
  });

  it('gets the name of the missing permission and scope, and of those in its organization who can grant it', async () => {
    const [by, other] = [await admin(), await admin()];
    const refused = (caller: PrincipalCaller) =>
      permissionRefusal(deps.grants, caller, { area: 'media_buys', permission: 'write' });
    const { message, suggestion } = await refused(by);
    expect(message).toBe('This needs the permission media_buys.write. You do not have it in any scope.');
    expect(suggestion).toContain(`Ask ${by.name} to grant it`);
    expect(suggestion).not.toContain(other.name);
    expect((await refused(await admin({}))).suggestion).toContain('an admin of the organization');
  });
});

describe('a team', () => {
  const member = (team: string, principal: string) => ({ params: { name: team }, body: { principal } });

  it('gives its members its roles from the next request on, until the grant or the membership ends', async () => {
    const by = await admin();
    const { client, brand } = await clientOf(by);
    const { token, principal_id: id } = made(await call(by, 'add_principal', person('cy')));
    made(await call(by, 'add_team', { body: { name: 'desk' } }));
    expect(await call(by, 'add_team', { body: { name: 'desk' } })).toMatchObject({
      error: { code: 'CONFLICT', field: 'name' },
    });
    made(await call(by, 'add_team_member', member('desk', 'cy')));
    const give = { body: { team: 'desk', role: 'trader', scope: `client:${client}` } };
    const given = made(await call(by, 'add_grant', give));
    expect(given).toMatchObject({ team: 'desk', role: 'trader' });
    expect(given).not.toHaveProperty('principal_id');
    const writes = async () => reachOf(await callerOf(token), 'media_buys', 'write');
    expect(await writes()).toMatchObject({ kind: 'limited', clientIds: [client], brandDomains: [] });
    // What it has itself and what its teams have is one list to every rule.
    made(await call(by, 'add_grant', grant('cy', 'trader', `brand:${brand}`)));
    expect(await writes()).toMatchObject({ clientIds: [client], brandDomains: [brand] });
    expect(await call(by, 'list_grants', { query: { team: 'desk' } })).toMatchObject({
      value: { grants: [{ team: 'desk', scope: `client:${client}` }] },
    });
    expect(await call(by, 'list_principals', { query: { role: 'trader' } })).toMatchObject({
      value: { principals: [{ name: 'cy' }] },
    });
    expect(await call(by, 'list_teams', {})).toMatchObject({
      value: { teams: [{ name: 'desk', members: [{ principal_id: id, name: 'cy' }] }] },
    });

    const gone = { params: { name: 'desk', principal: 'cy' } };
    expect(made(await call(by, 'remove_team_member', gone))).toMatchObject({ member: 'cy', removed: true });
    expect(await writes()).toMatchObject({ clientIds: [], brandDomains: [brand] });
    expect(await call(by, 'remove_team_member', gone)).toMatchObject({ error: { code: 'NOT_FOUND' } });
    made(await call(by, 'add_team_member', member('desk', text(id))));
    expect(await writes()).toMatchObject({ clientIds: [client] });
    made(await call(by, 'remove_grant', { params: { id: text(given['grant_id']) } }));
    expect(await writes()).toMatchObject({ clientIds: [], brandDomains: [brand] });
  });

  it('accepts no member from a caller with fewer roles, and no principal or team of another organization', async () => {
    const [by, other] = [await admin(), await admin()];
    await call(by, 'set_role', {
      params: { name: 'desk' },
      body: { permissions: { principals: ['read', 'write'] } },
    });
    const added = await call(by, 'add_principal', person('lead', { role: 'desk', scope: 'organization' }));
    const lead = await callerOf(made(added)['token']);
    made(await call(by, 'add_team', { body: { name: 'admins' } }));
    made(await call(lead, 'add_team_member', member('admins', 'lead')));
    made(await call(by, 'remove_team_member', { params: { name: 'admins', principal: 'lead' } }));
    const give = { body: { team: 'admins', role: 'admin', scope: 'organization' } };
    expect(await call(lead, 'add_grant', give)).toMatchObject({ error: { code: 'INVALID_REQUEST' } });
    made(await call(by, 'add_grant', give));
    expect(await call(lead, 'add_team_member', member('admins', 'lead'))).toMatchObject({
      error: { code: 'INVALID_REQUEST', field: 'principal' },
    });
    expect((await callerOf(made(added)['token'])).permissions).toEqual(lead.permissions);
    for (const [caller, team, whom] of [
      [other, 'admins', other.name],
      [by, 'admins', other.principalId],
    ] as const)
      expect(await call(caller, 'add_team_member', member(team, whom))).toMatchObject({
        error: { code: 'NOT_FOUND' },
      });
    expect(made(await call(other, 'list_teams', {}))['teams']).toEqual([]);
  });

  it('is renamed with its roles and members, and never to the name of another', async () => {
    const by = await admin();
    const { token } = made(await call(by, 'add_principal', person('cy')));
    const { team_id: id } = made(await call(by, 'add_team', { body: { name: 'desk' } }));
    made(await call(by, 'add_team', { body: { name: 'attic' } }));
    made(await call(by, 'add_team_member', member('desk', 'cy')));
    made(await call(by, 'add_grant', { body: { team: 'desk', role: 'trader', scope: 'organization' } }));
    const rename = (name: string, to: string) =>
      call(by, 'rename_team', { params: { name }, body: { name: to } });
    expect(await rename('desk', 'attic')).toMatchObject({ error: { code: 'CONFLICT', field: 'name' } });
    expect(made(await rename('desk', ' Nova desk '))).toEqual({ team_id: id, name: 'Nova desk' });
    expect(await rename('desk', 'gone')).toMatchObject({ error: { code: 'NOT_FOUND', field: 'team' } });
    const cy = await callerOf(token);
    expect(reachOf(cy, 'media_buys', 'write')).toEqual({ kind: 'everything' });
    expect(made(await call(cy, 'show_me'))['teams']).toEqual([{ team_id: id, name: 'Nova desk' }]);
    expect(made(await call(by, 'show_me'))['teams']).toEqual([]);
    const { grants } = made(await call(by, 'list_grants', { query: { team: 'Nova desk' } }));
    expect(grants).toMatchObject([{ team: 'Nova desk', role: 'trader' }]);
  });

  it('ends with its grants when it is removed, and gives nobody anything from the next request on', async () => {
    const by = await admin();
    const added = await Promise.all(['cy', 'di'].map((name) => call(by, 'add_principal', person(name))));
    made(await call(by, 'add_team', { body: { name: 'desk' } }));
    for (const name of ['cy', 'di']) made(await call(by, 'add_team_member', member('desk', name)));
    const give = { body: { team: 'desk', role: 'trader', scope: 'organization' } };
    made(await call(by, 'add_grant', give));
    const desk = (await deps.teams.find(by, 'desk'))!;
    const remove = () => call(by, 'remove_team', { params: { name: 'desk' } });
    expect(made(await remove())).toEqual({
      ...{ team_id: desk.id, name: 'desk', removed: true },
      ...{ members: 2, grants_ended: 1 },
    });
    for (const result of added) {
      const caller = await callerOf(made(result)['token']);
      expect([caller.permissions, made(await call(caller, 'show_me'))['teams']]).toEqual([{}, []]);
    }
    const { grants } = made(await call(by, 'list_grants', {}));
    expect(grants).toEqual([]);
    const { rows } = await store.inTenant(by, (client) =>
      client.query('select removed_at from access_grant where team_id = $1', [desk.id]),
    );
    expect(rows).toEqual([{ removed_at: new Date(clock.now()) }]);
    for (const again of [await remove(), await call(by, 'add_grant', give)])
      expect(again).toMatchObject({ error: { code: 'NOT_FOUND', field: 'team' } });
    // What was asked for while the team was there, and comes after its end.
    const [late] = await deps.principals.list(by);
    const tardy = { principalId: late!.id, addedBy: by.principalId, at: clock.now() };
    expect(await deps.teams.addMember(by, desk.id, tardy)).toBe(false);
    const grantRow = { id: randomUUID(), teamId: desk.id, role: 'trader', createdAt: clock.now() };
    expect(await deps.grants.add(by, { ...grantRow, scope: { kind: 'organization' } })).toBe(false);
    expect(await deps.teams.rename(by, desk.id, 'desk')).toBe('gone');
    made(await call(by, 'add_team', { body: { name: 'desk' } }));
  });

  it('cannot be renamed or removed by a caller with fewer roles, in any scope', async () => {
    const by = await admin();
    const [mine, other] = [await clientOf(by), await clientOf(by)];
    const permissions = { principals: ['read', 'write', 'delete'] };
    await call(by, 'set_role', { params: { name: 'lead' }, body: { permissions } });
    const roles = [
      { role: 'lead', scope: 'organization' },
      { role: 'trader', scope: `client:${mine.client}` },
    ];
    const { token } = made(await call(by, 'add_principal', person('lead', ...roles)));
    const lead = await callerOf(token);
    made(await call(by, 'add_principal', person('new')));
    const acts: readonly (readonly [string, object, string])[] = [
      ['add_team_member', { body: { principal: 'new' } }, 'principal'],
      ['rename_team', { body: { name: 'another' } }, 'team'],
      ['remove_team', {}, 'team'],
    ];
    for (const [role, scope, isRefused] of [
      ['admin', 'organization', true],
      ['trader', 'organization', true],
      ['trader', 'own', true],
      ['trader', `client:${other.client}`, true],
      ['trader', `brand:${other.brand}`, true],
      ['trader', `campaign:${other.campaign}`, true],
      ['trader', `client:${mine.client}`, false],
      ['trader', `brand:${mine.brand}`, false],
      ['trader', `campaign:${mine.campaign}`, false],
      ['lead', 'organization', false],
    ] as const) {
      const name = `${role} ${scope}`;
      const { team_id: id } = made(await call(by, 'add_team', { body: { name } }));
      made(await call(by, 'add_grant', { body: { team: name, role, scope } }));
      for (const [act, request, field] of acts) {
        const done = await call(lead, act, { params: { name: text(id) }, ...request });
        const refusal = { ok: false, error: { code: 'INVALID_REQUEST', field } };
        expect([name, act, done]).toMatchObject([name, act, isRefused ? refusal : { ok: true }]);
      }
    }
  });

  it('lists all its roles, each role in a scope once, and the place of each scope', async () => {
    const by = await admin();
    made(await call(by, 'add_team', { body: { name: 'desk' } }));
    const campaigns = await Promise.all([clientOf(by), clientOf(by), clientOf(by)]);
    for (const { campaign } of campaigns)
      for (const role of ['viewer', 'trader', 'viewer'])
        made(await call(by, 'add_grant', { body: { team: 'desk', role, scope: `campaign:${campaign}` } }));
    const { id } = (await deps.teams.find(by, 'desk'))!;
    const held = await deps.grants.ofTeam(by, id);
    expect(held).toHaveLength(6);
    expect(new Set(held.map(({ role, place }) => `${role} ${place?.clientId} ${place?.campaignId}`))).toEqual(
      new Set(
        campaigns.flatMap(({ client, campaign }) =>
          ['viewer', 'trader'].map((role) => `${role} ${client} ${campaign}`),
        ),
      ),
    );
  });
});

describe('a grantor', () => {
  it('grants only roles held in all of that scope, also in a narrower scope', async () => {
    const by = await admin();
    const [mine, other] = [await clientOf(by), await clientOf(by)];
    await call(by, 'set_role', {
      params: { name: 'desk' },
      body: { permissions: { principals: ['write'] } },
    });
    const roles = [
      { role: 'desk', scope: 'organization' },
      { role: 'trader', scope: `client:${mine.client}` },
    ];
    const { token } = made(await call(by, 'add_principal', person('lead', ...roles)));
    made(await call(by, 'add_principal', person('new', { role: 'viewer', scope: 'own' })));
    const lead = await callerOf(token);
    const give = async (role: string, scope: string) => {
      const given = await call(lead, 'add_grant', grant('new', role, scope));
      return given.ok ? isUuid(text(given.value['grant_id'])) : given.error.message;
    };
    expect(await give('trader', `client:${mine.client}`)).toBe(true);
    expect(await give('trader', `brand:${mine.brand}`)).toBe(true);
    expect(await give('trader', `campaign:${mine.campaign}`)).toBe(true);
    expect(await give('trader', `client:${other.client}`)).toMatch(/products\.read in the scope client/);
    expect(await give('trader', 'own')).toMatch(/which you do not have there/);
    expect(await give('trader', 'organization')).toMatch(/which you do not have there/);
    expect(await give('finance', `client:${mine.client}`)).toMatch(/ledger\.write in the scope/);
    // Nor by a role, a token or a principal of somebody who holds more.
    const role = { params: { name: 'desk' }, body: { permissions: { media_buys: ['read'] } } };
    expect((await call(lead, 'set_role', role)).ok).toBe(false);
    for (const name of ['admin', 'viewer'])
      expect(await call(lead, 'set_role', { params: { name }, body: { permissions: {} } })).toMatchObject({
        error: { code: 'INVALID_REQUEST', field: 'name' },
      });
    const less = { params: { name: 'less' }, body: { permissions: {} } };
    expect((await call(lead, 'set_role', less)).ok).toBe(true);
    expect((await call(lead, 'mint_token', { body: { principal: by.name } })).ok).toBe(false);
    expect((await call(lead, 'add_token', { params: { name: by.name }, body: {} })).ok).toBe(false);
    expect((await call(lead, 'mint_token', { body: {} })).ok).toBe(true);
  });

  it('is refused with a code for a role, a scope or a principal that the organization does not have', async () => {
    const [by, other] = [await admin(), await admin()];
    const theirs = await clientOf(other);
    const codeOf = async (principal: string, role: string, scope: string) => {
      const given = await call(by, 'add_grant', grant(principal, role, scope));
      return given.ok ? 'given' : `${given.error.code} ${given.error.field ?? ''}`;
    };
    expect(await codeOf(by.name, 'trader', `client:${theirs.client}`)).toBe('NOT_FOUND scope');
    expect(await codeOf(by.name, 'trader', `brand:${theirs.brand}`)).toBe('NOT_FOUND scope');
    expect(await codeOf(by.name, 'sorcerer', 'organization')).toBe('INVALID_REQUEST role');
    expect(await codeOf(other.name, 'trader', 'organization')).toBe('NOT_FOUND principal');
    expect(await codeOf(other.principalId, 'trader', 'organization')).toBe('NOT_FOUND principal');
    await expect(call(by, 'add_grant', grant(by.name, 'trader', 'world'))).rejects.toThrow('must be');
  });
});
