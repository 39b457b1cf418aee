import { strict as assert } from 'node:assert';
import { randomBytes, randomUUID } from 'node:crypto';
import type { TenantScope } from '@switchyard/tenancy';
import { sealingScheme, unboundScheme, type CredentialStore, type SealedCredential } from '@switchyard/vault';

export interface CredentialStoreSubject {
  readonly store: CredentialStore;
  /** Two organizations that exist. */
  readonly ours: TenantScope;
  readonly theirs: TenantScope;
}

interface CredentialStoreClause {
  readonly guarantee: string;
  /** Throws if the guarantee does not hold. It makes its own rows, so clauses may share a database. */
  readonly check: (subject: CredentialStoreSubject) => Promise<void>;
}

const at = Date.UTC(2026, 0, 2, 3, 4, 5, 678);

/** The contract of every credential store, run by the PostgreSQL one and the in-memory one. */
export const credentialStoreContract: readonly CredentialStoreClause[] = [
  {
    guarantee: 'a sealed credential is returned as stored, with and without its optional members',
    async check({ store, ours }) {
      const full = sealed(ours);
      const { connectionId, seller, destination, ...bare } = sealed(ours);
      assert.ok(connectionId !== undefined && seller !== undefined && destination !== undefined);
      for (const item of [full, bare]) {
        assert.equal(await store.insert(ours, item), true);
        assert.deepEqual(await store.current(ours, [item.credentialId]), [item]);
        assert.deepEqual(await store.version(ours, item.credentialId, 1), item);
      }
    },
  },
  {
    guarantee: 'a version exists once: a second insert is refused and changes nothing',
    async check({ store, ours }) {
      const first = sealed(ours);
      assert.equal(await store.insert(ours, first), true);
      assert.equal(await store.insert(ours, { ...sealed(ours), credentialId: first.credentialId }), false);
      assert.deepEqual(await store.version(ours, first.credentialId, 1), first);
    },
  },
  {
    guarantee: 'a row of another organization cannot be stored, seen or changed',
    async check({ store, ours, theirs }) {
      const credential = sealed(ours);
      await assert.rejects(() => store.insert(theirs, credential));
      assert.equal(await store.insert(ours, credential), true);
      const wrap = { keyId: credential.kmsKeyId, wrapped: credential.wrappedKey };
      assert.deepEqual(await store.current(theirs, [credential.credentialId]), []);
      assert.equal(await store.version(theirs, credential.credentialId, 1), undefined);
      assert.equal(
        (await store.list(theirs)).some((row) => row.credentialId === credential.credentialId),
        false,
      );
      assert.equal(await store.retire(theirs, { credentialId: credential.credentialId, version: 1 }, at), 0);
      assert.equal(
        await store.replaceWrap(
          theirs,
          { credentialId: credential.credentialId, version: 1 },
          { from: wrap, to: wrap, at },
        ),
        false,
      );
      assert.deepEqual(await store.current(ours, [credential.credentialId]), [credential]);
    },
  },
  {
    guarantee: 'the credential version is the highest that is not retired, for many credentials at once',
    async check({ store, ours }) {
      const a = sealed(ours);
      const b = sealed(ours);
      const a2 = { ...sealed(ours), credentialId: a.credentialId, version: 2 };
      for (const credential of [a, b, a2]) assert.equal(await store.insert(ours, credential), true);
      const found = await store.current(ours, [a.credentialId, b.credentialId, randomUUID()]);
      assert.deepEqual(new Set(found.map((row) => row.tag.toString('hex'))), hexTags(a2, b));
      assert.equal(await store.retire(ours, { credentialId: a.credentialId, version: 1 }, at), 1);
      assert.equal(await store.retire(ours, { credentialId: a.credentialId, version: 1 }, at), 0);
      assert.deepEqual(await store.current(ours, [a.credentialId]), [a2]);
      assert.equal(await store.retire(ours, { credentialId: a.credentialId, version: 2 }, at), 1);
      assert.deepEqual(await store.current(ours, [a.credentialId]), []);
      assert.deepEqual(await store.version(ours, a.credentialId, 1), a);
    },
  },
  {
    guarantee: 'a candidate is tried before the current version, and becomes current or is refused, once',
    async check({ store, ours }) {
      const first = sealed(ours);
      const id = first.credentialId;
      const at2 = { ...sealed(ours), credentialId: id, version: 2 };
      const at3 = { ...sealed(ours), credentialId: id, version: 3 };
      const states = async (): Promise<readonly string[]> =>
        (await store.usable(ours, [id])).map(({ version, state }) => `${String(version)} ${state}`);
      const settle = (version: number, accepted: boolean) =>
        store.settle(ours, { credentialId: id, version }, accepted, at);
      assert.equal(await store.insert(ours, first), true);
      assert.equal(await store.insert(ours, at2, { overlapMs: 60_000 }), true);
      assert.deepEqual(await states(), ['2 candidate', '1 current']);
      assert.deepEqual(await store.current(ours, [id]), [first]);
      assert.equal(await settle(2, false), 'refused');
      assert.equal(await settle(2, true), 'ignored');
      assert.deepEqual(await states(), ['1 current']);
      assert.equal(await store.newest(ours, id), 2);
      assert.equal(await store.insert(ours, at3, { overlapMs: 60_000 }), true);
      assert.equal(await settle(3, true), 'accepted');
      assert.deepEqual(await states(), ['3 current', '1 fallback']);
      assert.equal(await store.rollBack(ours, id, at), 1);
      assert.deepEqual(await states(), ['1 current', '3 fallback']);
      assert.equal(await settle(1, false), 'fell_back');
      assert.deepEqual(await states(), ['3 current']);
      assert.equal(await store.rollBack(ours, id, at), undefined);
      assert.equal(await settle(3, false), 'ignored');
      assert.deepEqual(await states(), ['3 current']);
    },
  },
  {
    guarantee: 'what a seller says of a version of another organization is not stored',
    async check({ store, ours, theirs }) {
      const first = sealed(ours);
      const trial = { ...sealed(ours), credentialId: first.credentialId, version: 2 };
      assert.equal(await store.insert(ours, first), true);
      assert.equal(await store.insert(ours, trial, { overlapMs: 1_000 }), true);
      const version = { credentialId: first.credentialId, version: 2 };
      assert.equal(await store.settle(theirs, version, false, at), 'ignored');
      assert.equal(await store.rollBack(theirs, first.credentialId, at), undefined);
      const counted = { ...version, clearsError: false };
      await store.count(theirs, [{ ...counted, uses: 5, refusals: 5 }]);
      await store.count(ours, [{ ...counted, uses: 2, refusals: 1 }]);
      const [row] = (await store.list(ours)).filter(
        (one) => one.credentialId === first.credentialId && one.version === 2,
      );
      assert.deepEqual([row?.state, row?.uses, row?.refusals], ['candidate', 2, 1]);
    },
  },
  {
    guarantee: 'a wrap is replaced only if it is unchanged since it was read',
    async check({ store, ours }) {
      const credential = sealed(ours);
      assert.equal(await store.insert(ours, credential), true);
      const from = { keyId: credential.kmsKeyId, wrapped: credential.wrappedKey };
      const to = { keyId: 'key-2', wrapped: randomBytes(61) };
      const id = credential.credentialId;
      const replaced = (known: typeof from) =>
        store.replaceWrap(ours, { credentialId: id, version: 1 }, { from: known, to, at });
      assert.equal(await replaced({ ...from, wrapped: to.wrapped }), false);
      assert.equal(await replaced({ ...from, keyId: 'key-2' }), false);
      assert.equal(await replaced(from), true);
      assert.equal(await replaced(from), false);
      const after = { ...credential, kmsKeyId: to.keyId, wrappedKey: to.wrapped };
      assert.deepEqual(await store.version(ours, id, 1), after);
    },
  },
  {
    guarantee: 'a live credential of the first scheme is bound once, if it is unchanged since it was read',
    async check({ store, ours, theirs }) {
      const { destination, ...rest } = sealed(ours);
      const old = { ...rest, scheme: unboundScheme };
      const key = { ...sealed(ours), kind: 'signing' as const, scheme: unboundScheme };
      const retired = { ...sealed(ours), scheme: unboundScheme };
      for (const item of [old, key, retired]) assert.equal(await store.insert(ours, item), true);
      await store.retire(ours, { credentialId: retired.credentialId, version: 1 }, at);
      const id = old.credentialId;
      const ids = async (scope: TenantScope): Promise<readonly string[]> =>
        (await store.unbound(scope)).map(({ credentialId }) => credentialId);
      assert.deepEqual(
        (await ids(ours)).filter((text) => [id, key.credentialId, retired.credentialId].includes(text)),
        [id],
      );
      assert.equal((await ids(theirs)).includes(id), false);
      const to = { ...sealed(ours), credentialId: id, ...(destination === undefined ? {} : { destination }) };
      const { connectionId } = old;
      const bound = { ...to, ...(connectionId === undefined ? {} : { connectionId }) };
      const use = { credentialId: id, credentialVersion: 1, purpose: 'bind', actor: 'vault', usedAt: at };
      assert.equal(await store.bind(ours, { ...old, wrappedKey: randomBytes(61) }, bound, use), false);
      assert.equal(await store.bind(theirs, old, bound, use), false);
      assert.equal(await store.bind(ours, old, bound, use), true);
      assert.deepEqual(await store.current(ours, [id]), [bound]);
      assert.equal((await ids(ours)).includes(id), false);
      assert.equal(await store.bind(ours, old, bound, use), false);
    },
  },
  {
    guarantee:
      'uses of known rows are recorded at once, and none where a version came, went or changed since',
    async check({ store, ours, theirs }) {
      const first = sealed(ours);
      const id = first.credentialId;
      assert.equal(await store.insert(ours, first), true);
      const recorded = (scope = ours): Promise<boolean> =>
        store.recordKnown(scope, [id], (rows) =>
          rows.map(({ version: credentialVersion }) => ({
            ...{ credentialId: id, credentialVersion, purpose: 'call', actor: 'test', usedAt: at },
          })),
        );
      const uses = async (): Promise<number> =>
        (await store.list(ours)).filter((row) => row.credentialId === id && row.lastUsedAt === at).length;
      assert.equal(await recorded(), false);
      const changes: readonly (() => Promise<unknown>)[] = [
        () => store.insert(ours, { ...sealed(ours), credentialId: id, version: 2 }, { overlapMs: 60_000 }),
        () => store.settle(ours, { credentialId: id, version: 2 }, true, at),
        () => store.rollBack(ours, id, at),
        () => store.replaceWrap(ours, first, { ...wrapOf(first), at }),
        () => store.retire(ours, { credentialId: id, version: 2 }, at),
      ];
      const counted = { credentialId: id, version: 1, uses: 1, refusals: 0, clearsError: true };
      for (const change of changes) {
        await store.usable(ours, [id]);
        await store.count(ours, [counted]);
        assert.equal(await recorded(), true);
        assert.equal(await recorded(theirs), false);
        await change();
        assert.equal(await recorded(), false);
      }
      assert.equal(await uses(), 2);
    },
  },
  {
    guarantee: 'the list shows ages and the last use, and no sealed bytes',
    async check({ store, ours }) {
      const credential = sealed(ours);
      const id = credential.credentialId;
      assert.equal(await store.insert(ours, credential), true);
      const use = { credentialId: id, credentialVersion: 1, purpose: 'call', actor: 'test' };
      await store.recordUses(ours, [
        { ...use, usedAt: at + 2, operationId: randomUUID() },
        { ...use, usedAt: at + 1 },
      ]);
      await store.retire(ours, { credentialId: id, version: 1 }, at + 3);
      const row = (await store.list(ours)).find((candidate) => candidate.credentialId === id);
      const { wrappedKey: _w, nonce: _n, ciphertext: _c, tag: _t, commitment: _k, ...shown } = credential;
      assert.deepEqual(row, {
        ...shown,
        lastUsedAt: at + 2,
        retiredAt: at + 3,
        state: 'current',
        uses: 0,
        refusals: 0,
      });
    },
  },
];

/** A record with correct sizes. It cannot be opened, which a store does not check. */
function sealed({ organizationId }: TenantScope): SealedCredential {
  return {
    credentialId: randomUUID(),
    version: 1,
    organizationId,
    connectionId: randomUUID(),
    seller: 'acme',
    kind: 'bearer',
    destination: 'https://acme.example',
    scheme: sealingScheme,
    kmsKeyId: 'key-1',
    wrappedKey: randomBytes(61),
    nonce: randomBytes(12),
    ciphertext: randomBytes(40),
    tag: randomBytes(16),
    commitment: randomBytes(32),
    createdAt: at,
  };
}

function hexTags(...rows: readonly SealedCredential[]): Set<string> {
  return new Set(rows.map(({ tag }) => tag.toString('hex')));
}

const wrapOf = ({ kmsKeyId: keyId, wrappedKey: wrapped }: SealedCredential) => ({
  from: { keyId, wrapped },
  to: { keyId, wrapped: randomBytes(61) },
});
