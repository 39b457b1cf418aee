import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import {
  approvalStore,
  auditLog,
  clientRepository,
  controlRequests,
  grantDirectory,
  internalApprovals,
  openStore,
  operationStore,
  noticeRepository,
  organizationRemovals,
  organizations,
  principalDirectory,
  signInPolicies,
  stopRepository,
  readPacing,
  type PacingWanted,
  spendingLimits,
  teamDirectory,
  listReader,
} from '@switchyard/store';
import {
  allPermissions,
  builtInRoles,
  defaultSignInPolicy,
  type FourEyes,
  type Permissions,
  type TenantScope,
} from '@switchyard/tenancy';
import { createOrganization, makeOperation, openTestStore, testClock } from '@switchyard/testing';
import { must, type JsonObject } from '@switchyard/values';
import { principalCaller } from '../platform/caller/principal-caller.js';
import type { PrincipalCaller } from '../platform/tasks/call/task-call.js';
import { approvalRoutes } from '../buys/approvals.routes.js';
import { brandRoutes } from '../business/brands.routes.js';
import { campaignRoutes } from '../business/campaigns.routes.js';
import { organizationDeletionRoutes } from '../business/organization-deletion.routes.js';
import { limitRoutes } from '../business/limits.routes.js';
import { rateRoutes } from '../business/rates.routes.js';
import { grantRoutes } from '../people/grants.routes.js';
import { principalRoutes } from '../people/principals.routes.js';
import { signInPolicyRoutes } from '../people/sign-in-policy.routes.js';
import { teamRoutes } from '../people/teams.routes.js';
import type { Route } from '../platform/routes/route.js';
import { callRoutes } from '../platform/routes/testkit/call-route.js';

const clock = testClock(Date.UTC(2026, 10, 28, 12));
const { store, stop } = await openTestStore(openStore);
afterAll(stop);

const operations = operationStore(store);
const directory = principalDirectory(store);
const repositories = {
  controls: controlRequests(store),
  spendingLimits: spendingLimits(store),
  organizations: organizations(store),
  policies: signInPolicies(store),
  defaultPolicy: defaultSignInPolicy(false),
  clients: clientRepository(store),
  grants: grantDirectory(store),
  teams: teamDirectory(store),
  lists: listReader(store),
  principals: directory,
  audit: auditLog(store),
  removals: organizationRemovals(store),
  notices: noticeRepository(store),
  local: { scope: { organizationId: randomUUID() as string } },
  pacing: (scope: TenantScope, wanted: PacingWanted) => readPacing(store, scope, wanted),
  clock,
  newId: () => randomUUID(),
};
const deps = {
  ...repositories,
  approvalPorts: {
    approvals: approvalStore(store),
    internal: internalApprovals(store),
    connections: { list: () => Promise.resolve([]) },
  },
};
// The routes of approvals need ports of sellers for other kinds than the ones of this suite.
const routes: readonly unknown[] = [
  ...limitRoutes,
  ...rateRoutes,
  ...grantRoutes,
  ...principalRoutes,
  ...teamRoutes,
  ...signInPolicyRoutes,
  ...campaignRoutes,
  ...brandRoutes,
  ...approvalRoutes,
  ...organizationDeletionRoutes,
];
const call = callRoutes(routes as readonly Route<unknown>[], deps);

const financeAndTrader: Permissions = { ...builtInRoles['trader'], ledger: ['read', 'write', 'approve'] };
const finance: Permissions = builtInRoles['finance'] ?? {};
const [k, million] = [1_000_000_000n, 1_000_000n];

/** An organization, and people who were not made by one another. */
async function agency(fourEyes: FourEyes = 'known') {
  const { id: organizationId } = await createOrganization(store);
  await repositories.organizations.change(organizationId, { fourEyes });
  const person = async (name: string, permissions: Permissions, heldBy?: PrincipalCaller) => {
    const principal = {
      ...{ id: randomUUID(), organizationId, name, kind: 'person' as const, permissions },
      ...{ transitional: true, legacy: false },
    };
    const enrolment = { principal, ...(heldBy && { heldBy: heldBy.principalId }) };
    await directory.enrol({ organizationId }, enrolment, clock.now());
    return principalCaller(principal);
  };
  return { organizationId, person };
}

const limitOf = (of: string, amount: string, more: JsonObject = {}) => ({
  body: { for: of, amount, currency: 'USD', above: 'refuse', ...more },
});

const text = (member: unknown): string => member as string;
const value = async (answer: ReturnType<typeof call>): Promise<JsonObject> => must(await answer);
const limits = async (by: PrincipalCaller) =>
  ((await value(call(by, 'list_limits')))['limits'] as JsonObject[]).map(({ for: of, limit }) => [of, limit]);
