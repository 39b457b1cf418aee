import { Buffer } from 'node:buffer';
import { anchorDocument, anchorFormat, anchorType, type StreamHead } from '@switchyard/journal';
import type { AnchorStore, Organizations, SignedAnchor } from '@switchyard/store';
import type { TenantScope } from '@switchyard/tenancy';
import { canonicalJson, err, isoOf, ok, type Clock, type JsonObject, type Result } from '@switchyard/values';
import type { PlatformKeys } from './keys/platform-keys.js';

interface AnchorDeps {
  readonly store: AnchorStore;
  readonly keys: Pick<PlatformKeys, 'signDocument' | 'list'>;
  readonly organizations: Pick<Organizations, 'ids'>;
  readonly head: (scope: TenantScope) => Promise<StreamHead>;
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

/** Signs heads of ledgers, so that a copy elsewhere detects a rewritten history. */
export interface LedgerAnchors extends Pick<AnchorStore, 'list'> {
  /** Signs the head with the key of this principal. `empty`: the ledger has no entry yet. */
  make(
    scope: TenantScope,
    principalId: string,
  ): Promise<Result<SignedAnchor, { readonly code: 'empty' | 'unavailable' }>>;
  /**
   * Signs the head of each organization whose ledger has grown and that has no anchor of the last day, with its first
   * live key. An organization without a key has signed nothing yet and is left out. Answers how many were made.
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
    list: (scope, page) => store.list(scope, page),
    make: async (scope, principalId) => {
      const head = await deps.head(scope);
      return head.number === 0n ? err({ code: 'empty' }) : signed(deps, scope, principalId, head);
    },
    makeDue: async () => {
      let made = 0;
      for (const organizationId of await deps.organizations.ids())
        if (await makeOneDue(deps, { organizationId }, clock.now() - dayMs)) made += 1;
      return made;
    },
    published: async (scope) =>
      (await store.list(scope, { limit: publishedAtMost }))
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
  const live = (await deps.keys.list(scope)).find(({ state }) => state === 'live');
  if (live === undefined) return false;
  return (await signed(deps, scope, live.principalId, head)).ok;
}

async function signed(
  { store, keys, clock }: AnchorDeps,
  scope: TenantScope,
  principalId: string,
  head: StreamHead,
): Promise<Result<SignedAnchor, { readonly code: 'unavailable' }>> {
  const madeAt = clock.now();
  const encoded = (text: string): string => Buffer.from(text, 'utf8').toString('base64url');
  const payload = encoded(canonicalJson(anchorDocument({ head, madeAt })));
  const made = await keys.signDocument(scope, principalId, { purpose: 'ledger_anchor' }, (kid, alg) =>
    Buffer.from(`${encoded(JSON.stringify({ alg, kid, typ: anchorType }))}.${payload}`),
  );
  if (!made.ok) return err({ code: 'unavailable' });
  const { bytes, signature, publicJwk } = made.value;
  const jws = `${bytes.toString('utf8')}.${signature.toString('base64url')}`;
  return ok(await store.add(scope, { head, madeAt, jws, key: publicJwk }));
}

/** The format that one of our own JWS names in its payload. */
function formatOf(jws: string): unknown {
  const [, payload = ''] = jws.split('.');
  return (JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as JsonObject)['format'];
}
