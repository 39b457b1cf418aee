import { isPublishedTestKey, keyThumbprint, type KeyExplanation, type KeyFailure } from '@switchyard/signing';
import type { RegisteredSigner } from '@switchyard/tenancy';
import { err, ok, type Clock, type JsonObject, type Result } from '@switchyard/values';
import type { Egress } from '../egress-port.js';
import type { QueryCapabilities } from './key-capabilities.js';
import { explanationOf, type DiscoveryFailure } from './discovery-failure.js';
import type { Jwks } from './fetch-key-documents.js';
import {
  explainFailure,
  explainUnaccepted,
  findKeySet,
  vouchingBrandUrl,
  type KeySetDeps,
} from './find-key-set.js';
import { createKeyDocuments } from './key-documents.js';
import { rememberedSigners, type Listed } from './listed-signers.js';
import { noKeyWatch, type KeyedConnection, type KeyWatch } from './key-watch.js';
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
   * The one registered signer that has this key. Where several have one under this kid, those count by whose key the
   * message verifies (`holds`), and of these the one whose principal has proved the key. Fails with `key_unknown` where
   * that leaves none or several: whose request it is could then be chosen by whoever registered. `principalId` narrows
   * the search, where another credential has told who is calling.
   */
  find(
    keyid: string,
    principalId?: string,
    holds?: (key: SignerKey) => Promise<boolean>,
  ): Promise<Result<SignerKey, SignerKeyFailure>>;
  /**
   * By the list at the site of the signer's agent, whose brand.json says who may sign it; of a signer whose keys are
   * discovered, beside the brand.json that vouches for them.
   */
  status(signer: RegisteredSigner, keyid: string): Promise<'ok' | 'revoked' | 'stale'>;
}

export interface SignerKeysOptions {
  readonly egress: Egress;
  readonly clock: Clock;
  readonly signers: () => Promise<readonly RegisteredSigner[]>;
  /** Asks a signer's agent what it is; absent: keys that have to be discovered are found by nobody. */
  readonly queryCapabilities?: QueryCapabilities;
  /** Where revocations outlive a restart; absent: they do not. */
  readonly documents?: TrustDocuments;
  /** Told of key sets that are found or change, and of lists of revoked keys that cannot be believed; by the signer's id. */
  readonly watch?: KeyWatch;
  /** For the local profile alone: a published test key is anybody's. */
  readonly trustsTestKeys?: boolean;
}

/** How long the list of signers is used, and how soon it is read again for a stranger's unknown key. Milliseconds. */
const listMs = 5_000;
const listAgainMs = 500;
/** Addresses asked again for one unknown kid at most: a stranger's kid must not set a thousand fetches off. */
const refetchedAtOnce = 50;

/**
 * Finds the keys of those who sign requests to us: what was handed in, what stands at the registered address, or what
 * the signer's own agent leads to.
 */
export function createSignerKeys(options: SignerKeysOptions): SignerKeys {
  const { egress, clock, signers, watch = noKeyWatch, trustsTestKeys = false } = options;
  const documents = createKeyDocuments(egress, clock, options.queryCapabilities);
  const deps: KeySetDeps = { documents, watch };
  // Whose signer asked last: a list concerns everybody whose keys it is about.
  const asking = new Map<string, KeyedConnection>();
  const lists = createRevocations({
    egress,
    clock,
    documents: options.documents ?? memoryTrustDocuments(),
    governanceKeys: (brandUrl) => documents.governanceKeys(brandUrl),
    onUntrusted: (brandUrl) => {
      const concerned = asking.get(brandUrl);
      if (concerned !== undefined) watch.revocationsUntrusted(concerned, brandUrl);
    },
  });
  const only = async (
    keys: readonly SignerKey[],
    keyid: string,
    holds?: (key: SignerKey) => Promise<boolean>,
  ): Promise<Result<SignerKey, SignerKeyFailure>> =>
    theOne(keys.length > 1 ? await holders(keys, holds) : keys, keyid, trustsTestKeys ? undefined : watch);
  const list = rememberedSigners(signers, clock);
  return {
    find: async (keyid, principalId, holds) => {
      const within = async (maxAgeMs: number): Promise<readonly Listed[]> => {
        const all = await list(maxAgeMs);
        return principalId === undefined ? all : all.filter((one) => one.signer.principalId === principalId);
      };
      let requested = await within(listMs);
      let known = await findIn(deps, requested, keyid, 'get');
      if (known.keys.length === 0 && known.failure === undefined) {
        // Somebody may have been registered since: whoever has shown a credential of its own is looked up at once.
        requested = await within(principalId === undefined ? listAgainMs : 0);
        known = await findIn(deps, requested, keyid, 'get');
      }
      if (known.keys.length > 0) return only(known.keys, keyid, holds);
      if (known.failure !== undefined) return err(await received(deps, requested, known.failure));
      const again = await findIn(deps, requested.slice(0, refetchedAtOnce), keyid, 'refetch');
      return again.keys.length > 0
        ? only(again.keys, keyid, holds)
        : err(await received(deps, requested, again.failure));
    },
    status: async (signer, keyid) => {
      const { agentUrl } = signer;
      // Whoever handed its keys in has no address of its own, and so no list beside one.
      if (!/^https?:/i.test(agentUrl) || !URL.canParse(agentUrl)) return 'ok';
      const connection = connectionOf(signer);
      const brandUrl =
        (signer.keys.kind === 'discovered' ? await vouchingBrandUrl(documents, connection) : undefined) ??
        `${new URL(agentUrl).origin}/.well-known/brand.json`;
      asking.set(brandUrl, connection);
      return lists.status(brandUrl, keyid).finally(() => asking.delete(brandUrl));
    },
  };
}