const approve = (by: PrincipalCaller, id: unknown) =>
  call(by, 'approve_request', { params: { id: text(id) }, body: {} });

/** A buy of `micros` USD that its seller has accepted, of the principal and outside of any campaign. */
async function bought(by: PrincipalCaller, micros: bigint, brand = 'acme.example'): Promise<string> {
  const { organizationId, principalId } = by;
  const made = makeOperation({ organizationId }, { sellers: ['acme'], packagesPerLeg: 1, principalId });
  const [leg] = made.legs;
  const begun = await operations.begin(
    { organizationId },
    {
      ...made,
      operation: { ...made.operation, brandDomain: brand, createdAt: clock.now() },
      buy: { ...made.buy, brandDomain: brand, brand: { domain: brand } },
      spend: {
        parts: [{ legId: leg?.id ?? '', seller: 'acme', amount: micros, currency: 'USD' }],
        quotes: [],
      },
    },
  );
  if (begun.kind === 'over') throw new Error('A limit refused the buy.');
  return made.buy.id;
}

describe('the deletion of an organization', () => {
  it('closes it once another person approves, and any admin opens it again', async () => {
    const { organizationId, person } = await agency();
    const [ann, bob] = [await person('ann', allPermissions), await person('bob', allPermissions)];
    const [own, other] = [{ params: { id: 'own' } }, { params: { id: (await agency()).organizationId } }];
    const state = async () => (await value(call(ann, 'show_organization_deletion', own)))['state'];
    const { approval_id: id } = await value(call(ann, 'delete_organization', own));
    expect(await approve(ann, id)).toMatchObject({ error: { code: 'INSUFFICIENT_PERMISSIONS' } });
    expect(await state()).toBe('open');
    expect(await value(approve(bob, id))).toMatchObject({ state: 'approved' });
    expect(await value(call(ann, 'show_organization_deletion', own))).toMatchObject({
      ...{ organization_id: organizationId, state: 'closed', requested_by: ann.principalId },
      due_at: expect.any(String),
    });
    expect(await stopRepository(store, clock).list({ organizationId })).toMatchObject([
      { kind: 'organization' },
    ]);
    expect(await call(bob, 'delete_organization', own)).toMatchObject({ error: { code: 'CONFLICT' } });
    for (const route of ['delete_organization', 'show_organization_deletion', 'keep_organization'])
      expect(await call(bob, route, other)).toMatchObject({ error: { code: 'NOT_FOUND' } });
    expect(await value(call(bob, 'keep_organization', own))).toEqual({
      organization_id: organizationId,
      state: 'open',
    });
    expect(await call(bob, 'keep_organization', own)).toMatchObject({ error: { code: 'CONFLICT' } });
    const { rows: told } = await store.inTenant({ organizationId }, (client) =>
      client.query<{ kind: string }>(
        `select kind from notice where object_kind = 'organization' order by kind`,
      ),
    );
    expect(told.map(({ kind }) => kind)).toEqual(['organization.closed', 'organization.kept']);
    expect(await stopRepository(store, clock).list({ organizationId })).toEqual([]);
  });

  it('is refused for the organization that the server makes again, and taken alone where nobody else could approve it', async () => {
    const { organizationId, person } = await agency();
    const ann = await person('ann', allPermissions);
    const own = { params: { id: 'own' } };
    deps.local.scope.organizationId = organizationId;
    expect(await call(ann, 'delete_organization', own)).toMatchObject({ error: { code: 'CONFLICT' } });
    deps.local.scope.organizationId = randomUUID();
    const alone = await value(call(ann, 'delete_organization', own));
    expect(alone).toMatchObject({ state: 'closed', alone: true });
  });
});

