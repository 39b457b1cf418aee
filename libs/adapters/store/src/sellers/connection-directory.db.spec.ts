import { randomUUID } from 'node:crypto';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Connection } from '@switchyard/sellers';
import { createConnection, createOrganization, createScope, openTestStore } from '@switchyard/testing';
import { openStore } from '../core/open-store.js';
import { connectionDirectory } from './connection-directory.js';

const at = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
let scope: { organizationId: string };

const { store, stop } = await openTestStore(openStore);
afterAll(stop);

beforeEach(async () => {
  scope = await createScope(store);
});

const capabilities: NonNullable<Connection['capabilities']> = {
  supportedVersions: ['3.1'],
  protocols: ['media_buy'],
  idempotency: { supported: true },
  publisherDomains: [],
  pricingModels: ['cpm'],
  reportingByWebhook: true,
  windowedPullGranularities: [],
  requestSigning: { supported: false, requiredFor: [] },
  webhookSigning: true,
  original: { said: 'exactly this' },
};

describe('the directory of connections', () => {
  it('returns what was stored, with every optional member and with none', async () => {
    const bare = await createConnection(store, scope.organizationId, { slug: 'bare' });
    const full = await createConnection(store, scope.organizationId, {
      slug: 'full',
      kinds: ['sales', 'signals'],
      stateReason: 'probe failed',
      state: 'failed',
      account: { accountId: 'acc_1' },
      capabilities,
      capabilitiesAt: at,
      tools: { get_products: ['brief'] },
      pinnedJwksUri: 'https://keys.example/jwks.json',
      pinnedBrandJsonUrl: 'https://brand.example/brand.json',
      credentialId: randomUUID(),
      keyCredentialId: randomUUID(),
      legacyWebhooks: 'hmac-sha256',
      webhookCredentialId: randomUUID(),
      isSandbox: true,
    });
    const directory = connectionDirectory(store);
    expect(await directory.list(scope)).toEqual([bare, full]);
    expect(await directory.list(scope, { state: 'failed' })).toEqual([full]);
    expect(await directory.bySlug(scope, 'full')).toEqual(full);
    expect(await directory.byId(scope, bare.id)).toEqual(bare);
    expect(await directory.bySlug(scope, 'none')).toBeUndefined();
  });

  it('accepts a slug once per organization, even at the same moment', async () => {
    const directory = connectionDirectory(store);
    const connection = await createConnection(store, scope.organizationId, { slug: 'acme' });
    const copies = [randomUUID(), randomUUID()].map((id) => ({ ...connection, id, slug: 'beta' }));
    const received = await Promise.all(copies.map((copy) => directory.insert(scope, copy, at)));
    expect(received.sort()).toEqual([false, true]);
    expect(await directory.insert(scope, { ...connection, id: randomUUID() }, at)).toBe(false);
    const other = await createOrganization(store);
    expect((await createConnection(store, other.id, { slug: 'acme' })).slug).toBe('acme');
    await expect(
      directory.insert(scope, { ...connection, id: randomUUID(), slug: 'c', organizationId: other.id }, at),
    ).rejects.toThrow();
  });

  it('shows a change to every process at the next read, and the same object while nothing changed', async () => {
    const [here, there] = [connectionDirectory(store), connectionDirectory(store)];
    const seller = await createConnection(store, scope.organizationId, { state: 'onboarding' });
    const { id } = seller;
    const before = await here.byId(scope, id);
    expect(await here.byId(scope, id)).toBe(before);
    expect(await there.updateState(scope, seller, { state: 'failed', reason: 'unreachable' }, at)).toBe(true);
    expect(await here.byId(scope, id)).toEqual({ ...before, state: 'failed', stateReason: 'unreachable' });
    expect(await there.updateState(scope, seller, { state: 'live' }, at)).toBe(true);
    expect(await here.byId(scope, id)).toEqual({ ...before, state: 'live' });
    const found = { capabilities, form: '3.1', kinds: ['signals'], tools: { get_signals: [] } } as const;
    expect(await there.saveCapabilities(scope, seller, found, at)).toBe(true);
    expect(await here.byId(scope, id)).toEqual({ ...before, state: 'live', ...found, capabilitiesAt: at });
  });

  it('changes the members of a patch, clears those set to undefined, and keeps the others', async () => {
    const directory = connectionDirectory(store);
    const connection = await createConnection(store, scope.organizationId, {
      account: { accountId: 'acc_1' },
      pinnedJwksUri: 'https://keys.example/jwks.json',
      credentialId: randomUUID(),
    });
    const keyCredentialId = randomUUID();
    expect(
      await directory.update(scope, connection.id, { account: undefined, keyCredentialId, name: 'New' }, at),
    ).toBe(true);
    const { account: _cleared, ...kept } = connection;
    expect(await directory.byId(scope, connection.id)).toEqual({ ...kept, keyCredentialId, name: 'New' });
  });

  it('writes nothing found at an address that the seller has changed meanwhile', async () => {
    const directory = connectionDirectory(store);
    const before = await createConnection(store, scope.organizationId, { agentUrl: 'https://old.example/' });
    await directory.update(scope, before.id, { agentUrl: 'https://new.example/' }, at);
    const found = { capabilities, form: '3.1', kinds: ['signals'] } as const;
    const keySet = { kind: 'found', known: undefined, jwksUri: 'https://old.example/jwks.json' } as const;
    expect(await directory.saveCapabilities(scope, before, found, at)).toBe(false);
    expect(await directory.updateState(scope, before, { state: 'failed', reason: 'unreachable' }, at)).toBe(
      false,
    );
    expect(await directory.storeKeySet(scope, before, keySet, at)).toBe(false);
    expect(await directory.byId(scope, before.id)).toEqual({ ...before, agentUrl: 'https://new.example/' });
  });

  it('stores the first of two key sets found at once, and replaces only the expected one', async () => {
    const directory = connectionDirectory(store);
    for (const kind of ['found', 'pinned'] as const) {
      const seller = await createConnection(store, scope.organizationId);
      const named = ['a', 'b'].map((host) => `https://${host}.example/jwks.json`);
      const keep = (known: string | undefined, one = ''): Promise<boolean> =>
        directory.storeKeySet(scope, seller, { kind, known, jwksUri: one }, at);
      const stored = await Promise.all(named.map((one) => keep(undefined, one)));
      expect(stored.toSorted()).toEqual([false, true]);
      const first = named[stored.indexOf(true)];
      const read = async (): Promise<string | undefined> =>
        (await directory.byId(scope, seller.id))?.[kind === 'found' ? 'foundJwksUri' : 'pinnedJwksUri'];
      expect(await read()).toBe(first);
      expect(await keep('https://other.example/', 'https://c.example/')).toBe(false);
      expect(await keep(first, 'https://c.example/')).toBe(true);
      expect(await read()).toBe('https://c.example/');
    }
  });

  it("neither shows nor changes another organization's connections", async () => {
    const directory = connectionDirectory(store);
    const seller = await createConnection(store, scope.organizationId);
    const { id } = seller;
    await directory.byId(scope, id);
    const other = await createScope(store);
    expect(await directory.byId(other, id)).toBeUndefined();
    expect(await directory.list(other)).toEqual([]);
    expect(await directory.updateState(other, seller, { state: 'disabled' }, at)).toBe(false);
    expect(await directory.byId(scope, id)).toBeDefined();
  });

  it('stores the newest health for any order of reports', async () => {
    const directory = connectionDirectory(store);
    const { id: connectionId } = await createConnection(store, scope.organizationId);
    const change = { ...scope, connectionId };
    await directory.saveHealth({ ...change, breaker: 'closed', failures: 0, at, ok: true });
    await directory.saveHealth({
      ...change,
      breaker: 'open',
      failures: 3,
      at: at + 2,
      ok: false,
      code: 'slow',
    });
    await directory.saveHealth({ ...change, breaker: 'half_open', failures: 3, at: at + 1, ok: false });
    expect(await directory.health(scope)).toEqual([
      {
        connectionId,
        breaker: 'open',
        failures: 3,
        lastOkAt: at,
        lastFailureAt: at + 2,
        lastFailureCode: 'slow',
        updatedAt: at + 2,
      },
    ]);
  });
});
