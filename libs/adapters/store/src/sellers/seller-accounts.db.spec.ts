import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import type { ListedAccount } from '@switchyard/sellers';
import { createOrganization, openTestStore } from '@switchyard/testing';
import { openStore } from '../core/open-store.js';
import { sellerAccounts } from './seller-accounts.js';

const { store, stop } = await openTestStore(openStore);
afterAll(stop);
const accounts = sellerAccounts(store);

async function connected() {
  const { id: organizationId } = await createOrganization(store);
  const scope = { organizationId };
  const connectionId = randomUUID();
  await store.inTenant(scope, (client) =>
    client.query(
      `insert into connection (organization_id, id, slug, name, agent_url, protocol, dialect, configured_form, form, kinds,
         state, account, created_at, updated_at)
       values ($1, $2, 'desk', 'Desk', 'https://s.example', 'mcp', 'ads', 'auto', 'service', '{sales}', 'live',
         '{"accountId": "a"}', now(), now())`,
      [organizationId, connectionId],
    ),
  );
  const client = async (name: string): Promise<string> => {
    const id = randomUUID();
    await store.inTenant(scope, (tenant) =>
      tenant.query(
        'insert into client (organization_id, id, created_at, updated_at, name) values ($1, $2, now(), now(), $3)',
        [organizationId, id, name],
      ),
    );
    return id;
  };
  const listed = (...rows: readonly ListedAccount[]) =>
    accounts.record(scope, connectionId, { accounts: rows, isWhole: true, source: 'listed' }, Date.now());
  const use = (clientId: string, accountId: string) =>
    accounts.use(
      scope,
      { connectionId, clientId, accountId, since: 1, binding: Buffer.alloc(32) },
      randomUUID(),
    );
  return { scope, connectionId, client, listed, use };
}

const account = (accountId: string, status: ListedAccount['status'] = 'active'): ListedAccount => ({
  accountId,
  status,
  isSandbox: false,
});

describe('accounts at a seller', () => {
  it('are held where a client buys in one that is not active, or that is listed no more', async () => {
    const { listed, scope, connectionId, client, use } = await connected();
    await listed(account('a'), account('b', 'suspended'), account('c', 'suspended'), account('d'));
    for (const id of ['a', 'b', 'd']) expect(await use(await client(id), id)).toBe('used');
    await listed(account('a'), account('b', 'suspended'), account('c', 'suspended'));
    expect(await accounts.held(scope, connectionId)).toEqual([
      { accountId: 'b', status: 'suspended' },
      { accountId: 'd', status: 'missing' },
    ]);
  });

  it('keep what the seller said last, and tell what changed', async () => {
    const { listed, scope, connectionId } = await connected();
    expect(await listed(account('a'), account('b'))).toEqual({ added: ['a', 'b'], changed: [], missing: [] });
    expect(await listed(account('b', 'suspended'))).toEqual({
      added: [],
      changed: [{ accountId: 'b', from: 'active', to: 'suspended' }],
      missing: ['a'],
    });
    expect(await accounts.list(scope, { connectionId, limit: 10 })).toMatchObject([
      { accountId: 'a', missingSince: expect.any(Number) },
      { accountId: 'b', status: 'suspended' },
    ]);
  });

  it('are shown to somebody of one client only where that client buys, without the names of others', async () => {
    const { listed, scope, connectionId, client, use } = await connected();
    const [one, other] = [await client('One'), await client('Other')];
    await listed(account('a'), account('b'));
    for (const [id, of] of [
      ['a', one],
      ['a', other],
      ['b', other],
    ] as const)
      expect(await use(of, id)).toBe('used');
    const reach = { kind: 'limited' as const, clientIds: [one], brandDomains: [], campaignIds: [] };
    await use(one, 'a');
    expect(await accounts.list(scope, { connectionId, reach, limit: 10 })).toMatchObject([
      { accountId: 'a', clients: [{ name: 'One' }] },
    ]);
    const nobody = { ...reach, clientIds: [] };
    expect(await accounts.list(scope, { connectionId, reach: nobody, limit: 10 })).toEqual([]);
  });

  it('say of a client whether it has one, and whether that of the connection is another client’s', async () => {
    const { listed, scope, connectionId, client, use } = await connected();
    const [one, other] = [await client('One'), await client('Other')];
    await listed(account('a'), account('b', 'payment_required'));
    const standing = async (id?: string) => (await accounts.standings(scope, id, [connectionId]))[0];
    expect(await standing(one)).toMatchObject({ isSplit: false, isOfAnother: false, status: 'active' });
    await use(one, 'a');
    expect(await standing(one)).toMatchObject({ isOfAnother: false, use: { accountId: 'a' } });
    expect(await standing(other)).toMatchObject({ isSplit: true, isOfAnother: true });
    expect(await standing()).toMatchObject({ isOfAnother: true });
    await use(other, 'b');
    expect(await standing(other)).toMatchObject({ use: { accountId: 'b' }, status: 'payment_required' });
    expect(await accounts.release(scope, { connectionId, clientId: other })).toBe(true);
    expect(await accounts.release(scope, { connectionId, clientId: other })).toBe(false);
  });

  it('of another organization are none, and cannot be given', async () => {
    const [ours, theirs] = [await connected(), await connected()];
    await ours.listed(account('a'));
    const reading = { connectionId: ours.connectionId, limit: 10 };
    expect(await accounts.list(theirs.scope, reading)).toEqual([]);
    expect(await accounts.standings(theirs.scope, undefined, [ours.connectionId])).toEqual([]);
    const clientId = await theirs.client('Theirs');
    const stolen = {
      connectionId: ours.connectionId,
      clientId,
      accountId: 'a',
      since: 1,
      binding: Buffer.alloc(32),
    };
    expect(await accounts.use(theirs.scope, stolen, randomUUID())).toBe('no_account');
    expect(await ours.use(clientId, 'a')).toBe('no_client');
  });
});
