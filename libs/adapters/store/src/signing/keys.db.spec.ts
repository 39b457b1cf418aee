import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import { generateSigningKey, publicJwk, type PlatformKey } from '@switchyard/signing';
import type { RequestSigner } from '@switchyard/tenancy';
import { createOrganization, createPrincipal, openTestStore, testClock } from '@switchyard/testing';
import { openStore } from '../core/open-store.js';
import { platformKeyStore } from './platform-key-store.js';
import { replayStore } from './replay-store.js';
import { signerDirectory } from './signer-directory.js';

const at = Date.UTC(2026, 0, 2, 3, 4, 5, 678);

const { store, database, stop } = await openTestStore(openStore);
afterAll(stop);

async function tenant() {
  const { id: organizationId } = await createOrganization(store);
  const principal = await createPrincipal(store, organizationId);
  return { scope: { organizationId }, principal };
}

function keyOf(of: Awaited<ReturnType<typeof tenant>>, more: Partial<PlatformKey> = {}): PlatformKey {
  const kid = randomUUID();
  return {
    kid,
    organizationId: of.scope.organizationId,
    principalId: of.principal.id,
    signsProofs: false,
    alg: 'ed25519',
    custody: { kind: 'vault', credentialId: randomUUID() },
    publicJwk: publicJwk(generateSigningKey(kid), ['ads_use', 'adcp_use']),
    state: 'live',
    createdAt: at,
    liveAt: at,
    ...more,
  };
}

describe('our own keys', () => {
  it('are returned as stored, and one of several processes creates the live one', async () => {
    const of = await tenant();
    const keys = [keyOf(of), keyOf(of), keyOf(of)];
    const made = await Promise.all(keys.map((key) => platformKeyStore(store).insert(of.scope, key)));
    expect(made.filter(Boolean)).toHaveLength(1);
    const [kept] = await platformKeyStore(store).list(of.scope);
    expect(keys).toContainEqual(kept);
    expect(await platformKeyStore(store).live(of.scope, of.principal.id)).toEqual(kept);
    expect(await platformKeyStore(store).live(of.scope, randomUUID())).toBeUndefined();
  });

  it('change state together or not at all, and once', async () => {
    const of = await tenant();
    const [old, next] = [
      keyOf(of),
      keyOf(of, { state: 'published', custody: { kind: 'kms', keyId: 'arn' } }),
    ];
    const own = platformKeyStore(store);
    expect([await own.insert(of.scope, old), await own.insert(of.scope, next)]).toEqual([true, true]);
    const promote = { kid: next.kid, from: 'published', to: 'live' } as const;
    const stepDown = { kid: old.kid, from: 'live', to: 'retiring' } as const;
    expect(await own.move(of.scope, [promote], at + 1)).toBe(false);
    expect(await own.move(of.scope, [stepDown, { ...promote, kid: 'none' }], at + 1)).toBe(false);
    expect((await own.live(of.scope, of.principal.id))?.kid).toBe(old.kid);
    const received = await Promise.all([1, 2].map(() => own.move(of.scope, [stepDown, promote], at + 2)));
    expect(received.sort()).toEqual([false, true]);
    const { liveAt: _not, ...waiting } = next;
    expect(await own.list(of.scope)).toEqual(
      [
        { ...old, state: 'retiring', retiringAt: at + 2 },
        { ...waiting, state: 'live', liveAt: at + 2 },
      ].sort((a, b) => (a.kid < b.kid ? -1 : 1)),
    );
    expect((await platformKeyStore(store).remote()).find(({ kid }) => kid === next.kid)).toEqual({
      kid: next.kid,
      keyId: 'arn',
      publicJwk: next.publicJwk,
    });
  });

  it('are published across tenants until they are retired, and never read across them', async () => {
    const [ours, theirs] = [await tenant(), await tenant()];
    const [one, two] = [keyOf(ours), keyOf(theirs)];
    const own = platformKeyStore(store);
    await own.insert(ours.scope, one);
    await own.insert(theirs.scope, two);
    const kids = async () => (await own.published()).map(({ publicJwk: jwk }) => jwk['kid']);
    expect(await kids()).toEqual(expect.arrayContaining([one.kid, two.kid]));
    expect((await own.list(ours.scope)).map(({ kid }) => kid)).toEqual([one.kid]);
    expect(await own.move(theirs.scope, [{ kid: one.kid, from: 'live', to: 'retired' }], at)).toBe(false);
    expect(await own.move(ours.scope, [{ kid: one.kid, from: 'live', to: 'retired' }], at)).toBe(true);
    expect(await kids()).not.toContain(one.kid);
  });
});