describe('a limit under four eyes', () => {
  it.each(['known', 'strict'] as const)(
    'is not raised by whoever buys under it, and so not lowered again after a buy: %s',
    async (rule) => {
      const { person } = await agency(rule);
      const operator = await person('operator', allPermissions);
      const ann = await person('ann', financeAndTrader, operator);
      const first = await value(call(ann, 'set_limit', limitOf('organization', '1000')));
      expect(first).toEqual({ limit_id: expect.any(String) });
      const raised = await value(call(ann, 'set_limit', limitOf('organization', '200000')));
      expect(raised).toEqual({ approval_id: expect.any(String), state: 'open' });
      await expect(bought(ann, 200n * k)).rejects.toThrow('A limit refused');
      expect(await approve(ann, raised['approval_id'])).toMatchObject({
        error: { code: 'INSUFFICIENT_PERMISSIONS' },
      });
      expect(await limits(ann)).toEqual([['organization', '1000']]);
    },
  );

  it('is raised once another person approves it, who is shown what it makes possible', async () => {
    const { person } = await agency('strict');
    const ann = await person('ann', financeAndTrader);
    const bob = await person('bob', finance);
    await value(call(ann, 'set_limit', limitOf('organization', '1000')));
    const { approval_id: id } = await value(call(ann, 'set_limit', limitOf('organization', '5000')));
    const listed = await value(call(bob, 'list_approvals', { query: { state: 'open' } }));
    expect(listed['approvals']).toMatchObject([
      {
        ...{ approval_id: id, kind: 'control', task: 'set_limit', asked_by_name: 'ann' },
        ...{ amount: '5000', currency: 'USD', subject: 'limit on the organization' },
        before: '1000 USD, refuse above it',
        after: '5000 USD, refuse above it',
      },
    ]);
    expect(await value(approve(bob, id))).toMatchObject({ state: 'approved', decided_by_name: 'bob' });
    expect(await limits(ann)).toEqual([['organization', '5000']]);
    await bought(ann, 4n * k);
    expect(await approve(bob, id)).toMatchObject({ error: { code: 'CONFLICT' } });
  });

  it('is not removed by one person, nor does it ask instead of refuse, nor change currency', async () => {
    const { person } = await agency();
    const ann = await person('ann', financeAndTrader);
    await person('bob', finance);
    const { limit_id: id } = await value(call(ann, 'set_limit', limitOf('organization', '1000')));
    const waits = { approval_id: expect.any(String), state: 'open' };
    expect(await value(call(ann, 'remove_limit', { params: { id: text(id) } }))).toEqual(waits);
    for (const more of [{ above: 'ask' }, { currency: 'EUR' }])
      expect(await value(call(ann, 'set_limit', limitOf('organization', '1000', more)))).toEqual(waits);
    expect(await value(call(ann, 'set_limit', limitOf('organization', '900')))).toEqual({
      limit_id: expect.any(String),
    });
    expect(await limits(ann)).toEqual([['organization', '900']]);
  });

  it('on a brand counts every spelling of the brand, and is not set apart for one', async () => {
    const { person } = await agency();
    const ann = await person('ann', financeAndTrader);
    await person('bob', finance);
    await value(call(ann, 'set_limit', limitOf('brand:WWW.Acme.example.', '1000')));
    expect(await limits(ann)).toEqual([['brand:acme.example', '1000']]);
    const raised = await value(call(ann, 'set_limit', limitOf('brand:www.acme.example', '2000')));
    expect(raised).toHaveProperty('approval_id');
  });

  it('is raised by a person alone at once, which the request records', async () => {
    const { person } = await agency();
    const operator = await person('operator', allPermissions);
    await person('ann', financeAndTrader, operator);
    await person('bob', finance, operator);
    await value(call(operator, 'set_limit', limitOf('organization', '1000')));
    expect(await value(call(operator, 'set_limit', limitOf('organization', '5000')))).toEqual({
      limit_id: expect.any(String),
      alone: true,
    });
    const listed = await value(call(operator, 'list_approvals'));
    expect(listed['approvals']).toMatchObject([
      {
        state: 'approved',
        asked_by_name: 'operator',
        decision_reason: expect.stringMatching(/^Nobody else/),
      },
    ]);
    expect(await limits(operator)).toEqual([['organization', '5000']]);
  });

  it('is raised at once where four eyes are off, but never by a program', async () => {
    const { person } = await agency('off');
    const ann = await person('ann', financeAndTrader);
    await person('bob', finance);
    await value(call(ann, 'set_limit', limitOf('organization', '1000')));
    const program = { ...ann, program: 'assistant' };
    expect(await call(program, 'set_limit', limitOf('organization', '5000'))).toMatchObject({
      error: { code: 'INSUFFICIENT_PERMISSIONS' },
    });
    expect(await value(call(ann, 'set_limit', limitOf('organization', '5000')))).not.toHaveProperty('state');
    expect(await limits(ann)).toEqual([['organization', '5000']]);
  });

  it('in place of two limits of one brand is immediate only if it is lower than both', async () => {
    const { person } = await agency();
    const ann = await person('ann', financeAndTrader);
    await person('bob', finance);
    await value(call(ann, 'set_limit', limitOf('brand:acme.example', '500', { above: 'ask' })));
    await store.inTenant(ann, (client) =>
      client.query(
        `insert into spending_limit (id, organization_id, kind, key, amount_micros, currency, above, created_at)
         values ($1, $2, 'brand', 'acme.example', 1000000000, 'USD', 'refuse', now())`,
        [randomUUID(), ann.organizationId],
      ),
    );
    expect(await value(call(ann, 'set_limit', limitOf('brand:acme.example', '700')))).toHaveProperty('state');
    expect(
      await value(call(ann, 'set_limit', limitOf('brand:acme.example', '500', { above: 'ask' }))),
    ).toHaveProperty('state');
    expect(await value(call(ann, 'set_limit', limitOf('brand:www.acme.example', '500')))).toEqual({
      limit_id: expect.any(String),
    });
    expect(await limits(ann)).toEqual([['brand:acme.example', '500']]);
  });

  it('asked for again is the request that waits already, however many came since, until it is decided or asks for something else', async () => {
    const { organizationId, person } = await agency();
    const ann = await person('ann', financeAndTrader);
    const bob = await person('bob', finance);
    await value(call(ann, 'set_limit', limitOf('organization', '1000')));
    const raise = async (amount: string) =>
      text((await value(call(ann, 'set_limit', limitOf('organization', amount))))['approval_id']);
    const first = await raise('5000');
    await store.inTenant({ organizationId }, (client) =>
      client.query(
        `insert into control_request
         select (jsonb_populate_record(r, jsonb_build_object('id', gen_random_uuid(), 'principal_id', $2::text,
           'requested_at', r.requested_at + interval '1 minute'))).*
         from control_request r, generate_series(1, 300) where r.id = $1::uuid`,
        [first, bob.principalId],
      ),
    );
    expect(await raise('5000')).toBe(first);
    expect(await raise('6000')).not.toBe(first);
    await value(call(bob, 'deny_request', { params: { id: first }, body: { reason: 'no' } }));
    expect(await raise('5000')).not.toBe(first);
  });

  it('is not raised by an approval that comes after the limit has changed', async () => {
    const { person } = await agency();
    const ann = await person('ann', financeAndTrader);
    const bob = await person('bob', finance);
    await value(call(ann, 'set_limit', limitOf('organization', '1000')));
    const { approval_id: id } = await value(call(ann, 'set_limit', limitOf('organization', '5000')));
    await value(call(bob, 'set_limit', limitOf('organization', '500')));
    expect(await approve(bob, id)).toMatchObject({
      error: { code: 'CONFLICT', message: expect.stringContaining('has changed since') },
    });
    expect(await value(call(bob, 'show_approval', { params: { id: text(id) } }))).toMatchObject({
      state: 'failed',
    });
    expect(await limits(ann)).toEqual([['organization', '500']]);
  });

  it('stays as it is if the request is denied, withdrawn or expired', async () => {
    const { person } = await agency();
    const ann = await person('ann', financeAndTrader);
    const bob = await person('bob', finance);
    await value(call(ann, 'set_limit', limitOf('organization', '1000')));
    const request = async () =>
      text((await value(call(ann, 'set_limit', limitOf('organization', '5000'))))['approval_id']);
    const denied = await request();
    const body = { reason: 'no' };
    expect(await value(call(bob, 'deny_request', { params: { id: denied }, body }))).toMatchObject({
      ...{ state: 'denied', decision_reason: 'no' },
    });
    const own = await request();
    expect(await call(bob, 'withdraw_request', { params: { id: own } })).toMatchObject({
      error: { code: 'NOT_FOUND' },
    });
    expect(await value(call(ann, 'withdraw_request', { params: { id: own } }))).toMatchObject({
      state: 'withdrawn',
    });
    const late = await request();
    clock.advance(73 * 3_600_000);
    expect(await approve(bob, late)).toMatchObject({ error: { code: 'CONFLICT' } });
    expect(await value(call(ann, 'show_approval', { params: { id: late } }))).toMatchObject({
      state: 'expired',
    });
    expect(await limits(ann)).toEqual([['organization', '1000']]);
  });

  it('is decided only by whoever reaches it, and shown to nobody else', async () => {
    const { person } = await agency();
    const ann = await person('ann', financeAndTrader);
    const bob = await person('bob', finance);
    const buyer = await person('eve', { media_buys: ['read', 'write', 'approve'] });
    await value(call(ann, 'set_limit', limitOf('organization', '1000')));
    const { approval_id: id } = await value(call(ann, 'set_limit', limitOf('organization', '5000')));
    expect(await approve(buyer, id)).toMatchObject({ error: { code: 'NOT_FOUND' } });
    expect((await value(call(buyer, 'list_approvals')))['approvals']).toEqual([]);
    const reader = { ...bob, permissions: { ...bob.permissions, ledger: ['read'] } };
    expect(await approve(reader, id)).toMatchObject({ error: { code: 'INSUFFICIENT_PERMISSIONS' } });
    expect(await approve({ ...bob, program: 'assistant' }, id)).toMatchObject({
      error: { code: 'INSUFFICIENT_PERMISSIONS' },
    });
  });
});

