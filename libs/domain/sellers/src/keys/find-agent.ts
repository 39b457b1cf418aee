import type { KeyFailure } from '@switchyard/signing';
import { err, isJsonObject, ok, type JsonObject, type JsonValue, type Result } from '@switchyard/values';

/** What a brand.json says about one agent: where its keys are, or which document to ask instead. */
export type AgentFinding =
  | { readonly kind: 'agent'; readonly url: string; readonly jwksUri?: string }
  | { readonly kind: 'elsewhere'; readonly url: string };

/**
 * Looks an agent up in a brand.json, in any of its five variants: a pointer to another document, a house's name, one
 * brand's agent, a house with its brands, one brand's own document.
 *
 * The URL has to be equal byte for byte: a trailing slash makes another agent. Entries of brands override those of
 * the house. Several entries that name different key sets are ambiguous.
 */
export function findAgent(document: JsonValue, agentUrl: string): Result<AgentFinding, KeyFailure> {
  if (!isJsonObject(document)) return err('brand_json_malformed');
  const located = document['authoritative_location'];
  if (typeof located === 'string') return ok({ kind: 'elsewhere', url: located });
  const { house } = document;
  if (typeof house === 'string') {
    if (!/^[a-z0-9.-]+(?::[0-9]+)?$/i.test(house)) return err('brand_json_malformed');
    return ok({ kind: 'elsewhere', url: `https://${house}/.well-known/brand.json` });
  }
  const levels = [
    objectsIn(document['brands']).flatMap((brand) => objectsIn(brand['agents'])),
    objectsIn(document['agents']),
    isJsonObject(house) ? objectsIn(house['agents']) : [],
    isJsonObject(document['brand_agent']) ? [document['brand_agent']] : [],
  ];
  for (const level of levels) {
    const matches = level.filter((entry) => entry['url'] === agentUrl);
    const [first] = matches;
    if (first === undefined) continue;
    if (new Set(matches.map((entry) => entry['jwks_uri'] ?? '')).size > 1) return err('brand_json_ambiguous');
    const jwksUri = first['jwks_uri'];
    if (jwksUri === undefined) return ok({ kind: 'agent', url: agentUrl });
    return typeof jwksUri === 'string'
      ? ok({ kind: 'agent', url: agentUrl, jwksUri })
      : err('brand_json_malformed');
  }
  return err('agent_not_in_brand_json');
}

/** Domains that a brand.json lets act for it. */
export function authorizedOperators(document: JsonValue): readonly string[] {
  const operators = isJsonObject(document) ? document['authorized_operators'] : undefined;
  return objectsIn(operators)
    .map((operator) => operator['domain'])
    .filter((domain) => typeof domain === 'string');
}

function objectsIn(list: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
}