/** A signer as discovery knows it: by its own address, and by what was found for it before. */
function connectionOf({ id, agentUrl, keys, principal }: RegisteredSigner): KeyedConnection {
  const found = keys.kind === 'discovered' ? keys.foundJwksUri : undefined;
  const { organizationId } = principal;
  return {
    ...{ id, organizationId, agentUrl, signsRequests: true },
    ...(found === undefined ? {} : { foundJwksUri: found }),
  };
}

/** The code of a failure with what is known of it; of a key that nobody has, that alone. */
async function received(
  { documents }: KeySetDeps,
  requested: readonly Listed[],
  failure: DiscoveryFailure | undefined,
): Promise<SignerKeyFailure> {
  const [only, ...others] = requested;
  const connection =
    only?.signer.keys.kind === 'discovered' && others.length === 0 ? connectionOf(only.signer) : undefined;
  if (failure !== undefined) {
    const why =
      connection === undefined
        ? explanationOf(failure)
        : await explainFailure(documents, connection, failure);
    return { code: failure.code, why };
  }
  const seen = connection === undefined ? undefined : await explainUnaccepted(documents, connection);
  return { code: 'key_unknown', ...(seen === undefined ? {} : { why: { seen } }) };
}

async function findIn(
  deps: KeySetDeps,
  requested: readonly Listed[],
  keyid: string,
  how: 'get' | 'refetch',
): Promise<{ readonly keys: readonly SignerKey[]; readonly failure: DiscoveryFailure | undefined }> {
  const found: SignerKey[] = [];
  let failure: DiscoveryFailure | undefined;
  const outcomes = await Promise.all(
    requested.map(async (listed) => [listed, await keysOf(deps, listed, how)] as const),
  );
  for (const [{ signer }, keys] of outcomes) {
    if (keys === undefined) continue;
    const jwk = keys.ok ? keys.value.get(keyid) : undefined;
    if (jwk !== undefined) found.push({ signer, jwk });
    // An outage of somebody's key set says something of this key only where nobody else can have it.
    if (!keys.ok && requested.length === 1) failure = keys.error;
  }
  return { keys: found, failure };
}

/** A stranger's kid must not set a thousand verifications off. */
const verifiedAtOnce = 32;

/**
 * Of several that have a key under one kid, those by whose key the message verifies; and of several that have the very
 * same key, which anybody may copy, those whose principal has proved it.
 */
async function holders(
  keys: readonly SignerKey[],
  holds: ((key: SignerKey) => Promise<boolean>) | undefined,
): Promise<readonly SignerKey[]> {
  const organizations = new Set(keys.map(({ signer }) => signer.principal.organizationId));
  if (organizations.size === 1 || holds === undefined || keys.length > verifiedAtOnce) return keys;
  const verified: SignerKey[] = [];
  for (const key of keys) if (await holds(key)) verified.push(key);
  if (verified.length < 2) return verified;
  return verified.filter(({ signer, jwk }) => signer.provedKeys?.includes(keyThumbprint(jwk)) === true);
}

/**
 * Several are as bad as none, also where one of them cannot be asked just now: nothing is looked up again. `watch` is
 * told of a published test key; without it such a key counts.
 */
function theOne(
  keys: readonly SignerKey[],
  keyid: string,
  watch: KeyWatch | undefined,
): Result<SignerKey, SignerKeyFailure> {
  const [first] = keys;
  if (first === undefined || keys.length > 1) return err({ code: 'key_unknown' });
  const { signer, jwk } = first;
  if (watch === undefined || !isPublishedTestKey(jwk)) return ok(first);
  watch.testKey(connectionOf(signer), keyid);
  return err({ code: 'key_unknown' });
}

async function keysOf(
  deps: KeySetDeps,
  { signer, keys }: Listed,
  how: 'get' | 'refetch',
): Promise<Result<Jwks, DiscoveryFailure> | undefined> {
  if (signer.keys.kind === 'document') return keys === undefined ? undefined : ok(keys);
  const jwksUri =
    signer.keys.kind === 'address' ? ok(signer.keys.jwksUri) : await findKeySet(deps, connectionOf(signer));
  if (!jwksUri.ok) return jwksUri;
  const { keySets } = deps.documents;
  return how === 'get' ? (await keySets.get(jwksUri.value)).outcome : keySets.refetch(jwksUri.value);
}