describe('an exchange rate', () => {
  it('that makes room under a limit waits for another person; one that takes room away does not', async () => {
    const { person } = await agency();
    const ann = await person('ann', financeAndTrader);
    const bob = await person('bob', finance);
    const rate = (from: string, to: string, rate: string, date = '2026-11-20', sure = {}) =>
      call(ann, 'set_rate', { body: { from, to, rate, date, source: 'ECB', ...sure } });
    const asWritten = { as_written: true };
    expect(await value(rate('EUR', 'USD', '1.1'))).toMatchObject({ rate: '1.1' });
    await value(call(ann, 'set_limit', limitOf('organization', '1000')));
    const waits = { approval_id: expect.any(String), state: 'open' };
    const far = { ok: false, error: { code: 'CONFLICT', message: expect.stringContaining('was 1.1') } };
    expect(await rate('EUR', 'USD', '0.0001')).toMatchObject(far);
    expect(await rate('EUR', 'USD', '110')).toMatchObject(far);
    expect(await value(rate('EUR', 'USD', '0.0001', '2026-11-20', asWritten))).toEqual(waits);
    expect(await value(rate('GBP', 'USD', '0.0001'))).toEqual(waits);
    expect(await value(rate('EUR', 'USD', '1.2', '2026-11-21'))).toMatchObject({ rate: '1.2' });
    expect(await value(rate('EUR', 'USD', '1.0', '2026-11-19'))).toMatchObject({ rate: '1.0' });
    expect(await value(rate('USD', 'EUR', '0.0001'))).toMatchObject({ to: 'EUR' });
    const lower = await value(rate('EUR', 'USD', '1.15', '2026-11-28'));
    expect(lower).toEqual(waits);
    await value(approve(bob, lower['approval_id']));
    const { rates } = await value(call(ann, 'list_rates', { query: { limit: '1' } }));
    expect(rates).toMatchObject([{ rate: '1.15', date: '2026-11-28' }]);
    const text = 'from,to,rate,date,source\nEUR,USD,0.5,2026-11-28,ECB\nEUR,CHF,1,2026-11-28,ECB';
    const file = { name: 'a.csv', text };
    expect(await call(ann, 'import_rates', { body: { file } })).toMatchObject({ ok: false });
    expect(await value(call(ann, 'import_rates', { body: { file, ...asWritten } }))).toEqual(waits);
  });
});

