import { isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';
import { cut, shownAddress } from '../keys/discovery-failure.js';
import { objectsIn } from '../keys/read-adagents.js';
import type { CandidateKind, NotOffered } from './candidate.js';
import { isAgentUrl } from './read-offers.js';
import { bare } from './selectors.js';

const mostEntries = 2_000;

/** What one brand.json says about agents and about properties of publishers. */
export interface BrandOffers {
  readonly agents: readonly BrandAgent[];
  readonly notOffered: readonly NotOffered[];
  /** Relations that the operator claims, by the property's identifier. */
  readonly relations: ReadonlyMap<string, string>;
}

interface BrandAgent {
  readonly agentUrl: string;
  readonly kinds: readonly CandidateKind[];
  readonly entry: string;
}

const connected: ReadonlySet<string> = new Set<CandidateKind>(['sales', 'signals', 'governance', 'rights']);

/** Reads the agents of a brand.json in each of its variants (docs/protocol/signing.md#discovery-of-keys). */
export function readBrandOffers(document: JsonObject): BrandOffers {
  const { house, brands, brand_agent: only } = document;
  const lists: (readonly [string, JsonValue | undefined])[] = [['/agents', document['agents']]];
  if (isJsonObject(house)) lists.push(['/house/agents', house['agents']]);
  for (const [index, { agents }] of objectsIn(brands).slice(0, mostEntries).entries())
    lists.push([`/brands/${index}/agents`, agents]);
  if (isJsonObject(only)) lists.push(['/brand_agent', [{ type: 'brand', ...only }]]);
  const byUrl = new Map<string, { readonly type: string; readonly id: string; readonly keys: string }[]>();
  const entries = new Map<string, string>();
  const notOffered: NotOffered[] = [];
  for (const [pointer, list] of lists)
    for (const [index, agent] of (Array.isArray(list) ? list : []).slice(0, mostEntries).entries()) {
      const url = isJsonObject(agent) ? agent['url'] : undefined;
      if (!isJsonObject(agent) || typeof url !== 'string' || !isAgentUrl(url)) {
        const why = 'The entry of the brand.json has no https address of an agent.';
        notOffered.push({ agentUrl: typeof url === 'string' ? cut(url) : '', code: 'malformed', why });
        continue;
      }
      const { type, id, jwks_uri: jwksUri } = agent;
      const found = { type: textOr(type), id: textOr(id), keys: textOr(jwksUri) };
      byUrl.set(url, [...(byUrl.get(url) ?? []), found]);
      if (!entries.has(url)) entries.set(url, `${pointer}/${index}`);
    }
  const agents: BrandAgent[] = [];
  for (const [url, found] of byUrl) {
    const types = [...new Set(found.map(({ type }) => type))];
    const kinds = types.filter((type): type is CandidateKind => connected.has(type));
    const keySets = new Set(found.map(({ keys }) => keys));
    const ids = new Set(found.map(({ id, type }) => `${type} ${id}`));
    if (keySets.size > 1 || ids.size > types.length) {
      const why = `The brand.json has ${found.length} entries for this address: it is not clear which keys are its own.`;
      notOffered.push({ agentUrl: shownAddress(url), code: 'ambiguous', why });
    } else if (kinds.length > 0) agents.push({ agentUrl: url, kinds, entry: entries.get(url) ?? '' });
    else {
      const why = `It is an agent of the type ${types.map(cut).join(', ')}: such an agent sells nothing and decides nothing.`;
      notOffered.push({ agentUrl: shownAddress(url), code: 'not_a_seller', why });
    }
  }
  return { agents, notOffered, relations: relationsIn(document) };
}

const textOr = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '');

function relationsIn(document: JsonObject): ReadonlyMap<string, string> {
  const all = [document, ...objectsIn(document['brands'])].flatMap(({ properties }) => objectsIn(properties));
  return new Map(
    all.flatMap(({ identifier, relationship }) =>
      typeof identifier === 'string' && typeof relationship === 'string'
        ? [[bare(identifier), relationship]]
        : [],
    ),
  );
}
