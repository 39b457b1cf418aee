import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import { accountRepository, listReader, openStore, principalDirectory } from '@switchyard/store';
import { createOrganization, createPrincipal, openTestStore, testClock } from '@switchyard/testing';
import { isoOf } from '@switchyard/values';
import { principalCaller } from '../platform/caller/principal-caller.js';
import type { PrincipalCaller } from '../platform/tasks/call/task-call.js';
import { accountRoutes } from './accounts.routes.js';
import { callRoutes } from '../platform/routes/testkit/call-route.js';

const clock = testClock();

const { store, stop } = await openTestStore(openStore);
afterAll(stop);

/** An organization with one principal, who has an account, and what its admin does. */
async function someone() {
  const { id: organizationId } = await createOrganization(store);
  const caller = principalCaller(
    await createPrincipal(store, organizationId, { permissions: { principals: ['read', 'write'] } }),
  );
  const scope = { organizationId };
  const accounts = accountRepository(store);
  const id = randomUUID();
  const pair = { brandDomain: 'brand.example', brandId: '', operator: 'agency.example' };
  const open = [{ id, ...pair, isSandbox: false }];
  await accounts.apply(scope, caller.principalId, { open, close: [] }, clock.now());
  const call = callRoutes(accountRoutes, { accounts, clock, lists: listReader(store) });
  const admin = {
    list: async () => {
      const listed = await call(caller, 'list_all_accounts');
      return listed.ok && listed.value['accounts'];
    },
    stand: (by: PrincipalCaller, accountId: string, body: object) =>
      call(by, 'set_account_status', { params: { id: accountId }, body }),
  };
  const holdNow = async () =>
    (await principalDirectory(store).accountsOf(scope, caller.principalId))[0]?.hold ?? 'active';
  const stand = async (status: 'active' | 'payment_required' | 'suspended') => {
    const done = await admin.stand(caller, id, { status, reason: 'it was said so' });
    return done.ok ? (done.value['status'] as string) : done.error.code;
  };
  return { admin, caller, scope, accounts, id, holdNow, stand };
}

describe('the status of an account', () => {
  it('is the latest that an admin set, with reason and time, for the owner of the account', async () => {
    const { admin, caller, id, holdNow } = await someone();
    const held = await admin.stand(caller, id, { status: 'suspended', reason: 'a dispute' });
    const view = {
      account_id: id,
      principal: caller.name,
      status: 'suspended',
      reason: 'a dispute',
      held_at: isoOf(clock.now()),
    };
    expect(held.ok && held.value).toMatchObject(view);
    expect(await admin.list()).toMatchObject([view]);
    expect(await holdNow()).toBe('suspended');
    const freed = await admin.stand(caller, id, { status: 'active', reason: 'settled' });
    expect(freed.ok && Object.keys(freed.value)).not.toContain('reason');
    expect(await holdNow()).toBe('active');
  });

  it.each([
    [['payment_required', 'active'], ['payment_required', 'active'], 'active'],
    [['suspended', 'active'], ['suspended', 'active'], 'active'],
    [['payment_required', 'suspended'], ['payment_required', 'CONFLICT'], 'payment_required'],
    [['suspended', 'payment_required'], ['suspended', 'CONFLICT'], 'suspended'],
    [['active'], ['CONFLICT'], 'active'],
    [['suspended', 'suspended'], ['suspended', 'CONFLICT'], 'suspended'],
  ] as const)('follows the transitions: %j leads to %j', async (requested, received, end) => {
    const { stand, holdNow } = await someone();
    const seen: string[] = [];
    for (const status of requested) seen.push(await stand(status));
    expect(seen).toEqual(received);
    expect(await holdNow()).toBe(end);
  });

  it('is changed once by two simultaneous requests', async () => {
    const { stand } = await someone();
    const both = await Promise.all([stand('suspended'), stand('payment_required')]);
    expect(both.filter((text) => text === 'CONFLICT')).toHaveLength(1);
  });

  it('cannot be changed by another organization or after the account is closed', async () => {
    const ours = await someone();
    const theirs = await someone();
    const query = { status: 'suspended', reason: 'x' } as const;
    const notFound = { ok: false, error: { code: 'NOT_FOUND' } };
    expect(await theirs.admin.stand(theirs.caller, ours.id, query)).toMatchObject(notFound);
    expect(await theirs.admin.stand(theirs.caller, 'no id', query)).toMatchObject(notFound);
    const { caller, scope, accounts, id, admin } = ours;
    expect(await accounts.hold(theirs.scope, id, { to: 'suspended', reason: 'x' }, 1)).toBe(false);
    await accounts.apply(scope, caller.principalId, { open: [], close: [id] }, clock.now());
    expect(await admin.stand(caller, id, query)).toMatchObject(notFound);
    expect(await admin.list()).toEqual([]);
  });
});