describe('a role', () => {
  it('that lets one principal set limits and buy under them waits for another person', async () => {
    const { person } = await agency();
    const ann = await person('ann', allPermissions);
    const bob = await person('bob', allPermissions);
    const eve = await person('eve', builtInRoles['trader'] ?? {});
    const grant = (role: string, scope = 'organization') =>
      call(ann, 'add_grant', { body: { principal: 'eve', role, scope } });
    expect(await value(grant('viewer'))).toMatchObject({ role: 'viewer' });
    const { approval_id: id } = await value(grant('finance'));
    expect(await directory.find(eve, eve.principalId)).toMatchObject({ permissions: { ledger: ['read'] } });
    const other = await value(approve(bob, id));
    expect(other).toMatchObject({ state: 'approved', reason: expect.stringContaining('Lets eve both') });
    expect(await directory.find(eve, eve.principalId)).toMatchObject({
      permissions: { ledger: ['read', 'write', 'approve'] },
    });
  });

  it('waits by way of a team and of the permissions of a role as well', async () => {
    const { person } = await agency();
    const ann = await person('ann', allPermissions);
    await person('bob', allPermissions);
    await person('eve', builtInRoles['trader'] ?? {});
    const waits = { approval_id: expect.any(String), state: 'open' };
    await value(call(ann, 'add_team', { body: { name: 'desk' } }));
    const member = (team: string) =>
      call(ann, 'add_team_member', { params: { name: team }, body: { principal: 'eve' } });
    const body = { team: 'desk', role: 'finance', scope: 'organization' };
    expect(await value(call(ann, 'add_grant', { body }))).toMatchObject({ role: 'finance' });
    expect(await value(member('desk'))).toEqual(waits);
    await value(call(ann, 'add_team', { body: { name: 'floor' } }));
    expect(await value(member('floor'))).toMatchObject({ member: 'eve' });
    expect(await value(call(ann, 'add_grant', { body: { ...body, team: 'floor' } }))).toEqual(waits);
    await value(
      call(ann, 'add_grant', { body: { principal: 'eve', role: 'viewer', scope: 'organization' } }),
    );
    const set = (permissions: Permissions) =>
      call(ann, 'set_role', { params: { name: 'viewer' }, body: { permissions } });
    expect(await value(set({ ledger: ['read'] }))).toMatchObject({ role: 'viewer' });
    expect(await value(set({ ledger: ['read', 'write'] }))).toEqual(waits);
  });

  it('waits as well if somebody who was revoked would have both again', async () => {
    const { person, organizationId } = await agency();
    const ann = await person('ann', allPermissions);
    const bob = await person('bob', allPermissions);
    const eve = await person('eve', financeAndTrader);
    const fay = await person('fay', finance);
    for (const one of [eve, fay]) await directory.disable(ann, one.principalId, clock.now());
    const restore = (name: string) => call(ann, 'restore_principal', { params: { name } });
    expect(await value(restore('fay'))).toEqual({ principal_id: fay.principalId, restored: true });
    const { approval_id: id } = await value(restore('eve'));
    const state = async () => (await directory.record({ organizationId }, { name: 'eve' }))?.disabledAt;
    expect(await state()).toBeDefined();
    expect(await value(approve(bob, id))).toMatchObject({ state: 'approved', subject: 'principal eve' });
    expect(await state()).toBeUndefined();
  });

  it('is given at once where the scopes do not overlap', async () => {
    const { person } = await agency();
    const ann = await person('ann', allPermissions);
    await person('bob', allPermissions);
    await person('eve', {});
    const grant = (role: string, scope: string) =>
      call(ann, 'add_grant', { body: { principal: 'eve', role, scope } });
    const [one, other] = await Promise.all(
      ['one.example', 'two.example'].map((domain) => brandOf(ann, domain)),
    );
    expect(await value(grant('finance', `brand:${one}`))).toMatchObject({ role: 'finance' });
    expect(await value(grant('trader', `brand:${other}`))).toMatchObject({ role: 'trader' });
    expect(await value(grant('trader', `brand:${one}`))).toHaveProperty('approval_id');
  });
});

