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
 * Where a counterparty's keys are: an admin's pin, or what the brand that the agent belongs to says. An address that
 * discovery names is kept, and another one is never taken up by itself: whoever can write a brand.json could
 * otherwise sign as the counterparty. A person accepts it, or does not.
 */
export async function findKeySet(
  { documents, watch }: KeySetDeps,
  connection: KeyedConnection,
): Promise<Result<string, DiscoveryFailure>> {
  const { pinnedJwksUri, foundJwksUri } = connection;
  if (pinnedJwksUri !== undefined) {
    // An admin's word needs no discovery; what discovery says is looked at beside it, and waited for by nobody.
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

/** A key set that lacks the kid is fetched anew once, unless it has just been. */
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

/** The document that vouches for the keys, beside which their list of revoked ones is. */
export async function vouchingBrandUrl(
  documents: KeyDocuments,
  connection: KeyedConnection,
): Promise<string | undefined> {
  const found =
    connection.pinnedJwksUri === undefined ? await discoverKeySet(documents, connection) : undefined;
  return found?.ok === true ? found.value.brandUrl : brandUrlOf(connection);
}

/** What a person should know of a failure of discovery, with an entry that almost is the agent's if there is one. */
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

/** Of a key that is in no set: whether discovery names another address than the one that is in use. */
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
