import { afterAll, describe, expect, it } from '@jest/globals';
import { connectionDirectory, listReader, openStore, sellerContacts } from '@switchyard/store';
import {
  createConnection,
  createOrganization,
  createPrincipal,
  openTestStore,
  testClock,
} from '@switchyard/testing';
import { randomUUID } from 'node:crypto';
import { principalCaller } from '../platform/caller/principal-caller.js';
import { callRoutes } from '../platform/routes/testkit/call-route.js';
import { contactRoutes } from './contacts.routes.js';

const clock = testClock();
const { store, stop } = await openTestStore(openStore);
afterAll(stop);

const call = callRoutes(contactRoutes, {
  ...{ contacts: sellerContacts(store), lists: listReader(store), connections: connectionDirectory(store) },
  ...{ clock, newId: randomUUID },
});

/** An organization with a seller, and one who manages its sellers. */
async function agency() {
  const { id: organizationId } = await createOrganization(store);
  const { slug } = await createConnection(store, organizationId);
  const permissions = { sellers: ['read', 'write'] } as const;
  const caller = principalCaller(await createPrincipal(store, organizationId, { permissions }));
  const add = async (body: object) => call(caller, 'add_contact', { params: { slug }, body });
  const listed = async (query: Readonly<Record<string, string>> = {}) => {
    const answer = await call(caller, 'list_contacts', { query });
    return answer.ok ? (answer.value as { contacts: object[] }).contacts : answer.error;
  };
  return { organizationId, slug, caller, add, listed };
}

describe('contacts at sellers', () => {
  it('are entered, changed member by member, and removed', async () => {
    const { slug, caller, add, listed } = await agency();
    const added = await add({ purpose: 'billing', name: ' Ann ', email: 'ann@seller.example' });
    expect(added).toMatchObject({ ok: true, value: { seller: slug, purpose: 'billing', name: 'Ann' } });
    const [{ contact_id: id } = { contact_id: '' }] = (await listed({ seller: slug })) as {
      contact_id: string;
    }[];
    const body = { name: null, phone: '+44 20 7946 0000' };
    const changed = await call(caller, 'change_contact', { params: { id }, body });
    expect(changed).toMatchObject({ value: { email: 'ann@seller.example', phone: '+44 20 7946 0000' } });
    expect(changed).not.toHaveProperty('value.name');
    expect(await listed({ seller: slug, purpose: 'sales' })).toEqual([]);
    expect(await call(caller, 'remove_contact', { params: { id } })).toMatchObject({ ok: true });
    expect(await listed({ seller: slug })).toEqual([]);
    expect(await call(caller, 'remove_contact', { params: { id } })).toMatchObject({
      error: { code: 'NOT_FOUND' },
    });
  });

  it('have an address or a number, before a change and after it', async () => {
    const { caller, add, listed } = await agency();
    expect(await add({ purpose: 'sales', name: 'Ann' })).toMatchObject({
      error: { code: 'INVALID_REQUEST', field: 'email' },
    });
    await add({ purpose: 'sales', email: 'ann@seller.example' });
    const [{ contact_id: id } = { contact_id: '' }] = (await listed()) as { contact_id: string }[];
    const emptied = await call(caller, 'change_contact', { params: { id }, body: { email: null } });
    expect(emptied).toMatchObject({ error: { code: 'INVALID_REQUEST', field: 'email' } });
    expect(await listed()).toMatchObject([{ email: 'ann@seller.example' }]);
  });

  it('are 50 for a seller at most', async () => {
    const { add } = await agency();
    for (let number = 0; number < 50; number += 1)
      expect(await add({ purpose: 'other', phone: `+44 20 7946 00${number}` })).toMatchObject({ ok: true });
    expect(await add({ purpose: 'other', phone: '+44 20 7946 0051' })).toMatchObject({
      error: { code: 'CONFLICT', field: 'slug' },
    });
  });

  it('are shown to whom sees a part of the organization, who does not change them', async () => {
    const { organizationId, slug, add, listed } = await agency();
    await add({ purpose: 'sales', email: 'ann@seller.example' });
    const [{ contact_id: id } = { contact_id: '' }] = (await listed()) as { contact_id: string }[];
    const narrow = principalCaller(
      await createPrincipal(store, organizationId, {
        grants: [
          { permissions: { sellers: ['read', 'write'] }, scope: { kind: 'client', id: randomUUID() } },
        ],
      }),
    );
    expect(await call(narrow, 'list_contacts', { query: { seller: slug } })).toMatchObject({
      value: { contacts: [{ contact_id: id }] },
    });
    const denied = { error: { code: 'INSUFFICIENT_PERMISSIONS' } };
    const body = { purpose: 'sales', email: 'other@seller.example' };
    expect(await call(narrow, 'add_contact', { params: { slug }, body })).toMatchObject(denied);
    expect(await call(narrow, 'change_contact', { params: { id }, body })).toMatchObject(denied);
    expect(await call(narrow, 'remove_contact', { params: { id } })).toMatchObject(denied);
  });
});
