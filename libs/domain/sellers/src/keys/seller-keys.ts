import {
  isPublishedTestKey,
  type KeyExplanation,
  type KeyFailure,
  type KeySource,
  type ResolvedKey,
  type RevocationSource,
} from '@switchyard/signing';
import { err, ok, type Clock, type Result } from '@switchyard/values';
import type { Egress } from '../egress-port.js';
import type { QueryCapabilities } from './key-capabilities.js';
import { explainFailure, explainUnaccepted, findKey, findKeySet, vouchingBrandUrl } from './find-key-set.js';
import { createKeyDocuments, type KeyDocuments } from './key-documents.js';
import { noKeyWatch, type KeyedConnection, type KeyWatch } from './key-watch.js';
import { createPublisherPins, type PublisherPins } from './publisher-pins.js';
import { createRevocations, type Revocations } from './revocations.js';
import { memoryTrustDocuments, type TrustDocuments } from './trust-documents.js';

export interface SellerKeySource {
  /**
   * The key of a seller, and the seller's identity: the connection's own address byte for byte, whichever way the key
   * was found: by a publisher's pin, at an admin's address, or through its brand.json.
   */
  resolve(connection: KeyedConnection, keyid: string): Promise<Result<ResolvedKey, KeyFailure>>;
  /** The same for one seller, as a verifier of what it sends us wants it. */
  of(connection: KeyedConnection): KeySource;
  revocationsOf(connection: KeyedConnection): RevocationSource;
}

export interface SellerKeysOptions {
  readonly egress: Egress;
  readonly clock: Clock;
  /** Calls a seller that nobody has heard of itself yet; absent: it is found by its brand.json alone. */
  readonly queryCapabilities?: QueryCapabilities;
  /** Where pins and revocations outlive a restart; absent: they do not. */
  readonly documents?: TrustDocuments;
  readonly watch?: KeyWatch;
  /** For the local profile alone: a published test key is anybody's. */
  readonly trustsTestKeys?: boolean;
}

interface Deps {
  readonly documents: KeyDocuments;
  readonly pins: PublisherPins;
  readonly revocations: (connection: KeyedConnection) => Revocations;
  readonly watch: KeyWatch;
  readonly trustsTestKeys: boolean;
  readonly clock: Clock;
}

/** Finds sellers' public keys, and whether they were revoked. */
export function createSellerKeys(options: SellerKeysOptions): SellerKeySource {
  const { egress, clock, watch = noKeyWatch, trustsTestKeys = false } = options;
  const stored = options.documents ?? memoryTrustDocuments();
  const documents = createKeyDocuments(egress, clock, options.queryCapabilities);
  // Whose list it is matters only to who is told: the last connection that asked is one that it concerns.
  const asking = new Map<string, KeyedConnection>();
  const lists = createRevocations({
    egress,
    clock,
    documents: stored,
    governanceKeys: (brandUrl) => documents.governanceKeys(brandUrl),
    onUntrusted: (brandUrl) => {
      const connection = asking.get(brandUrl);
      if (connection !== undefined) watch.revocationsUntrusted(connection, brandUrl);
    },
  });
  const deps: Deps = {
    documents,
    pins: createPublisherPins({ egress, clock, documents: stored, trustsTestKeys }),
    revocations: (connection) => ({
      status: async (brandUrl, keyid) => {
        asking.set(brandUrl, connection);
        return lists.status(brandUrl, keyid).finally(() => asking.delete(brandUrl));
      },
    }),
    watch,
    trustsTestKeys,
    clock,
  };
  return {
    resolve: (connection, keyid) => resolve(deps, connection, keyid),
    of: (connection) => ({
      resolve: (keyid) => resolve(deps, connection, keyid),
      explain: (keyid, failure) => explain(deps, connection, keyid, failure),
    }),
    revocationsOf: (connection) => ({ status: (keyid) => statusOf(deps, connection, keyid) }),
  };
}

