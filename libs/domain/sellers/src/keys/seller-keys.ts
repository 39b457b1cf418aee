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
import type { DiscoveryFailure } from './discovery-failure.js';
import type { QueryCapabilities } from './key-capabilities.js';
import {
  explainFailure,
  explainUnaccepted,
  findKey,
  findKeySet,
  confirmingBrandUrl,
} from './find-key-set.js';
import { inspectKeys, type KeyInspection } from './inspect-keys.js';
import { createKeyDocuments, type KeyDocuments } from './key-documents.js';
import { noKeyWatch, type KeyedConnection, type KeyWatch } from './key-watch.js';
import { createPublisherPins, type PublisherPins } from './publisher-pins.js';
import { createRevocations, type Revocations } from './revocations.js';
import { memoryTrustDocuments, type TrustDocuments } from './trust-documents.js';

export interface SellerKeySource {
  /**
   * Returns a seller's key and its identity. The identity is the connection's URL byte for byte, however the key was
   * found: by a publisher's pin, at an admin's address, or through the brand.json.
   */
  resolve(connection: KeyedConnection, keyid: string): Promise<Result<ResolvedKey, KeyFailure>>;
  /** Returns the key source of one seller, for a verifier of its messages. */
  of(connection: KeyedConnection): KeySource;
  revocationsOf(connection: KeyedConnection): RevocationSource;
}

/** Reads what a seller publishes about its keys before any message of it. */
export interface KeyInspector {
  inspect(connection: KeyedConnection): Promise<Result<KeyInspection, DiscoveryFailure>>;
}

interface SellerKeysOptions {
  readonly egress: Egress;
  readonly clock: Clock;
  /** Queries a seller whose capabilities are not known yet. Absent: its keys are found only through its brand.json. */
  readonly queryCapabilities?: QueryCapabilities;
  /** Stores pins and revocations across restarts. Absent: they are kept in memory. */
  readonly documents?: TrustDocuments;
  readonly watch?: KeyWatch;
  /** Only for the local profile: anyone can sign with a published test key. */
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

/** Finds sellers' public keys and checks whether they are revoked. */
export function createSellerKeys(options: SellerKeysOptions): SellerKeySource & KeyInspector {
  const { egress, clock, watch = noKeyWatch, trustsTestKeys = false } = options;
  const stored = options.documents ?? memoryTrustDocuments();
  const documents = createKeyDocuments(egress, clock, options.queryCapabilities);
  // The list belongs to an origin, not to a connection. The last connection that queried it gets the report.
  const connections = new Map<string, KeyedConnection>();
  const lists = createRevocations({
    egress,
    clock,
    documents: stored,
    governanceKeys: (brandUrl) => documents.governanceKeys(brandUrl),
    onUntrusted: (brandUrl) => {
      const connection = connections.get(brandUrl);
      if (connection !== undefined) watch.revocationsUntrusted(connection, brandUrl);
    },
  });
  const deps: Deps = {
    documents,
    pins: createPublisherPins({ egress, clock, documents: stored, trustsTestKeys }),
    revocations: (connection) => ({
      status: async (brandUrl, keyid) => {
        connections.set(brandUrl, connection);
        return lists.status(brandUrl, keyid).finally(() => connections.delete(brandUrl));
      },
    }),
    watch,
    trustsTestKeys,
    clock,
  };
  return {
    resolve: (connection, keyid) => resolve(deps, connection, keyid),
    inspect: (connection) => inspectKeys(deps, connection),
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

/** A key pinned by an admin counts only for that admin's organization. */
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
  const brandUrl = await confirmingBrandUrl(deps.documents, connection);
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

/** Repeats the search. All steps are cached for a while, so it gives the same result as the verification. */
async function explainAbsence(
  deps: Deps,
  connection: KeyedConnection,
  keyid: string,
  failure: KeyFailure,
): Promise<KeyExplanation> {
  const keySet = await findKeySet(deps, connection);
  const found = keySet.ok ? await findKey(deps.documents, keySet.value, keyid) : keySet;
  const why = found.ok || found.error === 'key_unknown' ? undefined : found.error;
  // The state may have changed meanwhile, and publishers' pins fail with other reasons: then only the code is known.
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
