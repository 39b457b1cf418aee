import type { Instant, JsonObject, JsonValue } from '@switchyard/values';
import { listHas, objectsIn, instantOf, isPublisherRevoked } from '../keys/read-adagents.js';

/** The publisher's relation to the agent: its own, acting for it, or part of a network. */
export type Delegation = 'direct' | 'delegated' | 'ad_network';

/** One entry of an adagents.json for one agent, valid from `from` and before `until`. */
interface AgentAuthorization {
  readonly delegation?: Delegation;
  readonly from: Instant;
  readonly until: Instant;
}

/** The agents that a publisher's adagents.json authorizes to sell its inventory. */
export interface Authorizations {
  /** By `agentKey`. */
  readonly byAgent: ReadonlyMap<string, readonly AgentAuthorization[]>;
  /** True if it lists no agent: such a document states nothing about who may sell. */
  readonly isSilent: boolean;
  /** True if a network's document revokes this publisher: then no agent is authorized. */
  readonly isRevoked: boolean;
  /** True if the list was cut: an agent that is not found may still be listed. */
  readonly isCut: boolean;
  readonly lastUpdated?: Instant;
}

const mostEntries = 2_000;
const delegations: readonly JsonValue[] = ['direct', 'delegated', 'ad_network'];

/** Normalizes an agent's URL. A trailing slash is ignored, because publishers often write it differently. */
export function agentKey(url: string): string {
  return URL.canParse(url) ? new URL(url).href.replace(/\/$/, '') : url;
}

/**
 * Reads which agents may sell inventory of `publisher` (adagents.json of 2.5 to 3.1). A network lists many publishers,
 * so an entry counts only if it covers a property of this one. Entries for signals authorize no inventory.
 */
export function readAuthorizations(document: JsonObject, publisher: string): Authorizations {
  const agents = objectsIn(document['authorized_agents']);
  const own = ownOf(document, publisher);
  const byAgent = new Map<string, AgentAuthorization[]>();
  for (const agent of agents.slice(0, mostEntries)) {
    const { url } = agent;
    if (typeof url !== 'string' || !reaches(agent, own, publisher)) continue;
    const key = agentKey(url);
    byAgent.set(key, [...(byAgent.get(key) ?? []), entryOf(agent)]);
  }
  const lastUpdated = instantOf(document['last_updated']);
  return {
    byAgent,
    isSilent: agents.length === 0,
    isRevoked: isPublisherRevoked(document, publisher),
    isCut: agents.length > mostEntries,
    ...(lastUpdated === undefined ? {} : { lastUpdated }),
  };
}

/** An unreadable time closes the period instead of extending it. */
function entryOf(agent: JsonObject): AgentAuthorization {
  const { delegation_type: delegation, effective_from: from, effective_until: until } = agent;
  return {
    ...(delegation !== undefined && delegations.includes(delegation)
      ? { delegation: delegation as Delegation }
      : {}),
    from: from === undefined || from === null ? -Infinity : (instantOf(from) ?? Infinity),
    until: until === undefined || until === null ? Infinity : (instantOf(until) ?? -Infinity),
  };
}

/** What a document lists of a publisher. */
interface OwnProperties {
  readonly ids: ReadonlySet<JsonValue | undefined>;
  readonly tags: ReadonlySet<JsonValue>;
}

/** Undefined if a document lists no properties: then they are assumed to belong to the publisher of the document. */
function ownOf({ properties }: JsonObject, publisher: string): OwnProperties | undefined {
  if (!Array.isArray(properties)) return undefined;
  const own = objectsIn(properties).filter((property) => isOf(property, publisher));
  const tags = own.flatMap(({ tags: list }) => (Array.isArray(list) ? list : []));
  return { ids: new Set(own.map(({ property_id: id }) => id)), tags: new Set(tags) };
}

function reaches(agent: JsonObject, own: OwnProperties | undefined, publisher: string): boolean {
  switch (agent['authorization_type']) {
    case 'signal_ids':
    case 'signal_tags':
      return false;
    case 'property_ids':
      return own === undefined || anyIn(agent['property_ids'], own.ids);
    case 'property_tags':
      return own === undefined || anyIn(agent['property_tags'], own.tags);
    case 'inline_properties':
      return objectsIn(agent['properties']).some((property) => isOf(property, publisher));
    case 'publisher_properties':
      return objectsIn(agent['publisher_properties']).some(
        (publisherProperty) =>
          publisherProperty['publisher_domain'] === publisher ||
          listHas(publisherProperty['publisher_domains'], publisher),
      );
    default:
      return true;
  }
}

function anyIn(list: JsonValue | undefined, known: ReadonlySet<JsonValue | undefined>): boolean {
  return Array.isArray(list) && list.some((item) => known.has(item));
}

function isOf({ publisher_domain: domain }: JsonObject, publisher: string): boolean {
  return domain === undefined || domain === publisher;
}