async function resolve(
  deps: Deps,
  connection: KeyedConnection,
  keyid: string,
): Promise<Result<ResolvedKey, KeyFailure>> {
  const { agentUrl } = connection;
  const pinned = await deps.pins.find(publishersOf(connection), agentUrl, keyid);
  if (!pinned.ok) return pinned;
  const whose = { agentUrl, ...keyspaceOf(connection) };
  if (pinned.value !== undefined) return ok({ jwk: pinned.value.jwk, ...whose });
  const jwksUri = await findKeySet(deps, connection);
  if (!jwksUri.ok) return err(jwksUri.error.code);
  const found = await findKey(deps.documents, jwksUri.value, keyid);
  if (!found.ok) return err(found.error === 'key_unknown' ? found.error : found.error.code);
  if (!deps.trustsTestKeys && isPublishedTestKey(found.value)) {
    deps.watch.testKey(connection, keyid);
    return err('key_unknown');
  }
  return ok({ jwk: found.value, ...whose });
}

/** What an admin pinned is one tenant's word, and counts for that tenant alone. */
function keyspaceOf(connection: KeyedConnection): { readonly keyspace?: string } {
  const { agentUrl, organizationId, pinnedJwksUri, pinnedBrandJsonUrl } = connection;
  const isPinned = pinnedJwksUri !== undefined || pinnedBrandJsonUrl !== undefined;
  return isPinned && organizationId !== undefined ? { keyspace: `${agentUrl} for ${organizationId}` } : {};
}

async function statusOf(
  deps: Deps,
  connection: KeyedConnection,
  keyid: string,
): Promise<'ok' | 'revoked' | 'stale'> {
  const pinned = await deps.pins.find(publishersOf(connection), connection.agentUrl, keyid);
  const revokedAt = pinned.ok ? pinned.value?.revokedAt : undefined;
  if (revokedAt !== undefined && revokedAt <= deps.clock.now()) return 'revoked';
  const brandUrl = await vouchingBrandUrl(deps.documents, connection);
  return brandUrl === undefined ? 'ok' : deps.revocations(connection).status(brandUrl, keyid);
}

async function explain(
  deps: Deps,
  connection: KeyedConnection,
  keyid: string,
  failure: KeyFailure,
): Promise<KeyExplanation | undefined> {
  if (failure !== 'key_unknown') return explainAbsence(deps, connection, keyid, failure);
  const seen = await explainUnknown(deps, connection, keyid);
  return seen === undefined ? undefined : { seen };
}

/** Everything on the way is remembered for a while, so that looking again tells what has just been seen. */
async function explainAbsence(
  deps: Deps,
  connection: KeyedConnection,
  keyid: string,
  failure: KeyFailure,
): Promise<KeyExplanation> {
  const keySet = await findKeySet(deps, connection);
  const found = keySet.ok ? await findKey(deps.documents, keySet.value, keyid) : keySet;
  const why = found.ok || found.error === 'key_unknown' ? undefined : found.error;
  // It may have changed in between, and the pins of publishers fail in ways of their own: then the code is all there is.
  if (why?.code !== failure) return { seen: failure, details: { failure } };
  return explainFailure(deps.documents, connection, why);
}

async function explainUnknown(
  deps: Deps,
  connection: KeyedConnection,
  keyid: string,
): Promise<string | undefined> {
  const known = connection.pinnedJwksUri ?? connection.foundJwksUri;
  const keys = known === undefined ? undefined : (await deps.documents.keySets.get(known)).outcome;
  const jwk = keys?.ok === true ? keys.value.get(keyid) : undefined;
  if (jwk !== undefined && isPublishedTestKey(jwk))
    return 'a published test key, which anybody may sign with';
  const pins = await deps.pins.find(publishersOf(connection), connection.agentUrl, keyid);
  if (!pins.ok) return 'a publisher pins other keys for this agent';
  return explainUnaccepted(deps.documents, connection);
}

function publishersOf({ capabilities }: KeyedConnection): readonly string[] {
  return capabilities?.publisherDomains ?? [];
}
