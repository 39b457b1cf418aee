import { randomBytes, randomUUID } from 'node:crypto';
import { Buffer } from 'node:buffer';
import { describe, expect, it } from '@jest/globals';
import type { Connection } from '@switchyard/sellers';
import { memoryCredentialStore, memoryKeyManagement, testClock } from '@switchyard/testing';
import { must, Secret } from '@switchyard/values';
import { createVault, type CredentialKind } from '@switchyard/vault';
import { leaseSecretsFrom } from './lease-secrets.js';

const scope = { organizationId: randomUUID() };
const use = { operationId: randomUUID(), purpose: 'create_media_buy' };

function openVault() {
  const store = memoryCredentialStore();
  const vault = createVault({
    kms: memoryKeyManagement(),
    store,
    clock: testClock(),
    newId: () => randomUUID(),
    randomBytes,
  });
  const put = async (connection: Connection, kind: CredentialKind, text: string): Promise<string> => {
    const isSent = kind !== 'idempotency';
    const of = {
      connectionId: connection.id,
      seller: connection.slug,
      ...(isSent ? { destination: 'https://seller.example' } : {}),
    };
    const sealed = must(await vault.put(scope, { kind, secret: new Secret(Buffer.from(text)), ...of }));
    return sealed.credentialId;
  };
  return { store, vault, put, lease: leaseSecretsFrom(vault) };
}

const connectionOf = (slug: string): Connection =>
  ({
    id: randomUUID(),
    organizationId: scope.organizationId,
    slug,
    agentUrl: 'https://seller.example/mcp',
  }) as Connection;

describe('leasing for the legs of one operation', () => {
  it('gives each its credential and its key secret, with one audit insert', async () => {
    const { store, put, lease } = openVault();
    const connections = await Promise.all(
      ['acme', 'bravo'].map(async (slug) => {
        const bare = connectionOf(slug);
        const [credentialId, keyCredentialId] = [
          await put(bare, 'bearer', `token-${slug}`),
          await put(bare, 'idempotency', `key-${slug}`),
        ];
        return { ...bare, credentialId, keyCredentialId };
      }),
    );
    const leased = must(await lease(scope, connections, use));
    for (const { id, slug } of connections) {
      const secrets = leased.get(id);
      expect(secrets?.credential?.scheme).toBe('bearer');
      expect(secrets?.credential?.secret.useText(String)).toBe(`token-${slug}`);
      expect(secrets?.keySecret?.useText(String)).toBe(`key-${slug}`);
    }
    expect(store.useInserts).toBe(1);
    expect(store.uses).toHaveLength(4);
  });

  it('gives no key secret to a read', async () => {
    const { put, lease } = openVault();
    const bare = connectionOf('acme');
    const connection = { ...bare, keyCredentialId: await put(bare, 'idempotency', 'key') };
    const leased = await lease(scope, [connection], { ...use, purpose: 'get_products' });
    expect(leased.ok && leased.value.get(bare.id)?.keySecret).toBeUndefined();
  });

  it('finds out that a credential is a pair of name and password, and leases it as a pair from then on', async () => {
    const { store, put, lease } = openVault();
    const bare = connectionOf('acme');
    const connection = { ...bare, credentialId: await put(bare, 'basic', 'name:password') };
    for (let time = 0; time < 2; time += 1) {
      const leased = await lease(scope, [connection], use);
      expect(leased.ok && leased.value.get(bare.id)?.credential?.scheme).toBe('basic');
    }
    expect(store.useInserts).toBe(2);
  });

  it('fails only one leg if one record is broken', async () => {
    const { put, lease } = openVault();
    const [acme, bravo] = [connectionOf('acme'), connectionOf('bravo')];
    const connections = [
      { ...acme, credentialId: randomUUID() },
      { ...bravo, credentialId: await put(bravo, 'bearer', 'token') },
    ];
    const leased = must(await lease(scope, connections, use));
    expect(leased.get(acme.id)?.credential).toBeUndefined();
    expect(leased.get(bravo.id)?.credential?.secret.useText(String)).toBe('token');
  });

  it('returns nothing if the audit cannot be written', async () => {
    const { store, put, lease } = openVault();
    const bare = connectionOf('acme');
    const connection = { ...bare, credentialId: await put(bare, 'bearer', 'token') };
    store.breakMethod('recordUses');
    expect((await lease(scope, [connection], use)).ok).toBe(false);
  });
});