describe('registered signers', () => {
  it('are found with their principal before a tenant is known, until they are removed', async () => {
    const of = await tenant();
    const signers = signerDirectory(store);
    const signer: RequestSigner = {
      id: randomUUID(),
      principalId: of.principal.id,
      agentUrl: 'https://buyer.example/mcp',
      keys: { kind: 'address', jwksUri: 'https://buyer.example/jwks.json' },
      dialect: 'adcp',
      allowsRsaPss: false,
      createdAt: at,
    };
    const handed: RequestSigner = {
      ...signer,
      id: randomUUID(),
      keys: { kind: 'document', jwks: { keys: [{ kid: 'k' }] } },
      allowsRsaPss: true,
      createdAt: at + 1,
    };
    await signers.add(of.scope, signer);
    await signers.add(of.scope, handed);
    const mine = async () =>
      (await signers.all()).filter(({ principalId }) => principalId === of.principal.id);
    expect(await mine()).toEqual([
      { ...registered(signer), principal: of.principal, provedKeys: [] },
      { ...registered(handed), principal: of.principal, provedKeys: [] },
    ]);
    expect(await signers.find(of.scope, signer.id)).toEqual({
      ...registered(signer),
      principal: of.principal,
      provedKeys: [],
    });
    const other = (await tenant()).scope;
    expect(await signers.find(other, signer.id)).toBeUndefined();
    expect(await signers.remove(other, signer.id, at)).toBe(false);
    expect(await signers.remove(of.scope, signer.id, at)).toBe(true);
    expect(await signers.remove(of.scope, signer.id, at)).toBe(false);
    expect(await signers.find(of.scope, signer.id)).toBeUndefined();
    expect(await signers.find(of.scope, handed.id)).toMatchObject({ id: handed.id });
    expect((await mine()).map(({ id }) => id)).toEqual([handed.id]);
    await store.inTenant(of.scope, (client) => client.query('update principal set disabled_at = now()'));
    expect(await mine()).toEqual([]);
    expect(await signers.find(of.scope, handed.id)).toBeUndefined();
  });
});

describe('the key set of a signer whose keys are discovered', () => {
  it('is stored when found, the first one of two, and replaced only if the expected one is current', async () => {
    const [of, other] = [await tenant(), await tenant()];
    const signers = signerDirectory(store);
    const keys = { kind: 'discovered', protocol: 'a2a' } as const;
    const signer: RequestSigner = {
      ...{ id: randomUUID(), principalId: of.principal.id, agentUrl: 'https://buyer.example/a2a', keys },
      ...{ dialect: 'adcp', allowsRsaPss: false, createdAt: at },
    };
    await signers.add(of.scope, signer);
    const read = async () => (await signers.find(of.scope, signer.id))?.keys;
    const keep = (jwksUri: string, known?: string, scope = of.scope) =>
      signers.storeKeySet(scope, signer.id, { jwksUri, known });
    const uris = ['https://a.example/jwks', 'https://b.example/jwks'] as const;
    expect(await keep(uris[0], undefined, other.scope)).toBe(false);
    const both = await Promise.all([keep(uris[0]), keep(uris[0])]);
    expect(both.filter(Boolean)).toHaveLength(1);
    expect(await read()).toEqual({ ...keys, foundJwksUri: uris[0] });
    expect([await keep(uris[1]), await keep(uris[1], 'https://c.example/jwks')]).toEqual([false, false]);
    expect(await keep(uris[1], uris[0])).toBe(true);
    expect((await signers.all()).find(({ id }) => id === signer.id)?.keys).toEqual(await read());
    expect(await read()).toEqual({ ...keys, foundJwksUri: uris[1] });
    await signers.remove(of.scope, signer.id, at);
    expect(await keep(uris[0], uris[1])).toBe(false);
  });

  it('is not stored for a signer with another source of keys', async () => {
    const of = await tenant();
    const signer: RequestSigner = {
      ...{ id: randomUUID(), principalId: of.principal.id, agentUrl: 'https://buyer.example/mcp' },
      ...{ keys: { kind: 'document', jwks: { keys: [{ kid: 'k' }] } } },
      ...{ dialect: 'ads', allowsRsaPss: false, createdAt: at },
    };
    await signerDirectory(store).add(of.scope, signer);
    const stored = { jwksUri: 'https://a.example/jwks', known: undefined };
    expect(await signerDirectory(store).storeKeySet(of.scope, signer.id, stored)).toBe(false);
    expect((await signerDirectory(store).find(of.scope, signer.id))?.keys).toEqual(signer.keys);
  });
});

function registered({ createdAt: _not, ...signer }: RequestSigner): Omit<RequestSigner, 'createdAt'> {
  return signer;
}

describe('a nonce', () => {
  it('that one process has seen is a replay to the next one, after any kind of exit', async () => {
    const clock = testClock();
    const keyid = randomUUID();
    const first = openStore(database.appUrl);
    expect(await replayStore(first, { clock, cap: 100 }).claim(keyid, 'nonce', clock.now() + 60_000)).toBe(
      'claimed',
    );
    await first.close();
    const second = openStore(database.appUrl);
    const beside = replayStore(second, { clock, cap: 100 });
    expect(await beside.claim(keyid, 'nonce', clock.now() + 60_000)).toBe('replayed');
    expect(await beside.claim(keyid, 'another', clock.now() + 60_000)).toBe('claimed');
    await second.close();
  });
});