describe('the sign-in policy', () => {
  const waits = { approval_id: expect.any(String), state: 'open' };
  const policyOf = (by: PrincipalCaller) => value(call(by, 'show_sign_in_policy'));
  const set = (by: PrincipalCaller, body: JsonObject) => call(by, 'set_sign_in_policy', { body });

  it.each([
    ['a second factor of fewer', { second_factor: 'nobody' }],
    ['a second factor of fewer roles', { second_factor_roles: [] }],
    ['a sign-in that counts as recent for longer', { recent_minutes: 16 }],
    ['a session that rests for longer', { idle_minutes: 481 }],
    ['less of one and more of another', { second_factor: 'everybody', idle_minutes: 481 }],
  ])('asks for %s only once another person approves it', async (_what, body) => {
    const { person } = await agency();
    const ann = await person('ann', allPermissions);
    const bob = await person('bob', allPermissions);
    await value(set(ann, { second_factor_roles: ['trader'] }));
    const before = await policyOf(ann);
    const asked = await value(set(ann, body));
    expect(asked).toEqual(waits);
    expect(await policyOf(ann)).toEqual(before);
    expect(await approve(ann, asked['approval_id'])).toMatchObject({
      error: { code: 'INSUFFICIENT_PERMISSIONS' },
    });
    expect(await value(approve(bob, asked['approval_id']))).toMatchObject({
      ...{ state: 'approved', subject: 'sign-in policy' },
      before:
        'a second factor of approvers and the roles trader, recent for 15 minutes, idle for 480 minutes',
    });
    expect(await policyOf(ann)).toEqual({ ...before, ...body });
  });

  it('asks for more at once, and a request that rested on the older one fails', async () => {
    const { person } = await agency();
    const ann = await person('ann', allPermissions);
    const bob = await person('bob', allPermissions);
    const asked = await value(set(ann, { second_factor: 'nobody' }));
    expect(await value(set(bob, { second_factor: 'everybody', recent_minutes: 5 }))).toMatchObject({
      ...{ second_factor: 'everybody', recent_minutes: 5, looser: false },
    });
    expect(await approve(bob, asked['approval_id'])).toMatchObject({ error: { code: 'CONFLICT' } });
    expect(await policyOf(ann)).toMatchObject({ second_factor: 'everybody', idle_minutes: 480 });
  });

  it('is loosened at once by who is alone and where four eyes are off, and by no program', async () => {
    const { person } = await agency();
    const ann = await person('ann', allPermissions);
    expect(await value(set(ann, { idle_minutes: 500 }))).toMatchObject({ looser: true, alone: true });
    const off = await agency('off');
    const cy = await off.person('cy', allPermissions);
    await off.person('di', allPermissions);
    expect(await value(set(cy, { idle_minutes: 500 }))).not.toHaveProperty('alone');
    expect(await set({ ...cy, program: 'assistant' }, { idle_minutes: 501 })).toMatchObject({
      error: { code: 'INSUFFICIENT_PERMISSIONS' },
    });
  });
});

