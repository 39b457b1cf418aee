import type { KeyFailure, KeySource, ResolvedKey } from '@switchyard/signing';
import { err, ok, type Clock, type JsonValue, type Result } from '@switchyard/values';
import type { Connection } from '../connection.js';
import type { Egress } from '../egress-port.js';
import { CachedFetch } from './cached-fetch.js';
import { authorizedOperators, findAgent, type AgentFinding } from './find-agent.js';
import { fetchBrandJson, fetchJwks, type Jwks } from './fetch-key-documents.js';
import { isSameSite, isWithin } from './same-site.js';

/** What of a connection says where its keys are. */
export type KeyedConnection = Pick<
  Connection,
  'agentUrl' | 'pinnedJwksUri' | 'pinnedBrandJsonUrl' | 'capabilities'
>;

export interface SellerKeySource {
  /**
   * The key of a seller, and the seller's identity: the `agents[]` entry that leads to the key, which is the
   * connection's own address byte for byte, also where an admin pinned the key set.
   */
  resolve(connection: KeyedConnection, keyid: string): Promise<Result<ResolvedKey, KeyFailure>>;
  /** The same for one seller, as a verifier wants it. */
  of(connection: KeyedConnection): KeySource;
}

export interface SellerKeysOptions {
  readonly egress: Egress;
  readonly clock: Clock;
}

const minute = 60_000;

/** Finds sellers' public keys: brand.json, its entry for the agent, the key set it names, the key with the kid. */
export function createSellerKeys({ egress, clock }: SellerKeysOptions): SellerKeySource {
  const brands = new CachedFetch<JsonValue, KeyFailure>(
    (url) => fetchBrandJson(egress, url),
    { good: 5 * minute, bad: minute / 2, cooldown: minute / 2 },
    clock,
  );
  const keySets = new CachedFetch<Jwks, KeyFailure>(
    (url, before) => fetchJwks(egress, url, before),
    { good: 5 * minute, bad: minute / 2, cooldown: minute / 2 },
    clock,
  );

  const resolve = async (
    connection: KeyedConnection,
    keyid: string,
  ): Promise<Result<ResolvedKey, KeyFailure>> => {
    const jwksUri = await findKeySet(brands, connection);
    if (!jwksUri.ok) return jwksUri;
    const { outcome, isFresh } = await keySets.get(jwksUri.value);
    if (!outcome.ok) return outcome;
    const known = outcome.value.get(keyid);
    if (known !== undefined) return ok({ jwk: known, agentUrl: connection.agentUrl });
    if (isFresh) return err('key_unknown');
    const again = await keySets.refetch(jwksUri.value);
    if (again === undefined) return err('key_unknown');
    if (!again.ok) return again;
    const found = again.value.get(keyid);
    return found === undefined ? err('key_unknown') : ok({ jwk: found, agentUrl: connection.agentUrl });
  };

  return { resolve, of: (connection) => ({ resolve: (keyid) => resolve(connection, keyid) }) };
}

/** Where the seller's keys are: an admin's pin, or what the brand that the agent belongs to says. */
async function findKeySet(
  brands: CachedFetch<JsonValue, KeyFailure>,
  connection: KeyedConnection,
): Promise<Result<string, KeyFailure>> {
  if (connection.pinnedJwksUri !== undefined) return ok(connection.pinnedJwksUri);
  const agent = URL.canParse(connection.agentUrl) ? new URL(connection.agentUrl) : undefined;
  if (agent === undefined) return err('brand_json_url_missing');
  const declared = connection.capabilities?.brandJsonUrl;
  const url = connection.pinnedBrandJsonUrl ?? declared ?? `${agent.origin}/.well-known/brand.json`;
  const found = await findInBrand(brands, url, connection.agentUrl);
  if (!found.ok) return found;
  const isVouched = connection.pinnedBrandJsonUrl !== undefined || declared === undefined;
  if (!isVouched && !mayVouch(declared, agent.hostname, found.value.document))
    return err('brand_origin_mismatch');
  return ok(found.value.jwksUri ?? `${agent.origin}/.well-known/jwks.json`);
}

/** Follows one pointer from document to document, and no second one. */
async function findInBrand(
  brands: CachedFetch<JsonValue, KeyFailure>,
  url: string,
  agentUrl: string,
): Promise<Result<{ readonly document: JsonValue; readonly jwksUri?: string }, KeyFailure>> {
  let at = url;
  for (let hop = 0; hop < 2; hop += 1) {
    const { outcome } = await brands.get(at);
    if (!outcome.ok) return outcome;
    const found: Result<AgentFinding, KeyFailure> = findAgent(outcome.value, agentUrl);
    if (!found.ok) return found;
    if (found.value.kind === 'agent') {
      const { jwksUri } = found.value;
      return ok({ document: outcome.value, ...(jwksUri === undefined ? {} : { jwksUri }) });
    }
    at = found.value.url;
  }
  return err('brand_json_malformed');
}

/** A brand.json that the agent itself named counts when it is of the agent's own site, or authorises it. */
function mayVouch(brandJsonUrl: string, agentHost: string, document: JsonValue): boolean {
  if (!URL.canParse(brandJsonUrl)) return false;
  if (isSameSite(new URL(brandJsonUrl).hostname, agentHost)) return true;
  return authorizedOperators(document).some((domain) => isWithin(agentHost, domain.toLowerCase()));
}
