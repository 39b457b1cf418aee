import { isPublishedTestKey, type KeyExplanation, type KeyFailure } from '@switchyard/signing';
import type { RegisteredSigner } from '@switchyard/tenancy';
import { err, ok, type Clock, type Instant, type JsonObject, type Result } from '@switchyard/values';
import type { Egress } from '../egress-port.js';
import type { CachedFetch } from './cached-fetch.js';
import { explanationOf, type DiscoveryFailure } from './discovery-failure.js';
import type { Jwks } from './fetch-key-documents.js';
import { createKeyDocuments } from './key-documents.js';
import { readJwks } from './read-jwks.js';
import { createRevocations } from './revocations.js';
import { memoryTrustDocuments, type TrustDocuments } from './trust-documents.js';

/** A registered signer and the key that it published under the kid that was asked for. */
export interface SignerKey {
  readonly signer: RegisteredSigner;
  readonly jwk: JsonObject;
}

/** Why there is no such key. `why` is for the checklist that is kept of the refusal. */
export interface SignerKeyFailure {
  readonly code: KeyFailure;
  readonly why?: KeyExplanation;
}

export interface SignerKeys {
  /**
   * The one registered signer that has this key. Fails with `key_unknown` also where several have it: whose request
   * it is could then be chosen by whoever registered last. `principalId` narrows the search, where another
   * credential has told who is calling.
   */
  find(keyid: string, principalId?: string): Promise<Result<SignerKey, SignerKeyFailure>>;
  /** By the list at the site of the signer's agent, whose brand.json says who may sign it. */
  status(signer: RegisteredSigner, keyid: string): Promise<'ok' | 'revoked' | 'stale'>;
}

export interface SignerKeysOptions {
  readonly egress: Egress;
  readonly clock: Clock;
  readonly signers: () => Promise<readonly RegisteredSigner[]>;
  /** Where revocations outlive a restart; absent: they do not. */
  readonly documents?: TrustDocuments;
  /** Told of a list of revoked keys that cannot be believed, by the brand.json beside it, and whom it concerns. */
  readonly onUntrusted?: (organizationId: string, brandUrl: string) => void;
  /** For the local profile alone: a published test key is anybody's. */
  readonly trustsTestKeys?: boolean;
}

/** How long the list of signers is used, and how soon it is read again for a key that nobody in it has. Milliseconds. */
const listMs = 5_000;
const listAgainMs = 500;
/** Addresses asked again for one unknown kid at most: a stranger's kid must not set a thousand fetches off. */
const refetchedAtOnce = 50;

/** Finds the keys of those who sign requests to us: what was handed in, or what stands at the registered address. */
export function createSignerKeys(options: SignerKeysOptions): SignerKeys {
  const { egress, clock, signers, trustsTestKeys = false } = options;
  const documents = createKeyDocuments(egress, clock);
  const { keySets } = documents;
  // Whose signer asked last: a list concerns everybody whose keys it is about.
  const asking = new Map<string, string>();
  const lists = createRevocations({
    egress,
    clock,
    documents: options.documents ?? memoryTrustDocuments(),
    governanceKeys: (brandUrl) => documents.governanceKeys(brandUrl),
    onUntrusted: (brandUrl) => {
      const concerned = asking.get(brandUrl);
      if (concerned !== undefined) options.onUntrusted?.(concerned, brandUrl);
    },
  });
  const only = (keys: readonly SignerKey[]): Result<SignerKey, SignerKeyFailure> =>
    theOne(keys, trustsTestKeys);
  const list = rememberedList(signers, clock);
  return {
    find: async (keyid, principalId) => {
      const within = async (maxAgeMs: number): Promise<readonly Listed[]> => {
        const all = await list(maxAgeMs);
        return principalId === undefined ? all : all.filter((one) => one.signer.principalId === principalId);
      };
      let asked = await within(listMs);
      let known = await findIn(keySets, asked, keyid, 'get');
      if (known.keys.length === 0 && known.failure === undefined) {
        // Somebody may have been registered since.
        asked = await within(listAgainMs);
        known = await findIn(keySets, asked, keyid, 'get');
      }
      if (known.keys.length > 0) return only(known.keys);
      if (known.failure !== undefined) return err(told(known.failure));
      const again = await findIn(keySets, asked.slice(0, refetchedAtOnce), keyid, 'refetch');
      return again.keys.length > 0 ? only(again.keys) : err(told(again.failure));
    },
    status: async ({ agentUrl, principal }, keyid) => {
      // Whoever handed its keys in has no address of its own, and so no list beside one.
      if (!/^https?:/i.test(agentUrl) || !URL.canParse(agentUrl)) return 'ok';
      const brandUrl = `${new URL(agentUrl).origin}/.well-known/brand.json`;
      asking.set(brandUrl, principal.organizationId);
      return lists.status(brandUrl, keyid).finally(() => asking.delete(brandUrl));
    },
  };
}

