import { Buffer } from 'node:buffer';
import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import { connectionDirectory, credentialStore, openStore, organizations } from '@switchyard/store';
import {
  createConnection,
  createScope,
  memoryKeyManagement,
  openTestStore,
  sealUnbound,
  testClock,
} from '@switchyard/testing';
import { Secret, type JsonValue } from '@switchyard/values';
import { createVault, type CredentialKind } from '@switchyard/vault';
import { bindCredentials } from './credential-health.js';
import { callbackVault } from '../webhooks/out/callback-secrets.js';
import { leaseSecretsFrom } from '../keys/lease-secrets.js';

const { store, stop } = await openTestStore(openStore);
afterAll(stop);

const use = { operationId: randomUUID(), purpose: 'create_media_buy' };

/** A tenant whose data folder is from before destinations: one seller, with all that was sealed for it then. */
async function tenantFromBefore() {
  const scope = await createScope(store);
  const kms = memoryKeyManagement();
  const credentials = credentialStore(store);
  const vault = createVault({ kms, store: credentials, clock: testClock(), newId: randomUUID, randomBytes });
  const connections = connectionDirectory(store);
  const bare = await createConnection(store, scope.organizationId, { agentUrl: 'https://acme.example/mcp' });
  const sealed = async (kind: CredentialKind, text: string): Promise<string> => {
    const credentialId = randomUUID();
    const of = { connectionId: bare.id, seller: bare.slug };
    const identity = { ...scope, credentialId, version: 1, kind, ...(kind === 'callback' ? {} : of) };
    await credentials.insert(scope, await sealUnbound(kms, identity, new Secret(Buffer.from(text))));
    return credentialId;
  };
  const ids = {
    credentialId: await sealed('basic', 'agency:s3cret'),
    keyCredentialId: await sealed('idempotency', 'key'),
    webhookCredentialId: await sealed('webhook', 'shared'),
  };
  await connections.update(scope, bare.id, ids, Date.UTC(2026, 0, 2));
  const troubles: string[] = [];
  const looks = { count: 0 };
  const start = (stored = new Map<string, JsonValue>()): Promise<void> =>
    bindCredentials({
      organizations: {
        ids: () => {
          looks.count += 1;
          return organizations(store).ids();
        },
      },
      connections,
      vault,
      notes: {
        get: (key) => Promise.resolve(stored.get(key)),
        set: (key, value) => Promise.resolve(void stored.set(key, value)),
      },
      now: Date.UTC(2026, 0, 2),
      onUnexpected: (error) => void troubles.push(String(error)),
    });
  const lease = leaseSecretsFrom(vault);
  /** What would be sent to the seller at the address that its connection has. */
  const sent = async () => {
    const connection = await connections.byId(scope, bare.id);
    if (connection === undefined) throw new Error('no seller');
    const leased = await lease(scope, [connection], use);
    const secrets = leased.ok ? leased.value.get(bare.id) : undefined;
    return [secrets?.credential?.secret, secrets?.keySecret, secrets?.webhookSecret?.secret].map((secret) =>
      secret?.useText((text) => text),
    );
  };
  const move = (agentUrl: string) => connections.update(scope, bare.id, { agentUrl }, Date.UTC(2026, 0, 3));
  return { scope, vault, credentials, sealed, ids, start, sent, move, troubles, looks };
}

describe('a secret that was sealed without a destination', () => {
  it('is bound at the next start to the current address of its seller, once, without loss', async () => {
    const { scope, ids, start, sent, move, troubles } = await tenantFromBefore();
    expect(await sent()).toEqual([undefined, 'key', undefined]);
    await start();
    expect(await sent()).toEqual(['agency:s3cret', 'key', 'shared']);
    await move('https://mallory.example/mcp');
    expect(await sent()).toEqual([undefined, 'key', undefined]);
    await start();
    expect(await sent()).toEqual([undefined, 'key', undefined]);
    await move('https://acme.example/other');
    expect(await sent()).toEqual(['agency:s3cret', 'key', 'shared']);
    expect(troubles).toEqual([]);
    const { rows } = await store.inTenant(scope, (client) =>
      client.query<{ credential_id: string }>(
        `select credential_id from credential_use where purpose = 'bind' order by credential_id`,
      ),
    );
    const bound = [ids.credentialId, ids.webhookCredentialId];
    expect(rows.map((row) => row.credential_id)).toEqual(bound.toSorted());
  });

  it('is searched at every start until none is left, and at none after that', async () => {
    const { scope, start, looks, sealed, vault } = await tenantFromBefore();
    const stored = new Map<string, JsonValue>();
    const unnamed = await sealed('bearer', 'of no connection');
    await start(stored);
    await start(stored);
    expect(looks.count).toBe(2);
    expect(
      (
        await vault.rotate(scope, unnamed, new Secret(Buffer.from('new')), {
          destinationIfUnbound: 'https://acme.example',
        })
      ).ok,
    ).toBe(true);
    await start(stored);
    await start(stored);
    expect(looks.count).toBe(3);
  });

  it('is never bound a second time, even if somebody restores the older row and moves the seller', async () => {
    const { scope, credentials, ids, start, sent, move, troubles } = await tenantFromBefore();
    const [old] = await credentials.current(scope, [ids.credentialId]);
    if (old === undefined) throw new Error('no row');
    await start();
    await store.inTenant(scope, async (client) => {
      await client.query(
        `update credential set scheme = $2, destination = null, kms_key_id = $3, wrapped_key = $4, nonce = $5,
           ciphertext = $6, tag = $7, commitment = $8 where credential_id = $1`,
        [
          old.credentialId,
          old.scheme,
          old.kmsKeyId,
          old.wrappedKey,
          old.nonce,
          old.ciphertext,
          old.tag,
          old.commitment,
        ],
      );
    });
    await move('https://mallory.example/mcp');
    await start();
    expect((await sent())[0]).toBeUndefined();
    expect(troubles).toEqual([expect.stringContaining('it was bound before')]);
  });

  it('is replaced by a new secret, for the address of the seller', async () => {
    const { scope, vault, ids, sent } = await tenantFromBefore();
    const secret = new Secret(Buffer.from('agency:new'));
    expect(await vault.rotate(scope, ids.credentialId, secret)).toMatchObject({ error: { code: 'unbound' } });
    expect(
      (
        await vault.rotate(scope, ids.credentialId, secret, {
          destinationIfUnbound: 'https://acme.example',
        })
      ).ok,
    ).toBe(true);
    expect((await sent())[0]).toBe('agency:new');
  });

  it('of a buyer is bound at its first use to the address that it was given with', async () => {
    const { scope, vault, sealed } = await tenantFromBefore();
    const credentialId = await sealed('callback', JSON.stringify({ token: 'of a buyer' }));
    const callbacks = callbackVault(vault);
    const at = (url: string) =>
      callbacks.open(scope, { credentialId, operationId: use.operationId, url } as Parameters<
        typeof callbacks.open
      >[1]);
    expect(await at('https://buyer.example/in')).toEqual({ token: 'of a buyer' });
    expect(await at('https://buyer.example/other')).toEqual({ token: 'of a buyer' });
    expect(await at('https://mallory.example/in')).toBeUndefined();
  });
});
