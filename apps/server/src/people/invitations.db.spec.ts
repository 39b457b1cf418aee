import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import {
  controlRequests,
  grantDirectory,
  invitationRepository,
  openStore,
  organizations,
  principalDirectory,
  listReader,
} from '@switchyard/store';
import { createOrganization, createPrincipal, openTestStore, testClock } from '@switchyard/testing';
import type { Grant } from '@switchyard/tenancy';
import { must, type JsonObject } from '@switchyard/values';
import { principalCaller } from '../platform/caller/principal-caller.js';
import { createInvitations } from './sign-in/invitations.js';
import { callRoutes } from '../platform/routes/testkit/call-route.js';
import { invitationRoutes } from './invitations.routes.js';

const clock = testClock();
const { store, stop } = await openTestStore(openStore);
afterAll(stop);

const repository = invitationRepository(store);
const call = callRoutes(invitationRoutes, {
  invitations: createInvitations({
    repository,
    passwords: { hash: () => Promise.resolve(randomBytes(8).toString('hex')) },
    principals: principalDirectory(store),
    organizations: organizations(store),
    grants: grantDirectory(store),
    clock,
    newId: randomUUID,
  }),
  invited: repository,
  lists: listReader(store, clock),
  controls: controlRequests(store),
  grants: grantDirectory(store),
  baseUrl: () => 'https://hub.example',
  clock,
  newId: randomUUID,
});

async function people() {
  const { id: organizationId } = await createOrganization(store);
  const permissions = { principals: ['read', 'write', 'delete'], products: ['read'] } as const;
  const client = { kind: 'client', id: randomUUID() } as const;
  const at = new Date(clock.now());
  const base = { organization_id: organizationId, created_at: at, updated_at: at };
  await store.inTenantModels({ organizationId }, (models) =>
    models.client.create({ data: { id: client.id, name: 'Nova', ...base } }),
  );
  await grantDirectory(store).saveRole(
    { organizationId },
    { name: 'browser', permissions: { products: ['read'] }, updatedAt: clock.now() },
  );
  const grants: readonly Grant[] = [{ permissions, scope: client }];
  const ofAll = principalCaller(await createPrincipal(store, organizationId, { permissions }));
  const ofPart = { ...principalCaller(await createPrincipal(store, organizationId)), grants };
  const invite = async (by: typeof ofAll, scope: string) => {
    const body = { email: 'ann@agency.example', role: 'browser', scope };
    const answer = must(await call(by, 'add_invitation', { body }));
    return answer as unknown as { readonly invitation_id: string; readonly ended?: readonly string[] };
  };
  return { ofAll, ofPart, scope: `client:${client.id}`, invite };
}

describe('an admin of a part of the organization', () => {
  it('cannot see, withdraw or end invitations of others, unlike an admin of all of it', async () => {
    const { ofAll, ofPart, scope, invite } = await people();
    const first = await invite(ofAll, 'organization');
    expect(await call(ofPart, 'list_invitations')).toMatchObject({ value: { invitations: [] } });
    const params = { id: first.invitation_id };
    expect(await call(ofPart, 'withdraw_invitation', { params })).toMatchObject({
      error: { code: 'NOT_FOUND' },
    });

    const second = await invite(ofPart, scope);
    expect(second.ended).toBeUndefined();
    const third = await invite(ofPart, scope);
    expect(third.ended).toEqual([second.invitation_id]);
    const last = await invite(ofAll, 'organization');
    expect(last.ended?.toSorted()).toEqual([first.invitation_id, third.invitation_id].toSorted());
    const idsOf = async (sort: string) => {
      const { invitations } = must(await call(ofAll, 'list_invitations', { query: { sort } }));
      return (invitations as JsonObject[]).map((invitation) => invitation['invitation_id']);
    };
    expect(await idsOf('newest')).toHaveLength(4);
    expect(await idsOf('oldest')).toEqual((await idsOf('newest')).toReversed());
  });
});
