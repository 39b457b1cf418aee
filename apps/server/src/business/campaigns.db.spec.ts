import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import {
  clientRepository,
  controlRequests,
  openStore,
  organizations,
  principalDirectory,
  readPacing,
  type PacingWanted,
  listReader,
  noteRepository,
} from '@switchyard/store';
import { createOrganization, createPrincipal, openTestStore, testClock } from '@switchyard/testing';
import {
  builtInRoles,
  roleGrant,
  withRoles,
  type GrantScope,
  type Principal,
  type TenantScope,
} from '@switchyard/tenancy';
import { principalCaller } from '../platform/caller/principal-caller.js';
import { must } from '@switchyard/values';
import { callRoutes } from '../platform/routes/testkit/call-route.js';
import { brandRoutes } from './brands.routes.js';
import { campaignRoutes } from './campaigns.routes.js';
import { clientRoutes } from './clients.routes.js';
import { noteRoutes } from './notes.routes.js';

const { store, stop } = await openTestStore(openStore);
afterAll(stop);

const principals = principalDirectory(store);
const deps = {
  ...{ clients: clientRepository(store), organizations: organizations(store), principals },
  controls: controlRequests(store),
  lists: listReader(store),
  notes: noteRepository(store),
  pacing: (scope: TenantScope, wanted: PacingWanted) => readPacing(store, scope, wanted),

  ...{ clock: testClock(), newId: randomUUID },
};
const connections = { bySlug: () => Promise.resolve(undefined) };
const routes = [...clientRoutes, ...brandRoutes, ...campaignRoutes, ...noteRoutes] as Parameters<
  typeof callRoutes<unknown>
>[0];
const call = callRoutes(routes, { ...deps, connections });

const seesAll = { ...builtInRoles['trader'], ledger: ['read'] } as const;

async function campaignOf(wanted: Partial<Principal> = { permissions: seesAll }) {
  const { id: organizationId } = await createOrganization(store);
  const ann = principalCaller(await createPrincipal(store, organizationId, wanted));
  const make = async (id: string, body: object): Promise<string> => {
    const made = await call(ann, id, { body });
    if (!made.ok) throw new Error(made.error.message);
    return made.value[id === 'add_client' ? 'client_id' : 'campaign_id'] as string;
  };
  const client_id = await make('add_client', { name: 'Nova' });
  await make('add_brand', { domain: 'nova.example', client_id });
  const flight = { budget: '1000', currency: 'USD', from: '2026-01-01', to: '2026-01-31' };
  const id = await make('add_campaign', { name: 'Spring', client_id, brand: 'nova.example', ...flight });
  const setOwner = (owner: string) => call(ann, 'change_campaign', { params: { id }, body: { owner } });
  const show = (by: typeof ann) => call(by, 'show_campaign', { params: { id } });
  return { organizationId, ann, id, setOwner, show };
}

const refused = { error: { code: 'INVALID_REQUEST', field: 'owner' } };

describe('the owner of a campaign', () => {
  it('is whoever added it, until another principal that can see it is set by name or id', async () => {
    const { organizationId, ann, setOwner, show } = await campaignOf();
    expect(await show(ann)).toMatchObject({ value: { owner: ann.name } });
    const bob = await createPrincipal(store, organizationId, { name: 'bob', permissions: seesAll });
    expect(await setOwner('bob')).toMatchObject({ value: { owner: 'bob', owner_id: bob.id } });
    expect(await show(principalCaller(bob))).toMatchObject({ value: { owner: 'bob' } });
    expect(await setOwner(ann.principalId)).toMatchObject({ value: { owner: ann.name } });
  });

  it('cannot be a principal that does not see the campaign: ownership would give it access', async () => {
    const { organizationId, ann, setOwner, show } = await campaignOf();
    const ofOwn = await createPrincipal(store, organizationId, {
      permissions: { clients: ['read', 'write'] },
    });
    const nobody = await createPrincipal(store, organizationId);
    for (const { name, id } of [ofOwn, nobody]) {
      expect(await setOwner(name)).toMatchObject(refused);
      expect(await setOwner(id)).toMatchObject(refused);
    }
    expect(await show(ann)).toMatchObject({ value: { owner: ann.name } });
  });

  it('cannot be a revoked principal, nor one of another organization', async () => {
    const { organizationId, setOwner } = await campaignOf();
    const gone = await createPrincipal(store, organizationId, { permissions: seesAll });
    await principals.disable({ organizationId }, gone.id, deps.clock.now());
    const other = await campaignOf();
    for (const owner of [gone.name, other.ann.name, other.ann.principalId, 'nobody'])
      expect(await setOwner(owner)).toMatchObject(refused);
  });
});

