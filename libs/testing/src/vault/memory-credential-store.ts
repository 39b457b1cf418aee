import { isDeepStrictEqual } from 'node:util';
import {
  sentKinds,
  unboundScheme,
  type CredentialMetadata,
  type CredentialStore,
  type CredentialUse,
  type SealedCredential,
  type UsableCredential,
  type VersionState,
} from '@switchyard/vault';
import type { Instant } from '@switchyard/values';

interface Row {
  readonly sealed: SealedCredential;
  readonly rewrappedAt?: Instant;
  readonly retiredAt?: Instant;
  readonly endsAt?: Instant;
  readonly state: VersionState;
  readonly overlapMs: number;
  readonly uses: number;
  readonly refusals: number;
}

export interface MemoryCredentialStore extends CredentialStore {
  /** The rows as an attacker with full access to the database sees them: a change here changes the stored row. */
  readonly rows: Map<string, Row>;
  readonly uses: (CredentialUse & { readonly organizationId: string })[];
  /** Number of INSERTs that wrote them. */
  readonly useInserts: number;
  /** From now on this method rejects; `undefined` ends this. */
  breakMethod(name: keyof CredentialStore | undefined): void;
}

const keyOf = (credentialId: string, version: number): string => `${credentialId}/${String(version)}`;

/** The credential tables in memory, by tenant. It passes the same contract suite as the store. */
export function memoryCredentialStore(): MemoryCredentialStore {
  const rows = new Map<string, Row>();
  const uses: (CredentialUse & { organizationId: string })[] = [];
  let useInserts = 0;
  let broken: keyof CredentialStore | undefined;
  const answer = <T>(name: keyof CredentialStore, work: () => T): Promise<T> =>
    broken === name
      ? Promise.reject(new Error('the store in memory is broken'))
      : new Promise((done) => done(work()));
  const rowsOf = (organizationId: string): Row[] =>
    [...rows.values()].filter(({ sealed }) => sealed.organizationId === organizationId);
  const now = (): Instant => Date.now();
  const isLive = ({ retiredAt }: Row): boolean => retiredAt === undefined;
  /** Those that are not retired, the newest first. One with a time of retirement lives on in `fallback` alone. */
  const versionsOf = (organizationId: string, id: string): Row[] =>
    rowsOf(organizationId)
      .filter((row) => row.sealed.credentialId === id)
      .filter((row) => isLive(row) || (row.state === 'fallback' && (row.retiredAt ?? 0) > now()))
      .sort((a, b) => b.sealed.version - a.sealed.version);
  const usableOf = (organizationId: string, id: string): readonly UsableCredential[] => {
    const live = versionsOf(organizationId, id);
    return (['candidate', 'current', 'fallback'] as const)
      .flatMap((state) => live.filter((row) => row.state === state).slice(0, 1))
      .slice(0, 2)
      .map(({ sealed, state }) => ({ ...sealed, state: state === 'refused' ? 'current' : state }));
  };
  const read = new Map<string, readonly UsableCredential[]>();
  const record = (organizationId: string, more: readonly CredentialUse[]): void => {
    useInserts += 1;
    uses.push(...more.map((use) => ({ ...use, organizationId })));
  };
  const put = (row: Row, change: Partial<Row>): void =>
    void rows.set(keyOf(row.sealed.credentialId, row.sealed.version), { ...row, ...change });
  const retire = (row: Row, at: Instant, overlapMs: number, state: VersionState): void =>
    put(row, { state, retiredAt: overlapMs === 0 ? at : now() + overlapMs });
  const revive = ({ retiredAt: _over, ...row }: Row): void =>
    void rows.set(keyOf(row.sealed.credentialId, row.sealed.version), { ...row, state: 'current' });
  const metadataOf = ({ sealed, overlapMs: _overlap, ...times }: Row): CredentialMetadata => {
    const { wrappedKey: _w, nonce: _n, ciphertext: _c, tag: _t, commitment: _k, ...shown } = sealed;
    const used = uses
      .filter((use) => use.credentialId === sealed.credentialId && use.credentialVersion === sealed.version)
      .map(({ usedAt }) => usedAt);
    return { ...shown, ...times, ...(used.length === 0 ? {} : { lastUsedAt: Math.max(...used) }) };
  };

  return {
    rows,
    uses,
    get useInserts() {
      return useInserts;
    },
    breakMethod: (name) => void (broken = name),
    insert: (scope, sealed, trial) =>
      answer('insert', () => {
        if (sealed.organizationId !== scope.organizationId) throw new Error('another organization');
        const key = keyOf(sealed.credentialId, sealed.version);
        if (rows.has(key)) return false;
        if (trial !== undefined)
          for (const row of versionsOf(scope.organizationId, sealed.credentialId))
            if (row.state === 'candidate') put(row, { retiredAt: sealed.createdAt });
        const state = trial === undefined ? 'current' : 'candidate';
        rows.set(key, { sealed, state, overlapMs: trial?.overlapMs ?? 0, uses: 0, refusals: 0 });
        return true;
      }),
    current: ({ organizationId }, ids) =>
      answer('current', () =>
        ids.flatMap((id) => {
          const live = versionsOf(organizationId, id).filter(({ state }) => state === 'current');
          return live.slice(0, 1).map(({ sealed }) => sealed);
        }),
      ),
    usable: ({ organizationId }, ids) =>
      answer('usable', () =>
        ids.flatMap((id) => {
          const found = usableOf(organizationId, id);
          read.set(id, found);
          return found;
        }),
      ),
    newest: ({ organizationId }, id) =>
      answer('newest', () =>
        Math.max(
          0,
          ...rowsOf(organizationId).flatMap(({ sealed }) =>
            sealed.credentialId === id ? [sealed.version] : [],
          ),
        ),
      ),
    settle: ({ organizationId }, { credentialId, version }, accepted, at) =>
      answer('settle', () => {
        const live = versionsOf(organizationId, credentialId);
        const row = live.find(({ sealed }) => sealed.version === version);
        if (row?.state === 'candidate') {
          if (!accepted) {
            put(row, { state: 'refused', retiredAt: at });
            return 'refused';
          }
          const before = live.find(({ state }) => state === 'current');
          if (before !== undefined) retire(before, at, row.overlapMs, 'fallback');
          put(row, { state: 'current' });
          return 'accepted';
        }
        const fallback = live.find(({ state }) => state === 'fallback');
        if (accepted || row?.state !== 'current' || fallback === undefined) return 'ignored';
        put(row, { state: 'refused', retiredAt: at });
        revive(fallback);
        return 'fell_back';
      }),
    rollBack: ({ organizationId }, credentialId) =>
      answer('rollBack', () => {
        const live = versionsOf(organizationId, credentialId);
        const [row, fallback] = (['current', 'fallback'] as const).map((wanted) =>
          live.find(({ state }) => state === wanted),
        );
        if (row === undefined || fallback === undefined) return undefined;
        const { retiredAt } = fallback;
        put(row, { state: 'fallback', ...(retiredAt === undefined ? {} : { retiredAt }) });
        revive(fallback);
        return fallback.sealed.version;
      }),
    count: ({ organizationId }, counted) =>
      answer('count', () => {
        for (const { credentialId, version, uses: more, refusals } of counted) {
          const row = rows.get(keyOf(credentialId, version));
          if (row?.sealed.organizationId === organizationId)
            put(row, { uses: row.uses + more, refusals: row.refusals + refusals });
        }
      }),
    version: ({ organizationId }, credentialId, version) =>
      answer('version', () => {
        const row = rows.get(keyOf(credentialId, version));
        return row?.sealed.organizationId === organizationId ? row.sealed : undefined;
      }),
    list: ({ organizationId }) =>
      answer('list', () =>
        rowsOf(organizationId)
          .map(metadataOf)
          .sort((a, b) =>
            a.credentialId < b.credentialId
              ? -1
              : a.credentialId > b.credentialId
                ? 1
                : a.version - b.version,
          ),
      ),
    recordUses: ({ organizationId }, more) => answer('recordUses', () => record(organizationId, more)),
    // It writes the same rows, so it is broken with `recordUses`.
    recordKnown: ({ organizationId }, ids, usesOf) =>
      answer('recordUses', () => {
        const isKnown = (id: string): boolean =>
          isDeepStrictEqual(read.get(id) ?? [], usableOf(organizationId, id));
        const more = ids.every(isKnown) ? usesOf(ids.flatMap((id) => read.get(id) ?? [])) : [];
        if (more.length > 0) record(organizationId, more);
        return more.length > 0;
      }),
    replaceWrap: ({ organizationId }, { credentialId, version }, { from, to, at }) =>
      answer('replaceWrap', () => {
        const row = rows.get(keyOf(credentialId, version));
        if (row?.sealed.organizationId !== organizationId) return false;
        if (row.sealed.kmsKeyId !== from.keyId || !row.sealed.wrappedKey.equals(from.wrapped)) return false;
        const sealed = { ...row.sealed, kmsKeyId: to.keyId, wrappedKey: to.wrapped };
        rows.set(keyOf(credentialId, version), { ...row, sealed, rewrappedAt: at });
        return true;
      }),
    unbound: ({ organizationId }) =>
      answer('unbound', () =>
        rowsOf(organizationId)
          .filter(
            ({ sealed, retiredAt }) =>
              sealed.scheme === unboundScheme && sentKinds.has(sealed.kind) && retiredAt === undefined,
          )
          .map(({ sealed }) => sealed),
      ),
    bind: ({ organizationId }, from, to, use) =>
      answer('bind', () => {
        const key = keyOf(from.credentialId, from.version);
        const row = rows.get(key);
        if (row?.sealed.organizationId !== organizationId || row.retiredAt !== undefined) return false;
        if (row.sealed.scheme !== unboundScheme || !row.sealed.wrappedKey.equals(from.wrappedKey))
          return false;
        if (uses.some((use) => use.credentialId === from.credentialId && use.purpose === 'bind'))
          return false;
        rows.set(key, { ...row, sealed: { ...to, createdAt: row.sealed.createdAt } });
        uses.push({ ...use, organizationId });
        return true;
      }),
    setEnd: (scope, credentialId, at) =>
      answer('setEnd', () => {
        const [newest] = versionsOf(scope.organizationId, credentialId).filter(
          ({ state }) => state === 'candidate' || state === 'current',
        );
        if (newest === undefined) return false;
        const { endsAt: _before, ...row } = newest;
        rows.set(keyOf(credentialId, row.sealed.version), {
          ...row,
          ...(at !== undefined && { endsAt: at }),
        });
        return true;
      }),
    noteError: () => Promise.resolve(false),
    retire: ({ organizationId }, { credentialId, version }, at, overlapMs = 0) =>
      answer('retire', () => {
        const live = rowsOf(organizationId).filter(
          ({ sealed, retiredAt }) =>
            sealed.credentialId === credentialId && sealed.version <= version && retiredAt === undefined,
        );
        for (const row of live)
          rows.set(keyOf(credentialId, row.sealed.version), { ...row, retiredAt: at + overlapMs });
        return live.length;
      }),
  };
}
