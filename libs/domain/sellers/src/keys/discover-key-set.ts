import { err, ok, type JsonValue, type Result } from '@switchyard/values';
import { shownAddress, type DiscoveryFailure } from './discovery-failure.js';
import { authorizedOperators, findAgent, malformed, nearMiss } from './find-agent.js';
import { judgeOrigins } from './judge-origins.js';
import type { KeyDocuments } from './key-documents.js';
import type { KeyedConnection } from './key-watch.js';
import { isSameSite, isWithin, siteOf } from './same-site.js';

/** Where an agent's keys are, and which document says so. */
export interface DiscoveredKeySet {
  readonly jwksUri: string;
  readonly brandUrl: string;
}

/** Where discovery begins: an admin's word, the seller's own, or the address that everybody's has. */
export function brandUrlOf(connection: KeyedConnection): string | undefined {
  if (connection.pinnedBrandJsonUrl !== undefined) return connection.pinnedBrandJsonUrl;
  const declared = connection.capabilities?.brandJsonUrl;
  if (declared !== undefined) return URL.canParse(declared) ? declared : undefined;
  if (!URL.canParse(connection.agentUrl)) return undefined;
  return `${new URL(connection.agentUrl).origin}/.well-known/brand.json`;
}

/**
 * From the agent's address to its key set (docs/protocol/signing.md#discovery-of-keys): each failure has its own code.
 *
 * It begins with what the agent says of itself. A seller whose capabilities nobody could read yet is asked for them;
 * one that cannot be reached for that may still have a brand.json where everybody's is, and only if that leads nowhere
 * either is the first step the one that failed. Who signs requests has no such second way.
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

/** The connection with what its agent says of itself, where nobody could read that yet and it matters. */
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

/** What a person should know of an agent that is not in its brand.json. */
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

/** Follows one pointer from document to document, and no second one. */
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

/** A brand.json that the agent itself named counts when it is of the agent's own site, or authorises it. */
function mayVouch(brandJsonUrl: string, agentHost: string, document: JsonValue): boolean {
  if (isSameSite(new URL(brandJsonUrl).hostname, agentHost)) return true;
  return authorizedOperators(document).some((domain) => isWithin(agentHost, domain));
}

function withoutBrand(agentUrl: string): DiscoveryFailure {
  return { code: 'brand_json_url_missing', details: { agent_url: shownAddress(agentUrl) } };
}

/** What an agent declares counts as an address of a brand.json over https alone; our door out knows the exceptions. */
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
