import { err, ok, type JsonValue, type Result } from '@switchyard/values';
import { shownAddress, type DiscoveryFailure } from './discovery-failure.js';
import { authorizedOperators, findAgent, malformed, nearMiss } from './find-agent.js';
import { judgeOrigins } from './judge-origins.js';
import type { KeyDocuments } from './key-documents.js';
import type { KeyedConnection } from './key-watch.js';
import { isSameSite, isWithin, siteOf } from './same-site.js';

/** The address of an agent's key set, and the document that names it. */
interface DiscoveredKeySet {
  readonly jwksUri: string;
  readonly brandUrl: string;
}

/** Returns the first `brand.json` of a discovery: an admin's pin, the seller's declaration or the well-known path. */
export function brandUrlOf(connection: KeyedConnection): string | undefined {
  if (connection.pinnedBrandJsonUrl !== undefined) return connection.pinnedBrandJsonUrl;
  const declared = connection.capabilities?.brandJsonUrl;
  if (declared !== undefined) return URL.canParse(declared) ? declared : undefined;
  if (!URL.canParse(connection.agentUrl)) return undefined;
  return `${new URL(connection.agentUrl).origin}/.well-known/brand.json`;
}

/**
 * Finds the key set of an agent by its URL (docs/protocol/signing.md#discovery-of-keys). Each failure has its own code.
 *
 * Discovery starts with the agent's capabilities; if they are not known yet, the agent is called for them. If a seller
 * cannot be reached for that, its well-known `brand.json` is tried, and the failure of the call is returned only if
 * that fails too. For an agent that signs requests there is no second way.
 */
export async function discoverKeySet(
  documents: KeyDocuments,
  connection: KeyedConnection,
): Promise<Result<DiscoveredKeySet, DiscoveryFailure>> {
  const received = await asReported(documents, connection);
  if (!received.ok && connection.signsRequests === true) return received;
  const found = await discoverFrom(documents, received.ok ? received.value : connection);
  return !found.ok && !received.ok ? received : found;
}

/** Returns the connection with its agent's capabilities, fetched if they are unknown and no pin replaces them. */
async function asReported(
  documents: KeyDocuments,
  connection: KeyedConnection,
): Promise<Result<KeyedConnection, DiscoveryFailure>> {
  if (connection.capabilities !== undefined || connection.pinnedBrandJsonUrl !== undefined)
    return ok(connection);
  const reported = await documents.capabilitiesOf(connection);
  if (!reported.ok) return reported;
  return ok(reported.value === undefined ? connection : { ...connection, capabilities: reported.value });
}

async function discoverFrom(
  documents: KeyDocuments,
  connection: KeyedConnection,
): Promise<Result<DiscoveredKeySet, DiscoveryFailure>> {
  const { agentUrl } = connection;
  const url = brandUrlOf(connection);
  const isDeclared =
    connection.pinnedBrandJsonUrl === undefined && connection.capabilities?.brandJsonUrl !== undefined;
  const isGuessed = !isDeclared && connection.pinnedBrandJsonUrl === undefined;
  if (url === undefined || !URL.canParse(agentUrl) || (isGuessed && connection.signsRequests === true)) {
    return err(withoutBrand(agentUrl));
  }
  const agent = new URL(agentUrl);
  const found = await findInBrand(documents, url, agentUrl);
  if (!found.ok) return isDeclared && isOfAnotherScheme(found.error) ? err(withoutBrand(agentUrl)) : found;
  if (isDeclared && !mayVouch(url, agent.hostname, found.value.document)) {
    return err(ofAnotherSite(agentUrl, url));
  }
  const jwksUri = found.value.jwksUri ?? `${agent.origin}/.well-known/jwks.json`;
  const misplaced = judgeOrigins(connection, jwksUri);
  return misplaced === undefined ? ok({ jwksUri, brandUrl: found.value.at }) : err(misplaced);
}

/** Explains to an admin why the agent is not found in its `brand.json`, if an entry is almost equal. */
export async function explainDiscovery(
  documents: KeyDocuments,
  connection: KeyedConnection,
): Promise<string | undefined> {
  const received = await asReported(documents, connection);
  const url = brandUrlOf(received.ok ? received.value : connection);
  if (url === undefined) return undefined;
  const found = await findInBrand(documents, url, connection.agentUrl);
  if (found.ok || found.error.code !== 'agent_not_in_brand_json') return undefined;
  const last = await lastDocument(documents, url, connection.agentUrl);
  return last === undefined ? undefined : nearMiss(last, connection.agentUrl);
}

interface FoundInBrand {
  readonly document: JsonValue;
  readonly at: string;
  readonly jwksUri?: string;
}

/** Follows one pointer to another document; a second one is an error. */
async function findInBrand(
  { brands }: KeyDocuments,
  url: string,
  agentUrl: string,
): Promise<Result<FoundInBrand, DiscoveryFailure>> {
  let at = url;
  for (let hop = 0; hop < 2; hop += 1) {
    const { outcome } = await brands.get(at);
    if (!outcome.ok) return outcome;
    const found = findAgent(outcome.value, agentUrl, at);
    if (!found.ok) return found;
    if (found.value.kind === 'agent') {
      const { jwksUri } = found.value;
      return ok({ document: outcome.value, at, ...(jwksUri === undefined ? {} : { jwksUri }) });
    }
    at = found.value.url;
  }
  return err(malformed(at, 'one document may speak for another, and no third one'));
}

async function lastDocument(
  { brands }: KeyDocuments,
  url: string,
  agentUrl: string,
): Promise<JsonValue | undefined> {
  const { outcome } = await brands.get(url);
  if (!outcome.ok) return undefined;
  const found = findAgent(outcome.value, agentUrl, url);
  if (!found.ok || found.value.kind === 'agent') return outcome.value;
  const next = (await brands.get(found.value.url)).outcome;
  return next.ok ? next.value : undefined;
}

/** A `brand.json` that the agent itself names counts if it is on the agent's site or authorizes that site. */
function mayVouch(brandJsonUrl: string, agentHost: string, document: JsonValue): boolean {
  if (isSameSite(new URL(brandJsonUrl).hostname, agentHost)) return true;
  return authorizedOperators(document).some((domain) => isWithin(agentHost, domain));
}

function withoutBrand(agentUrl: string): DiscoveryFailure {
  return { code: 'brand_json_url_missing', details: { agent_url: shownAddress(agentUrl) } };
}

/** A `brand.json` that an agent declares must use https. Egress decides, because it knows the exceptions. */
function isOfAnotherScheme(failure: DiscoveryFailure): boolean {
  return failure.code === 'brand_json_unreachable' && failure.details.dns_error === 'blocked_scheme';
}

function ofAnotherSite(agentUrl: string, brandUrl: string): DiscoveryFailure {
  return {
    code: 'brand_origin_mismatch',
    details: {
      agent_url: shownAddress(agentUrl),
      agent_etld1: siteOf(new URL(agentUrl).hostname),
      brand_json_url_etld1: siteOf(new URL(brandUrl).hostname),
    },
  };
}