/** The code of an outage with what is known of it; of a key that nobody has, that alone. */
function told(failure: DiscoveryFailure | undefined): SignerKeyFailure {
  return failure === undefined
    ? { code: 'key_unknown' }
    : { code: failure.code, why: explanationOf(failure) };
}

interface Listed {
  readonly signer: RegisteredSigner;
  /** Of a key set that was handed in. The same objects as long as the document is the same. */
  readonly keys?: Jwks;
}

async function findIn(
  keySets: CachedFetch<Jwks, DiscoveryFailure>,
  asked: readonly Listed[],
  keyid: string,
  how: 'get' | 'refetch',
): Promise<{ readonly keys: readonly SignerKey[]; readonly failure: DiscoveryFailure | undefined }> {
  const found: SignerKey[] = [];
  let failure: DiscoveryFailure | undefined;
  const outcomes = await Promise.all(
    asked.map(async (listed) => [listed, await keysOf(keySets, listed, how)] as const),
  );
  for (const [{ signer }, keys] of outcomes) {
    if (keys === undefined) continue;
    const jwk = keys.ok ? keys.value.get(keyid) : undefined;
    if (jwk !== undefined) found.push({ signer, jwk });
    // An outage of somebody's key set says something of this key only where nobody else can have it.
    if (!keys.ok && asked.length === 1) failure = keys.error;
  }
  return { keys: found, failure };
}

/** Several are as bad as none, also where one of them cannot be asked just now: nothing is looked up again. */
function theOne(keys: readonly SignerKey[], trustsTestKeys: boolean): Result<SignerKey, SignerKeyFailure> {
  const [first] = keys;
  if (first === undefined || keys.length > 1) return err({ code: 'key_unknown' });
  return !trustsTestKeys && isPublishedTestKey(first.jwk) ? err({ code: 'key_unknown' }) : ok(first);
}

async function keysOf(
  keySets: CachedFetch<Jwks, DiscoveryFailure>,
  { signer, keys }: Listed,
  how: 'get' | 'refetch',
): Promise<Result<Jwks, DiscoveryFailure> | undefined> {
  if (signer.keys.kind === 'document') return keys === undefined ? undefined : ok(keys);
  const { jwksUri } = signer.keys;
  return how === 'get' ? (await keySets.get(jwksUri)).outcome : keySets.refetch(jwksUri);
}

/** The list, read again every few seconds; a handed-in key set is parsed once. */
function rememberedList(
  signers: () => Promise<readonly RegisteredSigner[]>,
  clock: Clock,
): (maxAgeMs: number) => Promise<readonly Listed[]> {
  let known: readonly Listed[] = [];
  let readAt: Instant | undefined;
  return async (maxAgeMs) => {
    if (readAt !== undefined && clock.now() - readAt < maxAgeMs) return known;
    const at = clock.now();
    const before = new Map(known.map((listed) => [listed.signer.id, listed]));
    known = (await signers()).map((signer): Listed => {
      if (signer.keys.kind !== 'document') return { signer };
      const keys = before.get(signer.id)?.keys ?? readJwks(signer.keys.jwks);
      if (!('ok' in keys)) return { signer, keys };
      return keys.ok ? { signer, keys: keys.value } : { signer };
    });
    readAt = at;
    return known;
  };
}
