import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import { clientRepository, controlRequests, openStore, listReader } from '@switchyard/store';
import { createOrganization, createPrincipal, openTestStore, testClock } from '@switchyard/testing';
import { builtInRoles, type GrantScope } from '@switchyard/tenancy';
import { principalCaller } from '../platform/caller/principal-caller.js';
import { callRoutes } from '../platform/routes/testkit/call-route.js';
import { brandRoutes } from './brands.routes.js';
import { clientRoutes } from './clients.routes.js';

const clock = testClock();
const { store, stop } = await openTestStore(openStore);
afterAll(stop);

const deps = {
  lists: listReader(store),
  clients: clientRepository(store),
  controls: controlRequests(store),
  clock,
  newId: randomUUID,
};
const onBrands = callRoutes(brandRoutes, deps);
const onClients = callRoutes(clientRoutes, {
  ...deps,
  connections: { bySlug: () => Promise.resolve(undefined) },
});

async function agency() {
  const { id: organizationId } = await createOrganization(store);
  const trader = async (...scopes: readonly GrantScope[]) => ({
    ...principalCaller(await createPrincipal(store, organizationId)),
    grants: scopes.map((scope) => ({ role: 'trader', permissions: builtInRoles['trader'] ?? {}, scope })),
  });
  const ofAll = await trader({ kind: 'organization' });
  const made = await onClients(ofAll, 'add_client', { body: { name: 'Nova' } });
  const client = made.ok ? (made.value['client_id'] as string) : '';
  const add = (by: typeof ofAll, domain: string, more: object = {}) =>
    onBrands(by, 'add_brand', { body: { domain, client_id: client, ...more } });
  return { ofAll, trader, client: { kind: 'client', id: client } as const, add };
}

describe('a new brand of a client', () => {
  it('cannot be added with access to the client only, because buys of others would become its buys', async () => {
    const { ofAll, trader, client, add } = await agency();
    const ofClient = await trader(client);
    const refused = { error: { code: 'INSUFFICIENT_PERMISSIONS', field: 'domain' } };
    expect(await add(ofClient, 'rival.example')).toMatchObject(refused);
    expect(await add(ofAll, 'rival.example')).toMatchObject({ ok: true });
    expect(await add(ofClient, 'rival.example')).toMatchObject({ ok: true });
    expect(await add(ofClient, 'rival.example', { wire_brand_id: 'cars' })).toMatchObject(refused);
  });

  it('is added with access to the client and the brand', async () => {
    const { trader, client, add } = await agency();
    const brand = { kind: 'brand', id: 'own.example' } as const;
    expect(await add(await trader(client, brand), 'own.example')).toMatchObject({ ok: true });
    expect(await add(await trader(brand), 'own.example')).toMatchObject({ error: { code: 'NOT_FOUND' } });
  });
});

describe('a client', () => {
  it('is shown with those of its brands that the caller can reach', async () => {
    const { ofAll, trader, client, add } = await agency();
    for (const domain of ['two.example', 'one.example']) await add(ofAll, domain);
    const brandsFor = async (by: typeof ofAll) => {
      const shown = await onClients(by, 'show_client', { params: { id: client.id } });
      const { brands = [] } = (shown.ok ? shown.value : {}) as { brands?: readonly { domain: string }[] };
      return brands.map(({ domain }) => domain);
    };
    expect(await brandsFor(ofAll)).toEqual(['one.example', 'two.example']);
    expect(await brandsFor(await trader(client))).toEqual(['one.example', 'two.example']);
    expect(await brandsFor(await trader({ kind: 'brand', id: 'two.example' }))).toEqual(['two.example']);
  });
});
