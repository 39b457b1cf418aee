import type { KeyExplanation } from '@switchyard/signing';
import { err, ok, type JsonObject, type Result } from '@switchyard/values';
import { brandUrlOf, discoverKeySet, explainDiscovery } from './discover-key-set.js';
import { explanationOf, shownAddress, type DiscoveryFailure } from './discovery-failure.js';
import type { KeyDocuments } from './key-documents.js';
import type { KeyedConnection, KeyWatch } from './key-watch.js';

export interface KeySetDeps {
  readonly documents: KeyDocuments;
  readonly watch: KeyWatch;
}

/**
 * Returns a counterparty's key set URL: pinned by an admin, or found by discovery. The first URL that discovery finds
 * is stored. A different one later is only reported until a person accepts it: otherwise anyone who can write the
 * brand.json could sign as the counterparty.
 */
export async function findKeySet(
  { documents, watch }: KeySetDeps,
  connection: KeyedConnection,
): Promise<Result<string, DiscoveryFailure>> {
  const { pinnedJwksUri, foundJwksUri } = connection;
  if (pinnedJwksUri !== undefined) {
    // A pinned URL needs no discovery. Discovery runs in the background, only to report a different URL.
    void discoverKeySet(documents, connection).then((found) => {
      if (found.ok && found.value.jwksUri !== pinnedJwksUri) {
        watch.changed(connection, pinnedJwksUri, found.value.jwksUri);
      }
    });
    return ok(pinnedJwksUri);
  }
  const found = await discoverKeySet(documents, connection);
  if (!found.ok) return found;
  const { jwksUri } = found.value;
  if (foundJwksUri === undefined) watch.found(connection, jwksUri);
  else if (foundJwksUri !== jwksUri) watch.changed(connection, foundJwksUri, jwksUri);
  return ok(foundJwksUri ?? jwksUri);
}

/** Finds a key by its id. If the cached key set lacks it, the key set is fetched again, unless it is fresh. */
export async function findKey(
  { keySets }: KeyDocuments,
  jwksUri: string,
  keyid: string,
): Promise<Result<JsonObject, DiscoveryFailure | 'key_unknown'>> {
  const { outcome, isFresh } = await keySets.get(jwksUri);
  if (!outcome.ok) return outcome;
  const known = outcome.value.get(keyid);
  if (known !== undefined) return ok(known);
  if (isFresh) return err('key_unknown');
  const again = await keySets.refetch(jwksUri);
  if (again === undefined) return err('key_unknown');
  if (!again.ok) return again;
  const found = again.value.get(keyid);
  return found === undefined ? err('key_unknown') : ok(found);
}

/** Returns the brand.json that confirms the keys. The list of revoked keys is at its origin. */
export async function confirmingBrandUrl(
  documents: KeyDocuments,
  connection: KeyedConnection,
): Promise<string | undefined> {
  const found =
    connection.pinnedJwksUri === undefined ? await discoverKeySet(documents, connection) : undefined;
  return found?.ok === true ? found.value.brandUrl : brandUrlOf(connection);
}

/** Explains a failure of discovery to an admin, with an entry that almost matches the agent if there is one. */
export async function explainFailure(
  documents: KeyDocuments,
  connection: KeyedConnection,
  failure: DiscoveryFailure,
): Promise<KeyExplanation> {
  const explanation = explanationOf(failure);
  if (failure.code !== 'agent_not_in_brand_json') return explanation;
  const near = await explainDiscovery(documents, connection);
  return { ...explanation, seen: near ?? 'brand.json does not have the agent' };
}

/** Explains a key that is in no key set: whether discovery names another URL than the one in use. */
export async function explainUnaccepted(
  documents: KeyDocuments,
  connection: KeyedConnection,
): Promise<string | undefined> {
  const known = connection.pinnedJwksUri ?? connection.foundJwksUri;
  const found = known === undefined ? undefined : await discoverKeySet(documents, connection);
  return found?.ok === true && found.value.jwksUri !== known
    ? `discovery names ${shownAddress(found.value.jwksUri)}, which nobody has accepted yet; in use is ${shownAddress(known ?? '')}`
    : undefined;
}
