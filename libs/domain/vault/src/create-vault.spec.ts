import { Buffer } from 'node:buffer';
import { randomBytes, randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  memoryCredentialStore,
  memoryKeyManagement,
  sealUnbound,
  testClock,
  type MemoryCredentialStore,
  type MemoryKeyManagement,
  type TestClock,
} from '@switchyard/testing';
import { must, Secret } from '@switchyard/values';
import { createVault } from './create-vault.js';
import type { LeaseRequest, Vault } from './vault.js';

const ours = { organizationId: randomUUID() };
const theirs = { organizationId: randomUUID() };
const connectionId = randomUUID();
const reason = { operationId: randomUUID(), purpose: 'call', actor: 'fanout' };
const destination = 'https://acme.example';
const canary = 'canary-7f3a-secret-of-acme';
const secretOf = (text: string): Secret => new Secret(Buffer.from(text, 'utf8'));

describe('the vault', () => {
  let kms: MemoryKeyManagement;
  let store: MemoryCredentialStore;
  let clock: TestClock;
  let vault: Vault;
  beforeEach(() => {
    kms = memoryKeyManagement();
    store = memoryCredentialStore();
    clock = testClock();
    vault = vaultWith(2);
  });

  function vaultWith(cacheEntries: number): Vault {
    return createVault({ kms, store, clock, newId: randomUUID, randomBytes, cacheEntries });
  }

  async function put(text = canary, seller = 'acme'): Promise<LeaseRequest> {
    const made = must(
      await vault.put(ours, { kind: 'bearer', connectionId, seller, destination, secret: secretOf(text) }),
    );
    return { credentialId: made.credentialId, kind: 'bearer', connectionId, seller, destination };
  }

  async function leased(...requests: LeaseRequest[]): Promise<string[]> {
    const leases = must(await vault.lease(ours, requests, reason));
    return requests.map((request) => {
      const lease = leases.get(request.credentialId);
      if (lease === undefined) return 'missing';
      return lease.ok ? lease.value.secret.useText((text) => text) : lease.error.code;
    });
  }

  const read = (request: LeaseRequest) =>
    vault.withSecret(ours, request, reason, (secret) => Promise.resolve(secret.useText((text) => text)));

  it('opens the login of a client for that client alone, also after its row was changed', async () => {
    const [nova, orion] = [randomUUID(), randomUUID()];
    const made = must(
      await vault.put(ours, {
        ...{ kind: 'bearer', connectionId, seller: 'acme', destination, clientId: nova },
        secret: secretOf(canary),
      }),
    );
    const wanted: LeaseRequest = {
      ...{ credentialId: made.credentialId, kind: 'bearer', connectionId, seller: 'acme', destination },
    };
    expect(await leased({ ...wanted, clientId: nova })).toEqual([canary]);
    expect(await leased({ ...wanted, clientId: orion })).toEqual(['mismatch']);
    expect(await leased(wanted)).toEqual(['mismatch']);
    for (const [name, row] of store.rows)
      store.rows.set(name, { ...row, sealed: { ...row.sealed, clientId: orion } });
    expect(await leased({ ...wanted, clientId: orion })).toEqual(['key_management']);
    const rotated = await vault.rotate(ours, made.credentialId, secretOf('another'));
    expect(rotated.ok).toBe(false);
  });

  it('returns what was stored, and nothing that is stored or listed contains it', async () => {
    const request = await put();
    expect(await read(request)).toEqual({ ok: true, value: canary });
    const stored = JSON.stringify([...store.rows.values()], (_, value: unknown) => value) + dump(store);
    expect(stored).not.toContain(canary);
    expect(JSON.stringify(must(await vault.list(ours)))).not.toContain(canary);
  });

  it('writes one audit row per credential and operation, in one INSERT for all legs', async () => {
    const a = await put('a');
    const b = await put('b', 'bravo');
    expect(await leased(a, b, a)).toEqual(['a', 'b', 'a']);
    expect(store.useInserts).toBe(1);
    expect(store.uses).toEqual(
      [a, b].map(({ credentialId }) => ({
        ...ours,
        credentialId,
        credentialVersion: 1,
        operationId: reason.operationId,
        purpose: 'call',
        actor: 'fanout',
        usedAt: clock.now(),
      })),
    );
  });

  it('opens nothing when the audit row cannot be written, not even a cached secret', async () => {
    const request = await put();
    store.breakMethod('recordUses');
    expect(await read(request)).toMatchObject({ ok: false, error: { code: 'audit_unavailable' } });
    expect(kms.unwraps).toBe(0);
    store.breakMethod(undefined);
    expect(await read(request)).toMatchObject({ ok: true });
    store.breakMethod('recordUses');
    expect(await read(request)).toMatchObject({ ok: false, error: { code: 'audit_unavailable' } });
  });

  it('writes an audit row for a cached secret too', async () => {
    const request = await put();
    for (const _ of [1, 2, 3]) await read(request);
    expect(kms.unwraps).toBe(1);
    expect(store.uses).toHaveLength(3);
  });

  it('opens given rows after an audit that its caller writes, and nothing if that fails', async () => {
    const request = await put();
    const sealed = must(await vault.sealed(ours, [request.credentialId]));
    let isRecorded = false;
    const source = {
      usable: () => Promise.resolve(sealed.map((row) => ({ ...row, state: 'current' as const }))),
      recordUses: () => (isRecorded ? Promise.resolve() : Promise.reject(new Error('not admitted'))),
    };
    expect(await vault.lease(ours, [request], reason, source)).toMatchObject({
      ok: false,
      error: { code: 'audit_unavailable' },
    });
    expect(kms.unwraps).toBe(0);
    isRecorded = true;
    const lease = must(await vault.lease(ours, [request], reason, source)).get(request.credentialId);
    expect(lease?.ok === true && lease.value.secret.useText((text) => text)).toBe(canary);
    expect(store.uses).toEqual([]);
  });

  it('keeps an opened secret for 60 seconds and no longer', async () => {
    const request = await put();
    await read(request);
    clock.advance(59_999);
    await read(request);
    expect(kms.unwraps).toBe(1);
    clock.advance(1);
    await read(request);
    expect(kms.unwraps).toBe(2);
  });

  it('keeps no more opened secrets than its limit, and none after it is closed', async () => {
    const requests = [await put('a'), await put('b'), await put('c')];
    expect(await leased(...requests)).toEqual(['a', 'b', 'c']);
    expect(await leased(...requests.slice(1))).toEqual(['b', 'c']);
    expect(kms.unwraps).toBe(3);
    expect(await leased(...requests.slice(0, 1))).toEqual(['a']);
    expect(kms.unwraps).toBe(4);
    vault.close();
    await leased(...requests.slice(0, 1));
    expect(kms.unwraps).toBe(5);
  });

  it('keeps nothing of a lease that ends after it was closed', async () => {
    const request = await put();
    const underWay = leased(request);
    vault.close();
    expect(await underWay).toEqual([canary]);
    expect(await leased(request)).toEqual([canary]);
    expect(kms.unwraps).toBe(2);
  });

  it('wipes a released lease, and no other lease', async () => {
    const request = await put();
    const first = must(await vault.lease(ours, [request], reason)).get(request.credentialId);
    const second = must(await vault.lease(ours, [request], reason)).get(request.credentialId);
    if (first?.ok !== true || second?.ok !== true) throw new Error('refused');
    first.value.release();
    expect(first.value.secret.use((bytes) => bytes.every((byte) => byte === 0))).toBe(true);
    expect(second.value.secret.useText((text) => text)).toBe(canary);
    expect(await read(request)).toEqual({ ok: true, value: canary });
  });

  it('releases the secret when the work fails, and throws the failure on', async () => {
    const request = await put();
    const seen: Secret[] = [];
    const work = vault.withSecret(ours, request, reason, (secret) => {
      seen.push(secret);
      return Promise.reject(new Error('the seller hung up'));
    });
    await expect(work).rejects.toThrow('the seller hung up');
    expect(seen[0]?.use((bytes) => bytes.every((byte) => byte === 0))).toBe(true);
  });

  it('fails only one leg for one broken record', async () => {
    const good = await put('good');
    const bad = await put('bad');
    const unknown = { ...good, credentialId: randomUUID() };
    const key = `${bad.credentialId}/1`;
    const row = store.rows.get(key);
    if (row === undefined) throw new Error('no row');
    store.rows.set(key, { ...row, sealed: { ...row.sealed, tag: Buffer.alloc(16) } });
    expect(await leased(good, bad, unknown)).toEqual(['good', 'tampered', 'not_found']);
  });

  it.each(['denied', 'throttled', 'unavailable', 'wrong_key', 'invalid_ciphertext', 'unknown_key'] as const)(
    'reports when the key service answers %s, and works again afterwards',
    async (code) => {
      const request = await put();
      kms.failWith(code);
      expect(await read(request)).toMatchObject({ ok: false, error: { code: 'key_management', kms: code } });
      const secret = secretOf('x');
      const refused = await vault.put(ours, { kind: 'bearer', destination, secret });
      expect(refused).toMatchObject({ ok: false, error: { code: 'key_management', kms: code } });
      kms.failWith(undefined);
      expect(await read(request)).toEqual({ ok: true, value: canary });
    },
  );

  it.each(['insert', 'usable', 'list', 'retire'] as const)(
    'answers a store whose %s fails with a value that quotes nothing',
    async (method) => {
      const { credentialId, ...request } = await put();
      store.breakMethod(method);
      const answers = [
        await vault.put(ours, { kind: 'bearer', destination, secret: secretOf(canary) }),
        await vault.lease(ours, [{ credentialId, ...request }], reason),
        await vault.list(ours),
        await vault.revoke(ours, credentialId),
      ];
      expect(
        answers.filter((answer) => !answer.ok && answer.error.code === 'store_unavailable'),
      ).toHaveLength(1);
      expect(JSON.stringify(answers)).not.toContain(canary);
    },
  );

  describe('rotation', () => {
    it('returns the new secret from then on, in this process at once', async () => {
      const request = await put('old');
      expect(await leased(request)).toEqual(['old']);
      const rotated = must(await vault.rotate(ours, request.credentialId, secretOf('new')));
      expect(rotated).toEqual({ credentialId: request.credentialId, version: 2 });
      expect(await leased(request)).toEqual(['new']);
      const [first, second] = must(await vault.list(ours));
      expect([first?.retiredAt, second?.retiredAt]).toEqual([clock.now(), undefined]);
    });

    it('lets one of two simultaneous rotations succeed and refuses the other', async () => {
      const { credentialId } = await put('old');
      const outcomes = await Promise.all([
        vault.rotate(ours, credentialId, secretOf('x')),
        vault.rotate(ours, credentialId, secretOf('y')),
      ]);
      expect(outcomes.filter((outcome) => outcome.ok)).toHaveLength(1);
      expect(outcomes.filter((outcome) => !outcome.ok && outcome.error.code === 'conflict')).toHaveLength(1);
    });

    it('refuses to seal the next secret for a seller that only the database names', async () => {
      const { credentialId } = await put();
      const row = store.rows.get(`${credentialId}/1`);
      if (row === undefined) throw new Error('no row');
      store.rows.set(`${credentialId}/1`, { ...row, sealed: { ...row.sealed, seller: 'mallory' } });
      const rotated = await vault.rotate(ours, credentialId, secretOf('new'));
      expect(rotated).toMatchObject({
        ok: false,
        error: { code: 'key_management', kms: 'invalid_ciphertext' },
      });
      expect(store.rows.size).toBe(1);
    });

    it('ends with a revocation, after which there is nothing to lease or rotate', async () => {
      const request = await put();
      await read(request);
      expect(await vault.revoke(ours, request.credentialId)).toEqual({ ok: true, value: 1 });
      expect(await leased(request)).toEqual(['not_found']);
      const rotated = await vault.rotate(ours, request.credentialId, secretOf('new'));
      expect(rotated).toMatchObject({ ok: false, error: { code: 'not_found' } });
    });
  });

  describe('the destination of a secret', () => {
    const elsewhere = 'https://mallory.example';

    it('is required for each kind that is sent, and refused for every other', async () => {
      const secret = secretOf('x');
      for (const kind of ['bearer', 'basic', 'webhook', 'callback'] as const)
        await expect(vault.put(ours, { kind, secret })).rejects.toThrow('needs');
      for (const kind of ['idempotency', 'signing', 'evidence'] as const)
        await expect(vault.put(ours, { kind, secret, destination })).rejects.toThrow('takes no');
    });

    it('is checked at each lease: another one opens nothing, also while the secret is cached', async () => {
      const request = await put();
      const { destination: _left, ...bare } = request;
      const used = store.uses.length;
      for (const other of [bare, { ...request, destination: elsewhere }])
        expect(await leased(other)).toEqual(['wrong_destination']);
      expect(store.uses).toHaveLength(used);
      expect(await read(request)).toEqual({ ok: true, value: canary });
      expect(await leased({ ...request, destination: elsewhere })).toEqual(['wrong_destination']);
    });

    it('is not checked if the secret is compared and never sent', async () => {
      const { destination: _left, ...request } = await put();
      expect(await leased({ ...request, isSent: false })).toEqual([canary]);
    });

    it('is part of the seal: another value in the database does not open it, cached or not', async () => {
      const request = await put();
      for (let at = 0; at < 2; at += 1) {
        const row = rowOf(request);
        store.rows.set(`${request.credentialId}/1`, {
          ...row,
          sealed: { ...row.sealed, destination: elsewhere },
        });
        const moved = must(await vault.lease(ours, [{ ...request, destination: elsewhere }], reason));
        expect(moved.get(request.credentialId)).toMatchObject({
          ok: false,
          error: { code: 'key_management', kms: 'invalid_ciphertext' },
        });
        store.rows.set(`${request.credentialId}/1`, row);
        expect(await read(request)).toEqual({ ok: true, value: canary });
      }
    });

    it('is kept by the next secret, with any other request', async () => {
      const request = await put();
      must(
        await vault.rotate(ours, request.credentialId, secretOf('new'), { destinationIfUnbound: elsewhere }),
      );
      expect(await leased(request)).toEqual(['new']);
      expect(await leased({ ...request, destination: elsewhere })).toEqual(['wrong_destination']);
    });

    it('is added once to a secret that was sealed without one, on record, without loss', async () => {
      const { request, sealed } = await before();
      expect(await leased(request)).toEqual(['unbound']);
      expect(must(await vault.unbound(ours))).toEqual([sealed]);
      expect(must(await vault.bind(ours, request.credentialId, destination))).toBe(true);
      expect(must(await vault.unbound(ours))).toEqual([]);
      expect(await leased(request)).toEqual([canary]);
      expect(await leased({ ...request, destination: elsewhere })).toEqual(['wrong_destination']);
      const bindings = store.uses.filter(({ purpose }) => purpose === 'bind');
      expect(bindings).toMatchObject([{ credentialId: request.credentialId, credentialVersion: 1 }]);
      expect(must(await vault.bind(ours, request.credentialId, elsewhere))).toBe(false);
    });

    it('is never added again to an older copy of the row that somebody restores', async () => {
      const { request } = await before();
      const old = rowOf(request);
      must(await vault.bind(ours, request.credentialId, destination));
      store.rows.set(`${request.credentialId}/1`, old);
      expect(must(await vault.bind(ours, request.credentialId, elsewhere))).toBe(false);
      expect(await leased({ ...request, destination: elsewhere })).toEqual(['unbound']);
      // Nor does it open by what somebody writes beside it.
      store.rows.set(`${request.credentialId}/1`, {
        ...old,
        sealed: { ...old.sealed, scheme: 'sy-vault-2', destination: elsewhere },
      });
      expect(await leased({ ...request, destination: elsewhere })).toEqual(['key_management']);
    });

    it.each(['recordUses', 'bind'] as const)(
      'is added later if %s fails: nothing is lost',
      async (method) => {
        const { request, sealed } = await before();
        store.breakMethod(method);
        expect((await vault.bind(ours, request.credentialId, destination)).ok).toBe(false);
        store.breakMethod(undefined);
        expect(rowOf(request).sealed).toEqual(sealed);
        expect(must(await vault.bind(ours, request.credentialId, destination))).toBe(true);
        expect(await leased(request)).toEqual([canary]);
      },
    );

    it('is not required for older secrets that are never sent', async () => {
      const request = { credentialId: randomUUID(), kind: 'signing' as const };
      await store.insert(ours, await sealUnbound(kms, { ...ours, ...request, version: 1 }, secretOf('key')));
      expect(await leased(request)).toEqual(['key']);
      expect(must(await vault.unbound(ours))).toEqual([]);
    });

    function rowOf({ credentialId }: LeaseRequest) {
      const row = store.rows.get(`${credentialId}/1`);
      if (row === undefined) throw new Error('no row');
      return row;
    }

    /** A credential as it lies in a data folder from before. */
    async function before() {
      const request = { credentialId: randomUUID(), kind: 'bearer' as const, connectionId, seller: 'acme' };
      const sealed = await sealUnbound(kms, { ...ours, ...request, version: 1 }, secretOf(canary));
      await store.insert(ours, sealed);
      return { request: { ...request, destination }, sealed };
    }
  });

  describe('rewrapping', () => {
    it('wraps every version with the new key, after which nothing needs the old one', async () => {
      vault = vaultWith(0);
      const requests = [await put('a'), await put('b')];
      const [first] = requests;
      if (first === undefined) throw new Error('none');
      await vault.rotate(ours, first.credentialId, secretOf('a2'));
      const old = kms.currentKeyId();
      kms.addKey();
      expect(await vault.rewrapAll(ours)).toEqual({
        ok: true,
        value: { examined: 3, alreadyCurrent: 0, rewrapped: 3, changedMeanwhile: 0, failed: [] },
      });
      kms.removeKey(old);
      expect(await leased(...requests)).toEqual(['a2', 'b']);
      expect(await vault.rewrapAll(ours)).toMatchObject({ value: { alreadyCurrent: 3, rewrapped: 0 } });
    });

    it('continues after an interruption', async () => {
      await Promise.all(['a', 'b', 'c'].map((text) => put(text)));
      kms.addKey();
      store.breakMethod('replaceWrap');
      const cut = must(await vault.rewrapAll(ours));
      expect([cut.rewrapped, cut.failed.length]).toEqual([0, 3]);
      store.breakMethod(undefined);
      expect(await vault.rewrapAll(ours)).toMatchObject({ value: { rewrapped: 3, failed: [] } });
    });

    it('runs twice at once without harm', async () => {
      const request = await put();
      kms.addKey();
      const [one, two] = await Promise.all([vault.rewrapAll(ours), vault.rewrapAll(ours)]);
      expect(must(one).rewrapped + must(two).rewrapped).toBe(1);
      expect(must(one).changedMeanwhile + must(two).changedMeanwhile).toBe(1);
      expect(await leased(request)).toEqual([canary]);
    });

    it('never replaces a wrap that opens by one that does not', async () => {
      const request = await put();
      const honest = { ...kms };
      kms.addKey();
      kms.rewrap = async (key) => {
        const again = await honest.rewrap(key);
        return again.ok ? { ok: true, value: { ...again.value, wrapped: Buffer.alloc(60) } } : again;
      };
      const swept = must(await vault.rewrapAll(ours));
      expect(swept.failed).toMatchObject([{ credentialId: request.credentialId, version: 1 }]);
      expect(await leased(request)).toEqual([canary]);
    });
  });

  describe('between tenants and sellers', () => {
    it('leases nothing of another tenant', async () => {
      const request = await put();
      const leases = must(await vault.lease(theirs, [request], reason));
      expect(leases.get(request.credentialId)).toMatchObject({ ok: false, error: { code: 'not_found' } });
      expect(store.uses).toEqual([]);
    });

    it('refuses a record of the right id with an unexpected connection, seller or kind', async () => {
      const request = await put();
      const { connectionId: _c, seller: _s, ...bare } = request;
      for (const other of [
        { ...request, connectionId: randomUUID() },
        { ...request, seller: 'mallory' },
        { ...request, kind: 'signing' as const },
        bare,
      ]) {
        expect(await leased(other)).toEqual(['mismatch']);
      }
      expect(store.uses).toEqual([]);
    });

    it('does not open a row that was moved to another tenant, even while the secret is cached', async () => {
      const request = await put();
      await read(request);
      const row = store.rows.get(`${request.credentialId}/1`);
      if (row === undefined) throw new Error('no row');
      store.rows.set(`${request.credentialId}/1`, { ...row, sealed: { ...row.sealed, ...theirs } });
      const leases = must(await vault.lease(theirs, [request], reason));
      expect(leases.get(request.credentialId)).toMatchObject({
        ok: false,
        error: { code: 'key_management', kms: 'invalid_ciphertext' },
      });
    });
  });
});

/** All stored bytes as text, as a dump of the database would show them. */
function dump(store: MemoryCredentialStore): string {
  return [...store.rows.values()]
    .flatMap(({ sealed }) => Object.values(sealed) as unknown[])
    .map((value) => (Buffer.isBuffer(value) ? value.toString('latin1') : String(value)))
    .join('\n');
}
