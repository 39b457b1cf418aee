import { err, isJsonObject, ok, type JsonObject, type JsonValue, type Result } from '@switchyard/values';
import { cut, shownAddress, type DiscoveryFailure, type MatchedEntry } from './discovery-failure.js';
import { objectsIn } from './read-adagents.js';

/** What a brand.json contains about one agent: the address of its keys, or the document that replaces this one. */
type AgentFinding =
  | { readonly kind: 'agent'; readonly url: string; readonly jwksUri?: string }
  | { readonly kind: 'elsewhere'; readonly url: string };

/**
 * Finds an agent in a brand.json, in any of its five variants: a pointer to another document, a house's name, one
 * brand's agent, a house with its brands, one brand's own document.
 *
 * URLs must be equal byte for byte: a trailing slash makes another agent. Entries of brands override those of the
 * house. Several entries that name different key sets are ambiguous. `at` is the URL of the document.
 */
export function findAgent(
  document: JsonValue,
  agentUrl: string,
  at: string,
): Result<AgentFinding, DiscoveryFailure> {
  const pointer = pointerOf(document);
  if (!pointer.ok) return err(malformed(at, pointer.error));
  if (pointer.value !== undefined) return ok({ kind: 'elsewhere', url: pointer.value });
  if (!isJsonObject(document)) return err(malformed(at, notAnObject));
  for (const level of levelsOf(document)) {
    const matches = level.filter((entry) => entry['url'] === agentUrl);
    const [first] = matches;
    if (first === undefined) continue;
    if (new Set(matches.map((entry) => entry['jwks_uri'] ?? '')).size > 1) return err(ambiguous(matches));
    const jwksUri = first['jwks_uri'];
    if (jwksUri === undefined) return ok({ kind: 'agent', url: agentUrl });
    return typeof jwksUri === 'string'
      ? ok({ kind: 'agent', url: agentUrl, jwksUri })
      : err(malformed(at, 'the jwks_uri of the agent is no text'));
  }
  const details = { agent_url: shownAddress(agentUrl), brand_json_url: shownAddress(at) };
  return err({ code: 'agent_not_in_brand_json', details });
}

export function malformed(at: string, why: string): DiscoveryFailure {
  return {
    code: 'brand_json_malformed',
    details: { brand_json_url: shownAddress(at), parse_error: cut(why) },
  };
}

/** Maximum entries that an ambiguity reports; the rest is only counted. */
const mostShown = 5;
const notAnObject = 'the document is no object';

function ambiguous(matches: readonly JsonObject[]): DiscoveryFailure {
  const text = (value: JsonValue | undefined): string | null =>
    typeof value === 'string' ? cut(value) : null;
  const shown = matches.slice(0, mostShown).map(({ url, type, id, jwks_uri: jwksUri }): MatchedEntry => ({
    url: typeof url === 'string' ? shownAddress(url) : '',
    type: text(type),
    id: text(id),
    jwks_uri: typeof jwksUri === 'string' ? shownAddress(jwksUri) : null,
  }));
  return {
    code: 'brand_json_ambiguous',
    details: { matched_count: matches.length, matched_entries: shown },
  };
}

/** Returns the URL of the document that replaces this one; undefined if there is none. Fails with a reason as text. */
export function pointerOf(document: JsonValue): Result<string | undefined, string> {
  if (!isJsonObject(document)) return err(notAnObject);
  const located = document['authoritative_location'];
  if (typeof located === 'string') return ok(located);
  const { house } = document;
  if (typeof house !== 'string') return ok(undefined);
  if (!/^[a-z0-9.-]+(?::[0-9]+)?$/i.test(house)) return err('its house is no domain');
  return ok(`https://${house}/.well-known/brand.json`);
}

/** Lists entries of brands before those of the house. The first level that contains the agent decides. */
function levelsOf(document: JsonObject): readonly (readonly JsonObject[])[] {
  const { house } = document;
  return [
    objectsIn(document['brands']).flatMap((brand) => objectsIn(brand['agents'])),
    objectsIn(document['agents']),
    isJsonObject(house) ? objectsIn(house['agents']) : [],
    isJsonObject(document['brand_agent']) ? [document['brand_agent']] : [],
  ];
}

/**
 * Finds an entry whose URL differs from the agent's only by a trailing slash or by spelling. It explains to an admin
 * why the agent is not found; it never makes the agent accepted.
 */
export function nearMiss(document: JsonValue, agentUrl: string): string | undefined {
  if (!isJsonObject(document)) return undefined;
  const urls = levelsOf(document)
    .flat()
    .map((entry) => entry['url'])
    .filter((url) => typeof url === 'string');
  const slash = urls.find((url) => url !== agentUrl && bare(url) === bare(agentUrl));
  if (slash !== undefined) return `brand.json has ${shownAddress(slash)}, which differs by a trailing slash`;
  const wanted = spelled(agentUrl);
  const other = urls.find((url) => spelled(url) === wanted);
  return other === undefined ? undefined : `brand.json has ${spelling(other)}, which is spelled otherwise`;
}

const bare = (url: string): string => url.replace(/\/$/, '');
const spelled = (url: string): string => (URL.canParse(url) ? bare(new URL(url).href) : url);

/** Keeps the spelling, because the message is about it, but removes parts that may be secret. */
function spelling(url: string): string {
  return cut(url.replace(/[?#].*$/s, '').replace(/\/\/[^/]*@/, '//'));
}

/** Key set URLs of a brand's governance agents. Only their keys may sign a list of revoked keys. */
export function governanceKeySets(document: JsonValue): readonly string[] {
  if (!isJsonObject(document)) return [];
  const agents = levelsOf(document)
    .flat()
    .filter((entry) => entry['type'] === 'governance');
  const addresses = agents.flatMap(({ jwks_uri: jwksUri, url }) => {
    if (typeof jwksUri === 'string') return [jwksUri];
    return typeof url === 'string' && URL.canParse(url)
      ? [`${new URL(url).origin}/.well-known/jwks.json`]
      : [];
  });
  return [...new Set(addresses)].slice(0, 5);
}

/** Domains that a brand.json authorizes to act for the brand. */
export function authorizedOperators(document: JsonValue): readonly string[] {
  const operators = isJsonObject(document) ? document['authorized_operators'] : undefined;
  return objectsIn(operators)
    .map((operator) => operator['domain'])
    .filter((domain) => typeof domain === 'string');
}