/** A brand of a client of its own. */
async function brandOf(by: PrincipalCaller, domain: string): Promise<string> {
  const [clientId, at] = [randomUUID(), clock.now()];
  const client = {
    id: clientId,
    name: domain,
    status: 'active' as const,
    codes: {},
    createdAt: at,
    updatedAt: at,
  };
  await repositories.clients.saveClient(by, client);
  await value(call(by, 'add_brand', { body: { domain, client_id: clientId } }));
  return domain;
}

describe('a move of a buy', () => {
  /** A client with a brand, and a campaign of it. */
  async function world(fourEyes: FourEyes = 'known') {
    const { person } = await agency(fourEyes);
    const ann = await person('ann', financeAndTrader);
    const bob = await person('bob', allPermissions);
    const [clientId, at] = [randomUUID(), clock.now()];
    const client = {
      id: clientId,
      name: 'Acme',
      status: 'active' as const,
      codes: {},
      createdAt: at,
      updatedAt: at,
    };
    await repositories.clients.saveClient(ann, client);
    const brand = { body: { domain: 'acme.example', client_id: clientId } };
    const campaign = async () => {
      const members = { budget: '1000', currency: 'USD', from: '2026-01-01', to: '2027-12-31' };
      const body = { name: 'Spring', client_id: clientId, brand: 'acme.example', ...members };
      return text((await value(call(ann, 'add_campaign', { body })))['campaign_id']);
    };
    const assign = (id: string, media_buy_id: string) =>
      call(ann, 'assign_buy', { params: { id }, body: { media_buy_id } });
    return { ann, bob, clientId, brand, campaign, assign };
  }

  it('asks another person before it brings more into a campaign than its budget takes', async () => {
    const { ann, brand, campaign, assign } = await world();
    await value(call(ann, 'add_brand', brand));
    const id = await campaign();
    expect(await value(assign(id, await bought(ann, 999n * million)))).toMatchObject({ campaign_id: id });
    expect(await value(assign(id, await bought(ann, 2n * million)))).toMatchObject({ state: 'open' });
  });

  it('cannot be let through by a change of its campaign, until another person approves that', async () => {
    const { ann, bob, brand, campaign, assign } = await world();
    await value(call(ann, 'add_brand', brand));
    const id = await campaign();
    const change = (body: JsonObject) => call(ann, 'change_campaign', { params: { id }, body });
    const budget = async () => (await value(call(ann, 'show_campaign', { params: { id } })))['budget'];
    // Before its first buy a budget is like a first limit.
    expect(await value(change({ budget: '1200' }))).toMatchObject({ budget: '1200' });
    expect(await value(change({ budget: '1000' }))).toMatchObject({ budget: '1000' });
    await value(assign(id, await bought(ann, 600n * million)));
    const waits = { approval_id: expect.any(String), state: 'open' };
    for (const body of [
      { budget: '50000' },
      { from: '2025-12-31' },
      { to: '2028-01-01' },
      { above_budget: 'warn' },
      { outside_flight: 'warn' },
    ])
      expect(await value(change(body))).toEqual(waits);
    const stricter = { budget: '900', from: '2026-02-01', to: '2027-11-30', above_budget: 'refuse' };
    expect(await value(change(stricter))).toMatchObject({ budget: '900', above_budget: 'refuse' });
    expect(await value(change({ above_budget: null }))).toEqual(waits);
    // A closed campaign takes no buys: whoever opens it again lets it take more.
    expect(await value(change({ status: 'closed' }))).toMatchObject({ status: 'closed' });
    expect(await value(change({ status: 'active' }))).toEqual(waits);
    const { approval_id: request } = await value(change({ budget: '50000', status: 'active' }));
    expect(await budget()).toBe('900');
    expect(await approve(ann, request)).toMatchObject({ error: { code: 'INSUFFICIENT_PERMISSIONS' } });
    expect(await value(approve(bob, request))).toMatchObject({
      ...{ state: 'approved', campaign: 'Spring' },
      reason: expect.stringContaining('budget from 900 USD to 50000 USD; status from closed to active'),
    });
    expect(await budget()).toBe('50000');
  });

  it('is let through by a change of its campaign where nobody else could approve that', async () => {
    const { person } = await agency();
    const ann = await person('ann', allPermissions);
    await brandOf(ann, 'solo.example');
    const [{ client_id: clientId } = {}] = (await value(call(ann, 'list_brands')))['brands'] as JsonObject[];
    const members = { budget: '1000', currency: 'USD', from: '2026-01-01', to: '2027-12-31' };
    const body = { name: 'Solo', client_id: text(clientId), brand: 'solo.example', ...members };
    const { campaign_id: id } = await value(call(ann, 'add_campaign', { body }));
    const params = { id: text(id) };
    const media_buy_id = await bought(ann, 600n * million, 'solo.example');
    await value(call(ann, 'assign_buy', { params, body: { media_buy_id } }));
    expect(await value(call(ann, 'change_campaign', { params, body: { budget: '2000' } }))).toMatchObject({
      budget: '2000',
      alone: true,
    });
  });

  it('is not let through by a change that nobody may approve, neither of its campaign nor of a limit', async () => {
    const { person } = await agency();
    const eve = await person('eve', builtInRoles['trader'] ?? {});
    const ann = await person('ann', { ledger: ['read', 'write'] });
    await brandOf(eve, 'nobody.example');
    const [{ client_id: clientId } = {}] = (await value(call(eve, 'list_brands')))['brands'] as JsonObject[];
    const members = { budget: '1000', currency: 'USD', from: '2026-01-01', to: '2027-12-31' };
    const body = { name: 'Spring', client_id: text(clientId), brand: 'nobody.example', ...members };
    const { campaign_id: id } = await value(call(eve, 'add_campaign', { body }));
    const refused = {
      error: { code: 'INSUFFICIENT_PERMISSIONS', message: expect.stringContaining('ledger.approve') },
    };
    const change = (changed: JsonObject) =>
      call(eve, 'change_campaign', { params: { id: text(id) }, body: changed });
    expect(await change({ above_budget: 'warn' })).toMatchObject(refused);
    await value(call(ann, 'set_limit', limitOf('organization', '1000')));
    expect(await call(ann, 'set_limit', limitOf('organization', '5000'))).toMatchObject(refused);
    await person('bob', finance);
    expect(await value(change({ above_budget: 'warn' }))).toHaveProperty('approval_id');
  });

  it('does not bring 50,000 into a campaign that refuses above 1,000', async () => {
    const { ann, brand, campaign, assign } = await world();
    await value(call(ann, 'add_brand', brand));
    const id = await campaign();
    const buy = await bought(ann, 50n * k);
    await value(call(ann, 'set_limit', limitOf(`campaign:${id}`, '1000')));
    expect(await assign(id, buy)).toMatchObject({
      error: { code: 'CONFLICT', message: expect.stringContaining('Over the limit of campaign Spring') },
    });
    const small = await bought(ann, 999n * million);
    expect(await value(assign(id, small))).toMatchObject({ campaign_id: id });
    expect(await value(assign(id, small))).toMatchObject({ previous_campaign_id: id });
    expect(await assign(id, await bought(ann, 2n * million))).toMatchObject({ error: { code: 'CONFLICT' } });
  });

  it('above a limit that asks is done once another person approves it', async () => {
    const { ann, bob, brand, campaign, assign } = await world();
    await value(call(ann, 'add_brand', brand));
    const id = await campaign();
    const buy = await bought(ann, 50n * k);
    await value(call(ann, 'set_limit', limitOf(`campaign:${id}`, '1000', { above: 'ask' })));
    const { approval_id: request } = await value(assign(id, buy));
    expect(await value(call(bob, 'show_approval', { params: { id: text(request) } }))).toMatchObject({
      ...{ task: 'assign_buy', amount: '50000', currency: 'USD', campaign: 'Spring' },
    });
    expect(await approve(ann, request)).toMatchObject({ error: { code: 'INSUFFICIENT_PERMISSIONS' } });
    expect(await value(approve(bob, request))).toMatchObject({ state: 'approved' });
    const { limits: shown } = await value(call(ann, 'list_limits'));
    expect(shown).toMatchObject([{ pending: '50000' }]);
  });

  it('to a client, by its brand, is judged by the limits of the client', async () => {
    const { ann, bob, clientId, brand } = await world();
    await bought(ann, 50n * k);
    await bought(ann, k);
    await value(call(ann, 'set_limit', limitOf(`client:${clientId}`, '1000')));
    expect(await call(ann, 'add_brand', brand)).toMatchObject({ error: { code: 'CONFLICT' } });
    const raise = await value(
      call(ann, 'set_limit', limitOf(`client:${clientId}`, '50000', { above: 'ask' })),
    );
    await value(approve(bob, raise['approval_id']));
    const { approval_id: request } = await value(call(ann, 'add_brand', brand));
    expect(await value(approve(bob, request))).toMatchObject({ state: 'approved', amount: '51000' });
    const { limits: shown } = await value(call(ann, 'list_limits'));
    expect(shown).toMatchObject([{ pending: '51000' }]);
    expect(await value(call(ann, 'add_brand', brand))).toMatchObject({ buys_assigned: 0 });
  });
});