describe('the rules of a campaign', () => {
  it('are those of its organization until it has its own, and weaker ones wait for another person', async () => {
    const { organizationId, ann, show } = await campaignOf();
    const value = must(await show(ann));
    const id = value['campaign_id'] as string;
    const set = (by: typeof ann, body: object) => call(by, 'change_campaign', { params: { id }, body });
    expect(value).toMatchObject({ above_budget: null, outside_flight: null });
    expect(await set(ann, { above_budget: 'refuse' })).toMatchObject({ value: { above_budget: 'refuse' } });
    const permissions = { ...builtInRoles['trader'], ledger: ['read', 'approve'] } as const;
    const cfo = principalCaller(await createPrincipal(store, organizationId, { permissions }));
    for (const body of [{ above_budget: null }, { above_budget: 'ask' }, { outside_flight: 'warn' }])
      expect(must(await set(ann, body))).toEqual({ approval_id: expect.any(String), state: 'open' });
    // Nobody but the approver could approve what the approver asks for.
    expect(await set(cfo, { above_budget: 'warn' })).toMatchObject({
      value: { above_budget: 'warn', alone: true },
    });
    expect(await set(cfo, { above_budget: null })).toMatchObject({ value: { above_budget: null } });
  });
});

describe('notes about a campaign', () => {
  const rows = async (by: Awaited<ReturnType<typeof campaignOf>>['ann'], id: string) =>
    must(await call(by, 'list_notes', { query: { campaign_id: id } }))['notes'];
  const write = (by: Awaited<ReturnType<typeof campaignOf>>['ann'], id: string, text: string) =>
    call(by, 'add_note', { body: { campaign_id: id, text } });

  it('are seen by who sees the campaign, and changed and removed by their author alone', async () => {
    const { organizationId, ann, id } = await campaignOf();
    const bob = principalCaller(await createPrincipal(store, organizationId, { permissions: seesAll }));
    const made = must(await write(ann, id, 'Ask for the PO.\nThen book.'));
    expect(await rows(bob, id)).toMatchObject([
      { text: 'Ask for the PO.\nThen book.', campaign: 'Spring', written_by: ann.name, changed_at: null },
    ]);
    const params = { id: made['note_id'] as string };
    const foreign = { error: { code: 'INSUFFICIENT_PERMISSIONS' } };
    expect(await call(bob, 'change_note', { params, body: { text: 'No.' } })).toMatchObject(foreign);
    expect(await call(bob, 'remove_note', { params })).toMatchObject(foreign);
    expect(await call(ann, 'change_note', { params, body: { text: 'Booked.' } })).toMatchObject({
      value: { text: 'Booked.', changed_at: expect.any(String) },
    });
    expect(await call(ann, 'remove_note', { params })).toMatchObject({ value: { removed: true } });
    expect(await rows(ann, id)).toEqual([]);
  });

  it('are neither read nor written from outside of the reach of their campaign', async () => {
    const { organizationId, ann, id } = await campaignOf();
    const made = must(await write(ann, id, 'Ours.'));
    const trader = async (brand: string) => ({
      ...principalCaller(await createPrincipal(store, organizationId)),
      grants: [
        {
          role: 'trader',
          permissions: builtInRoles['trader'] ?? {},
          scope: { kind: 'brand', id: brand } as const,
        },
      ],
    });
    const [ofBrand, ofOther] = [await trader('nova.example'), await trader('rival.example')];
    expect([await rows(ofBrand, id), await rows(ofOther, id)]).toMatchObject([[{ text: 'Ours.' }], []]);
    const missing = { error: { code: 'NOT_FOUND' } };
    expect(await write(ofOther, id, 'Theirs.')).toMatchObject(missing);
    const params = { id: made['note_id'] as string };
    expect(await call(ofOther, 'change_note', { params, body: { text: 'x' } })).toMatchObject(missing);
    expect(await call(ofOther, 'remove_note', { params })).toMatchObject(missing);
    expect(await write(ofBrand, id, 'Of the brand.')).toMatchObject({ ok: true });
  });

  it('are 500 at most', async () => {
    const { organizationId, ann, id } = await campaignOf();
    await store.inTenant({ organizationId }, (client) =>
      client.query(
        `insert into campaign_note (organization_id, id, campaign_id, text, written_by, created_at)
         select $1, gen_random_uuid(), $2, 'x', $3, now() from generate_series(1, 500)`,
        [organizationId, id, ann.principalId],
      ),
    );
    expect(await write(ann, id, 'One more.')).toMatchObject({ error: { code: 'CONFLICT' } });
  });
});

describe('a move of a buy', () => {
  it.each([
    [{ kind: 'brand', id: 'nova.example' }, 'NOT_FOUND'],
    [{ kind: 'organization' }, 'NOT_FOUND'],
    [{ kind: 'brand', id: 'other.example' }, 'INSUFFICIENT_PERMISSIONS'],
    [{ kind: 'own' }, 'INSUFFICIENT_PERMISSIONS'],
  ] as const)('needs a role on the brand of its campaign, with %j: %s', async (scope: GrantScope, code) => {
    const { organizationId, id } = await campaignOf();
    const planner = roleGrant('planner', { clients: ['read', 'write'] }, { kind: 'organization' });
    const trader = roleGrant('trader', builtInRoles['trader']!, scope);
    const bob = await createPrincipal(store, organizationId, { permissions: {} });
    const by = principalCaller(withRoles(bob, [planner, trader]));
    for (const route of ['assign_buy', 'unassign_buy'])
      expect(await call(by, route, { params: { id }, body: { media_buy_id: 'mb_none' } })).toMatchObject({
        error: { code },
      });
  });
});
