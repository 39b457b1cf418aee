import { isPublishedTestKey, keyThumbprint, type KeyExplanation, type KeyFailure } from '@switchyard/signing';
import type { RegisteredSigner } from '@switchyard/tenancy';
import { err, ok, type Clock, type JsonObject, type Result, type Instant } from '@switchyard/values';
import type { Egress } from '../egress-port.js';
import type { QueryCapabilities } from './key-capabilities.js';
import { explanationOf, type DiscoveryFailure } from './discovery-failure.js';
import { type Jwks, readJwks } from './fetch-key-documents.js';
import {
  explainFailure,
  explainUnaccepted,
  findKeySet,
  confirmingBrandUrl,
  type KeySetDeps,
} from './find-key-set.js';
import { createKeyDocuments } from './key-documents.js';
import { noKeyWatch, type KeyedConnection, type KeyWatch } from './key-watch.js';
import { createRevocations } from './revocations.js';
import { memoryTrustDocuments, type TrustDocuments } from './trust-documents.js';

/** A registered signer and its published key of the requested kid. */
export interface SignerKey {
  readonly signer: RegisteredSigner;
  readonly jwk: JsonObject;
}

/** Why no key was found. `why` is for the checklist that is stored with the refusal. */
export interface SignerKeyFailure {
  readonly code: KeyFailure;
  readonly why?: KeyExplanation;
}

export interface SignerKeys {
  /**
   * Returns the only registered signer with this key. If several have a key with this kid, those count whose key
   * verifies the message (`holds`), and of these the one whose principal has proved the key. Fails with `key_unknown`
   * if none or several remain: otherwise anyone could claim a request by registering the same key. `principalId` limits
   * the search if another credential has identified the caller.
   */
  find(
    keyid: string,
    principalId?: string,
    holds?: (key: SignerKey) => Promise<boolean>,
  ): Promise<Result<SignerKey, SignerKeyFailure>>;
  /**
   * Checks the revocation list at the origin of the signer's agent, whose brand.json names who may sign it. If the
   * signer's keys are discovered, the list beside the brand.json that confirms them is used.
   */
  status(signer: RegisteredSigner, keyid: string): Promise<'ok' | 'revoked' | 'stale'>;
}

interface SignerKeysOptions {
  readonly egress: Egress;
  readonly clock: Clock;
  readonly signers: () => Promise<readonly RegisteredSigner[]>;
  /** Queries a signer's agent for its capabilities. Absent: keys that need discovery are not found. */
  readonly queryCapabilities?: QueryCapabilities;
  /** Stores revocations across restarts. Absent: they are kept in memory. */
  readonly documents?: TrustDocuments;
  /** Receives found and changed key sets, and untrusted revocation lists, with the signer's id. */
  readonly watch?: KeyWatch;
  /** Only for the local profile: anyone can sign with a published test key. */
  readonly trustsTestKeys?: boolean;
}

/** Maximum age of the list of signers, and the age that applies if a kid is unknown. Milliseconds. */
const listMs = 5_000;
const listAgainMs = 500;
/** Maximum key sets fetched again for one unknown kid: a stranger's kid must not cause a thousand fetches. */
const refetchedAtOnce = 50;

/**
 * Finds keys of agents that sign requests to us: registered as a document, at a registered URL, or found by discovery
 * from the signer's agent.
 */
export function createSignerKeys(options: SignerKeysOptions): SignerKeys {
  const { egress, clock, signers, watch = noKeyWatch, trustsTestKeys = false } = options;
  const documents = createKeyDocuments(egress, clock, options.queryCapabilities);
  const deps: KeySetDeps = { documents, watch };
  // The signer that last queried a list. It receives the report, because the list concerns all signers of that origin.
  const connections = new Map<string, KeyedConnection>();
  const lists = createRevocations({
    egress,
    clock,
    documents: options.documents ?? memoryTrustDocuments(),
    governanceKeys: (brandUrl) => documents.governanceKeys(brandUrl),
    onUntrusted: (brandUrl) => {
      const concerned = connections.get(brandUrl);
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
        return principalId === undefined
          ? all
          : all.filter((entry) => entry.signer.principalId === principalId);
      };
      let requested = await within(listMs);
      let known = await findIn(deps, requested, keyid, 'get');
      if (known.keys.length === 0 && known.failure === undefined) {
        // A signer may have been registered meanwhile. A caller with its own credential is looked up without delay.
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
      // A signer that registered a document has no URL, and so no revocation list.
      if (!/^https?:/i.test(agentUrl) || !URL.canParse(agentUrl)) return 'ok';
      const connection = connectionOf(signer);
      const brandUrl =
        (signer.keys.kind === 'discovered' ? await confirmingBrandUrl(documents, connection) : undefined) ??
        `${new URL(agentUrl).origin}/.well-known/brand.json`;
      connections.set(brandUrl, connection);
      return lists.status(brandUrl, keyid).finally(() => connections.delete(brandUrl));
    },
  };
}

/** Returns a signer in the form that discovery needs: its URL, and the key set found before. */
function connectionOf({ id, agentUrl, keys, principal }: RegisteredSigner): KeyedConnection {
  const found = keys.kind === 'discovered' ? keys.foundJwksUri : undefined;
  const { organizationId } = principal;
  return {
    ...{ id, organizationId, agentUrl, signsRequests: true },
    ...(found === undefined ? {} : { foundJwksUri: found }),
  };
}

/** Returns the failure's code with its details, or `key_unknown` if there was no failure. */
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
    // A failed key set explains a missing key only if no other signer could have it.
    if (!keys.ok && requested.length === 1) failure = keys.error;
  }
  return { keys: found, failure };
}

/** Maximum verifications for one kid, so that a stranger's kid cannot cause a thousand. */
const verifiedAtOnce = 32;

/**
 * Selects the keys that verify the message. If several signers have the same key, which anyone may copy, selects those
 * whose principal has proved it.
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
 * Returns the only key. Several keys fail as none does, also if one signer cannot be queried now: nothing is fetched
 * again. `watch` receives a published test key; without `watch` such a key is accepted.
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

/** A registered signer, with its parsed keys if it registered a key set document. */
interface Listed {
  readonly signer: RegisteredSigner;
  /** Keys of a registered document. An unchanged document keeps the same objects. */
  readonly keys?: Jwks;
}

/** Returns the list of signers, read again once it is older than `maxAgeMs`. Each registered key set is parsed once. */
function rememberedSigners(
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
