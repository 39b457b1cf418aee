import { isJsonObject, type Instant, type JsonObject, type JsonValue } from '@switchyard/values';
import { isTakenBack } from '../keys/read-adagents.js';

/** How the publisher sees the way: its own one, one on its behalf, or part of a network. */
export type Delegation = 'direct' | 'delegated' | 'ad_network';

/** One entry of an adagents.json for one agent, which counts from and until these times. */
export interface AgentAuthorization {
  readonly delegation?: Delegation;
  readonly from: Instant;
  readonly until: Instant;
}

/** Whom a publisher's adagents.json lets sell its inventory. */
export interface Authorizations {
  /** By `agentKey`. */
  readonly byAgent: ReadonlyMap<string, readonly AgentAuthorization[]>;
  /** True where it names no agent at all: a catalogue that says nothing of who may sell. */
  readonly isSilent: boolean;
  /** True where a network says that it stands for this publisher no longer: it lets nobody sell. */
  readonly isTakenBack: boolean;
  /** True where there was more than is kept: an agent that is not found may be listed after all. */
  readonly isCut: boolean;
  readonly lastUpdated?: Instant;
}

const mostEntries = 2_000;
const delegations: readonly JsonValue[] = ['direct', 'delegated', 'ad_network'];

/** A slash at the end of an agent's address is the one difference that is no difference; it is often got wrong. */
export function agentKey(url: string): string {
  return URL.canParse(url) ? new URL(url).href.replace(/\/$/, '') : url;
}

/**
 * Reads who may sell what is `publisher`'s (adagents.json of 2.5 to 3.1). A network lists many publishers in one
 * document, so an entry counts only where it reaches something of this one. One for signals lets nobody sell inventory.
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
    isTakenBack: isTakenBack(document, publisher),
    isCut: agents.length > mostEntries,
    ...(lastUpdated === undefined ? {} : { lastUpdated }),
  };
}

/** Times that cannot be read do not widen a window: it is not open then. */
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
      return objectsIn(agent['properties']).some((one) => isOf(one, publisher));
    case 'publisher_properties':
      return objectsIn(agent['publisher_properties']).some(
        (one) => one['publisher_domain'] === publisher || listed(one['publisher_domains'], publisher),
      );
    default:
      return true;
  }
}

/** A document without a list of properties says nothing of whose they are: they are those of who publishes it. */
function anyOf(document: JsonObject, publisher: string, isMeant: (property: JsonObject) => boolean): boolean {
  if (!Array.isArray(document['properties'])) return true;
  return objectsIn(document['properties']).some((one) => isOf(one, publisher) && isMeant(one));
}

function isOf({ publisher_domain: domain }: JsonObject, publisher: string): boolean {
  return domain === undefined || domain === publisher;
}

function listed(list: JsonValue | undefined, one: JsonValue | undefined): boolean {
  return one !== undefined && Array.isArray(list) && list.includes(one);
}

function objectsIn(list: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
}

function instantOf(value: JsonValue | undefined): Instant | undefined {
  const at = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? undefined : at;
}
