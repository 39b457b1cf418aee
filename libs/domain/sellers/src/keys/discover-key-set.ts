import type { KeyFailure } from '@switchyard/signing';
import { err, ok, type JsonValue, type Result } from '@switchyard/values';
import { authorizedOperators, findAgent, nearMiss } from './find-agent.js';
import type { KeyDocuments } from './key-documents.js';
import type { KeyedConnection } from './key-watch.js';
import { isSameSite, isWithin } from './same-site.js';

/** Where a seller's keys are, and which document says so. */
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

/** From the agent's address to its key set (signing-webhooks profile, section 6): each failure has its own code. */
export async function discoverKeySet(
  documents: KeyDocuments,
  connection: KeyedConnection,
): Promise<Result<DiscoveredKeySet, KeyFailure>> {
  const url = brandUrlOf(connection);
  if (url === undefined || !URL.canParse(connection.agentUrl)) return err('brand_json_url_missing');
  const agent = new URL(connection.agentUrl);
  const found = await findInBrand(documents, url, connection.agentUrl);
  if (!found.ok) return found;
  const isDeclared =
    connection.pinnedBrandJsonUrl === undefined && connection.capabilities?.brandJsonUrl !== undefined;
  if (isDeclared && !mayVouch(url, agent.hostname, found.value.document)) return err('brand_origin_mismatch');
  const jwksUri = found.value.jwksUri ?? `${agent.origin}/.well-known/jwks.json`;
  const origins = judgeOrigins(connection, jwksUri);
  return origins === undefined ? ok({ jwksUri, brandUrl: found.value.at }) : err(origins);
}

/** What a person should know of an agent that is not in its brand.json. */
export async function explainDiscovery(
  documents: KeyDocuments,
  connection: KeyedConnection,
): Promise<string | undefined> {
  const url = brandUrlOf(connection);
  if (url === undefined) return undefined;
  const found = await findInBrand(documents, url, connection.agentUrl);
  if (found.ok || found.error !== 'agent_not_in_brand_json') return undefined;
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
): Promise<Result<FoundInBrand, KeyFailure>> {
  let at = url;
  for (let hop = 0; hop < 2; hop += 1) {
    const { outcome } = await brands.get(at);
    if (!outcome.ok) return outcome;
    const found = findAgent(outcome.value, agentUrl);
    if (!found.ok) return found;
    if (found.value.kind === 'agent') {
      const { jwksUri } = found.value;
      return ok({ document: outcome.value, at, ...(jwksUri === undefined ? {} : { jwksUri }) });
    }
    at = found.value.url;
  }
  return err('brand_json_malformed');
}

async function lastDocument(
  { brands }: KeyDocuments,
  url: string,
  agentUrl: string,
): Promise<JsonValue | undefined> {
  const { outcome } = await brands.get(url);
  if (!outcome.ok) return undefined;
  const found = findAgent(outcome.value, agentUrl);
  if (!found.ok || found.value.kind === 'agent') return outcome.value;
  const next = (await brands.get(found.value.url)).outcome;
  return next.ok ? next.value : undefined;
}

/** A brand.json that the agent itself named counts when it is of the agent's own site, or authorises it. */
function mayVouch(brandJsonUrl: string, agentHost: string, document: JsonValue): boolean {
  if (isSameSite(new URL(brandJsonUrl).hostname, agentHost)) return true;
  return authorizedOperators(document).some((domain) => isWithin(agentHost, domain.toLowerCase()));
}

/** Purposes of keys that sign messages; keys of governance have to live elsewhere. */
const transport = ['request_signing', 'webhook_signing'] as const;

/** Whether the key set is where the agent says that its keys are. Who says nothing is held to nothing. */
function judgeOrigins({ capabilities }: KeyedConnection, jwksUri: string): KeyFailure | undefined {
  const origins = capabilities?.keyOrigins;
  if (origins === undefined) return undefined;
  const host = hostOf(jwksUri);
  const declared = transport.flatMap((purpose) => origins[purpose] ?? []);
  if (declared.some((origin) => hostOf(origin) !== host)) return 'key_origin_mismatch';
  if (capabilities?.webhookSigning === true && origins['webhook_signing'] === undefined) {
    return 'key_origin_missing';
  }
  const governance = origins['governance_signing'];
  return governance !== undefined && hostOf(governance) === host ? 'key_origin_mismatch' : undefined;
}

/** Lower case and A-labels, as `URL` writes them; what is no address is equal to nothing else. */
function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : `no address: ${url}`;
}
