import { Buffer } from 'node:buffer';
import { anchorDocument, anchorFormat, anchorType, hashOfBeside, type StreamHead } from '@switchyard/journal';
import type { AnchorStore, Organizations, SignedAnchor } from '@switchyard/store';
import type { TenantScope } from '@switchyard/tenancy';
import { canonicalJson, err, isoOf, ok, type Clock, type JsonObject, type Result } from '@switchyard/values';
import type { PlatformKeys } from '../keys/index.js';

export interface AnchorDeps {
  readonly store: AnchorStore;
  readonly keys: Pick<PlatformKeys, 'signDocument'>;
  readonly organizations: Pick<Organizations, 'ids'>;
  readonly head: (scope: TenantScope) => Promise<StreamHead>;
  readonly domainOf: (scope: TenantScope) => Promise<string>;
  readonly clock: Clock;
}

/** A signed head as it is published. It does not reveal the size of the ledger. */
export interface PublishedHead {
  readonly number: string;
  readonly hash: string;
  readonly made_at: string;
  readonly jws: string;
  readonly key: JsonObject;
}

/** A head that was signed, without the head. */
export type AnchorProof = Pick<SignedAnchor, 'madeAt' | 'jws' | 'key'>;

/** Signs heads of ledgers, so that a copy elsewhere detects a rewritten history. */
export interface LedgerAnchors {
  /** Signs the head with the key of the organization itself. `empty`: the ledger has no entry yet. */
  make(scope: TenantScope): Promise<Result<SignedAnchor, { readonly code: 'empty' | 'unavailable' }>>;
  /**
   * What an export contains beside its chain: the organization's domain, `more`, this head signed together with them, and
   * of the ledger the stored heads. Stores nothing.
   */
  beside(
    scope: TenantScope,
    head: StreamHead,
    more?: JsonObject,
  ): Promise<Result<JsonObject, { readonly code: 'unavailable' }>>;
  /**
   * Signs the head of each organization whose ledger has grown and that has no anchor of the last day. Answers how many
   * were made.
   */
  makeDue(): Promise<number>;
  /** Anchors of the last year that may be published, the newest first. */
  published(scope: TenantScope): Promise<readonly PublishedHead[]>;
}

/** One a day, and some that were requested. */
const publishedAtMost = 400;

const dayMs = 86_400_000;

export function createLedgerAnchors(deps: AnchorDeps): LedgerAnchors {
  const { store, clock } = deps;
  return {
    make: async (scope) => {
      const head = await deps.head(scope);
      return head.number === 0n ? err({ code: 'empty' }) : stored(deps, scope, head);
    },
    beside: async (scope, head, more = {}) => {
      const beside = { organization: await deps.domainOf(scope), ...more };
      const now = await signed(deps, scope, head, hashOfBeside(beside));
      if (!now.ok) return now;
      const isLedger = head.stream === (await deps.head(scope)).stream;
      const before = isLedger ? await store.newest(scope, publishedAtMost) : [];
      const anchors = [now.value, ...before.filter((anchor) => anchor.head.number <= head.number)];
      return ok({ ...beside, anchors: anchors.map(({ jws, key }) => ({ jws, key })) });
    },
    makeDue: async () => {
      let made = 0;
      for (const organizationId of await deps.organizations.ids())
        if (await makeOneDue(deps, { organizationId }, clock.now() - dayMs)) made += 1;
      return made;
    },
    published: async (scope) =>
      (await store.newest(scope, publishedAtMost))
        .filter(({ jws }) => formatOf(jws) === anchorFormat)
        .map(({ head, madeAt, jws, key }) => ({
          number: head.number.toString(),
          hash: head.hash,
          made_at: isoOf(madeAt),
          jws,
          key,
        })),
  };
}

async function makeOneDue(deps: AnchorDeps, scope: TenantScope, before: number): Promise<boolean> {
  const head = await deps.store.due(scope, before);
  if (head === undefined) return false;
  return (await stored(deps, scope, head)).ok;
}

async function stored(
  deps: AnchorDeps,
  scope: TenantScope,
  head: StreamHead,
): Promise<Result<SignedAnchor, { readonly code: 'unavailable' }>> {
  const made = await signed(deps, scope, head);
  return made.ok ? ok(await deps.store.add(scope, { head, ...made.value })) : made;
}

async function signed(
  { keys, clock }: AnchorDeps,
  scope: TenantScope,
  head: StreamHead,
  besideHash?: string,
): Promise<Result<AnchorProof, { readonly code: 'unavailable' }>> {
  const madeAt = clock.now();
  const encoded = (text: string): string => Buffer.from(text, 'utf8').toString('base64url');
  const payload = encoded(
    canonicalJson(anchorDocument({ head, madeAt, ...(besideHash !== undefined && { besideHash }) })),
  );
  const made = await keys.signDocument(scope, { purpose: 'ledger_anchor' }, (kid, alg) =>
    Buffer.from(`${encoded(JSON.stringify({ alg, kid, typ: anchorType }))}.${payload}`),
  );
  if (!made.ok) return err({ code: 'unavailable' });
  const { bytes, signature, publicJwk } = made.value;
  const jws = `${bytes.toString('utf8')}.${signature.toString('base64url')}`;
  return ok({ madeAt, jws, key: publicJwk });
}

/** The format that one of our own JWS names in its payload. */
function formatOf(jws: string): unknown {
  const [, payload = ''] = jws.split('.');
  return (JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as JsonObject)['format'];
}
