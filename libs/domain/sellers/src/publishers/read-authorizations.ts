import type { Instant, JsonObject, JsonValue } from '@switchyard/values';
import { objectsIn, instantOf, isPublisherRevoked } from '../keys/read-adagents.js';

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
  const byAgent = new Map<string, AgentAuthorization[]>();
  for (const agent of agents.slice(0, mostEntries)) {
    const { url } = agent;
    if (typeof url !== 'string' || !reaches(agent, document, publisher)) continue;
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

function reaches(agent: JsonObject, document: JsonObject, publisher: string): boolean {
  switch (agent['authorization_type']) {
    case 'signal_ids':
    case 'signal_tags':
      return false;
    case 'property_ids':
      return anyOf(document, publisher, ({ property_id: id }) => listed(agent['property_ids'], id));
    case 'property_tags':
      return anyOf(document, publisher, ({ tags }) =>
        Array.isArray(tags) ? tags.some((tag) => listed(agent['property_tags'], tag)) : false,
      );
    case 'inline_properties':
      return objectsIn(agent['properties']).some((property) => isOf(property, publisher));
    case 'publisher_properties':
      return objectsIn(agent['publisher_properties']).some(
        (publisherProperty) =>
          publisherProperty['publisher_domain'] === publisher ||
          listed(publisherProperty['publisher_domains'], publisher),
      );
    default:
      return true;
  }
}

/** If a document lists no properties, they are assumed to belong to the publisher of the document. */
function anyOf(document: JsonObject, publisher: string, isMeant: (property: JsonObject) => boolean): boolean {
  if (!Array.isArray(document['properties'])) return true;
  return objectsIn(document['properties']).some((property) => isOf(property, publisher) && isMeant(property));
}

function isOf({ publisher_domain: domain }: JsonObject, publisher: string): boolean {
  return domain === undefined || domain === publisher;
}

function listed(list: JsonValue | undefined, value: JsonValue | undefined): boolean {
  return value !== undefined && Array.isArray(list) && list.includes(value);
}
