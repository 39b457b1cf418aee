import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import { admitToken, hashToken, reachOf, type GrantScope, type Principal } from '@switchyard/tenancy';
import { createOrganization, createPrincipal, createToken, openTestStore } from '@switchyard/testing';
import { must } from '@switchyard/values';
import { listReader } from '../core/list.js';
import { openStore } from '../core/open-store.js';
import { signerDirectory } from '../signing/signer-directory.js';
import { grantDirectory } from './grant-directory.js';
import { grantList } from './grant.list.js';
import { identityDirectory } from './identity-directory.js';
import { principalDirectory } from './principal-directory.js';

const at = Date.UTC(2026, 0, 2);

const { store, stop } = await openTestStore(openStore);
afterAll(stop);
const grants = grantDirectory(store);
const principals = principalDirectory(store);

const brand: GrantScope = { kind: 'brand', id: 'acme.example' };

async function grant(
  { organizationId, id: principalId }: Principal,
  role: string,
  scope: GrantScope,
): Promise<string> {
  const id = randomUUID();
  await grants.add({ organizationId }, { id, principalId, role, scope, createdAt: at });
  return id;
}

async function holderOf(text: string): Promise<Principal> {
  return must(admitToken(await principals.findByTokenHash(hashToken(text)), at));
}

const writes = (principal: Principal) =>
  reachOf({ ...principal, principalId: principal.id }, 'media_buys', 'write');
const nothing = { kind: 'limited', clientIds: [], brandDomains: [], campaignIds: [] };

describe('a grant', () => {
  it('is returned with the principal by every lookup', async () => {
    const { id: organizationId } = await createOrganization(store);
    const scope = { organizationId };
    const principal = await createPrincipal(store, organizationId, { permissions: {} });
    const names = { kind: 'jwt' as const, issuer: `https://${organizationId}.example`, subject: 'ann' };
    const known = { principalId: principal.id, createdAt: at };
    await identityDirectory(store).add(scope, { id: randomUUID(), ...known, ...names });
    const signer = randomUUID();
    await signerDirectory(store).add(scope, {
      id: signer,
      ...known,
      agentUrl: 'https://ann.example',
      keys: { kind: 'address', jwksUri: 'https://ann.example/jwks.json' },
      dialect: 'ads',
      allowsRsaPss: false,
    });
    await grant(principal, 'trader', brand);
    const [named] = await identityDirectory(store).find('jwt', names.issuer, ['ann']);
    const found = [
      await holderOf(await createToken(store, principal)),
      await principals.find(scope, principal.id),
      await principals.findByName(scope, principal.name),
      (await principals.list(scope))[0],
      (await principals.record(scope, { id: principal.id }))?.principal,
      named?.principal,
      (await signerDirectory(store).all()).find(({ id }) => id === signer)?.principal,
      (await signerDirectory(store).find(scope, signer))?.principal,
    ];
    for (const one of found) {
      expect(one && writes(one)).toEqual({ ...nothing, brandDomains: ['acme.example'] });
      // Sellers belong to the whole organization: a trader of one brand has no permission there.
      expect([one?.permissions.media_buys, one?.permissions.sellers]).toEqual([
        ['read', 'write', 'delete', 'approve'],
        undefined,
      ]);
    }
  });

  it('that is removed ends with the next lookup of its principal, and changes the mark of the relay', async () => {
    const { id: organizationId } = await createOrganization(store);
    const scope = { organizationId };
    const principal = await createPrincipal(store, organizationId, { permissions: {} });
    const text = await createToken(store, principal);
    const version = async (): Promise<string | undefined> =>
      store.inTenant(scope, async (client) => {
        const { rows } = await client.query<{ xmin: string }>('select xmin::text from principal');
        return rows[0]?.xmin;
      });
    const id = await grant(principal, 'trader', { kind: 'organization' });
    expect(writes(await holderOf(text))).toEqual({ kind: 'everything' });
    const before = await version();
    expect([await grants.remove(scope, id, at), await grants.remove(scope, id, at)]).toEqual([true, false]);
    expect((await holderOf(text)).permissions).toEqual({});
    expect(await version()).not.toBe(before);
  });

  it('of an edited role gives the current permissions of the role, and of an unknown role none', async () => {
    const { id: organizationId } = await createOrganization(store);
    const scope = { organizationId };
    const principal = await createPrincipal(store, organizationId, { permissions: {} });
    const text = await createToken(store, principal);
    await grant(principal, 'trader', brand);
    await grant(principal, 'sorcerer', { kind: 'organization' });
    expect((await holderOf(text)).permissions.delegations).toBeUndefined();
    await grants.saveRole(scope, { name: 'trader', permissions: { delegations: ['read'] }, updatedAt: at });
    expect((await holderOf(text)).permissions).toEqual({ delegations: ['read'] });
  });

  it('is restricted by a restricted token, like the permissions of its principal', async () => {
    const { id: organizationId } = await createOrganization(store);
    const principal = await createPrincipal(store, organizationId, { permissions: { sellers: ['read'] } });
    await grant(principal, 'admin', { kind: 'organization' });
    const narrow = await createToken(store, principal, { media_buys: ['read'] });
    const holder = await holderOf(narrow);
    expect(holder.permissions).toEqual({ media_buys: ['read'] });
    expect(writes(holder)).toEqual(nothing);
    expect(reachOf({ ...holder, principalId: holder.id }, 'media_buys', 'read')).toEqual({
      kind: 'everything',
    });
    expect(reachOf({ ...holder, principalId: holder.id }, 'sellers', 'read')).toEqual(nothing);
  });

  it('of another organization is neither listed nor removed, and gives no access', async () => {
    const [mine, theirs] = [await createOrganization(store), await createOrganization(store)];
    const principal = await createPrincipal(store, theirs.id, { permissions: {} });
    const id = await grant(principal, 'viewer', { kind: 'organization' });
    const scope = { organizationId: mine.id };
    const reach = { kind: 'everything' } as const;
    expect(await listReader(store).page(scope, grantList, { reach, limit: 10 })).toEqual([]);
    expect(await grants.remove(scope, id, at)).toBe(false);
    expect(await grants.placeOf(scope, { kind: 'client', id: randomUUID() })).toBeUndefined();
    expect(await grants.holders(scope, { area: 'media_buys', kind: 'read' })).toEqual([]);
    expect(await grants.holders({ organizationId: theirs.id }, { area: 'media_buys', kind: 'read' })).toEqual(
      [principal.name],
    );
  });
});
