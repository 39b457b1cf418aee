import {
  defined,
  isJsonObject,
  isoOf,
  type Instant,
  type JsonObject,
  type JsonValue,
} from '@switchyard/values';
import { cut } from '../keys/discovery-failure.js';
import { instantOf } from '../keys/read-adagents.js';
import type { Delegation } from '../publishers/read-authorizations.js';
import type { CandidateKind, CandidateProblem, CandidateTerms, NotOffered } from './candidate.js';
import {
  bare,
  isForSignals,
  propertiesOf,
  reached,
  selectorFault,
  type OfferQuestion,
  type Properties,
} from './selectors.js';

/** One entry of `authorized_agents` that may be used now. */
export interface Offer {
  readonly agentUrl: string;
  readonly kind: CandidateKind;
  readonly terms: CandidateTerms;
  readonly problems: readonly CandidateProblem[];
  /** JSON pointer. */
  readonly entry: string;
}

/** What an adagents.json says about who may sell for a publisher. */
export interface Offers {
  readonly offers: readonly Offer[];
  readonly notOffered: readonly NotOffered[];
  /** True if it names nobody: such a document only lists properties. */
  readonly isSilent: boolean;
}

/** Each is compared with all properties of the document, of which a network has thousands. */
const mostEntries = 500;

/**
 * Reads the agents of an adagents.json, entry by entry: one that is wrong is left out with its reason and never spoils
 * the others (docs/protocol/sellers.md#candidates). A revocation of the publisher beats every other mention.
 */
export function readOffers(document: JsonObject, question: OfferQuestion): Offers {
  const list = document['authorized_agents'];
  if (!Array.isArray(list)) {
    const why = 'The document has no list authorized_agents, which it must have.';
    return { offers: [], notOffered: [{ agentUrl: '', code: 'malformed', why }], isSilent: true };
  }
  const properties = propertiesOf(document, question);
  const isRevoked =
    question.publisher !== undefined && revokedIn(document, question).has(bare(question.publisher));
  const offers: Offer[] = [];
  const notOffered: NotOffered[] = [];
  for (const [index, entry] of list.slice(0, mostEntries).entries()) {
    const url = isJsonObject(entry) ? entry['url'] : undefined;
    const agentUrl = typeof url === 'string' ? cut(url) : '';
    const judged = isRevoked ? revoked : judge(entry, url, properties, question);
    if ('code' in judged) notOffered.push({ agentUrl, ...judged });
    else if (isJsonObject(entry) && typeof url === 'string')
      offers.push(offerOf(entry, url, { index, properties, ...judged }));
  }
  return { offers, notOffered, isSilent: list.length === 0 };
}

type Refusal = Omit<NotOffered, 'agentUrl'>;

const revoked: Refusal = {
  code: 'revoked',
  why: 'The document revokes this publisher, and that beats every other mention of it.',
};

/** The domains that a document revokes, with those that are held from an earlier one. */
export function revokedIn(
  document: JsonObject,
  { heldRevoked }: Pick<OfferQuestion, 'heldRevoked'>,
): ReadonlySet<string> {
  const list = document['revoked_publisher_domains'];
  const named = (Array.isArray(list) ? list : [])
    .map((entry) => (isJsonObject(entry) ? entry['publisher_domain'] : entry))
    .filter((domain) => typeof domain === 'string');
  return new Set([...named.map(bare), ...heldRevoked]);
}

/** Why an entry is not offered, or how many properties it covers; undefined if that is not known. */
function judge(
  entry: JsonValue,
  url: JsonValue | undefined,
  properties: Properties,
  question: OfferQuestion,
): Refusal | { readonly covers: number | undefined } {
  if (!isJsonObject(entry) || typeof url !== 'string' || !isAgentUrl(url))
    return { code: 'malformed', why: 'The entry has no https address of an agent.' };
  const selector = selectorFault(entry);
  if (selector !== undefined) return { code: 'malformed_selector', why: selector };
  const window = windowFault(entry, question.now);
  if (window !== undefined) return window;
  if (isForSignals(entry)) return { covers: undefined };
  const covers = reached(entry, properties, question);
  if (covers !== 0) return { covers };
  return { code: 'not_covered', why: 'The entry covers no property of this publisher.' };
}

/** Whether a text is an address that an agent may have: https, or http on loopback; without user name and fragment. */
export function isAgentUrl(text: string): boolean {
  if (text.length > 2_048 || !URL.canParse(text)) return false;
  const { protocol, hostname, username, password, hash } = new URL(text);
  const isLocal = protocol === 'http:' && /^(?:127\.0\.0\.1|localhost|\[::1\])$/.test(hostname);
  return (protocol === 'https:' || isLocal) && username === '' && password === '' && hash === '';
}

function windowFault(entry: JsonObject, now: Instant): Refusal | undefined {
  const at = (member: string): Instant | undefined | 'unreadable' => {
    const value = entry[member];
    return value === undefined || value === null ? undefined : (instantOf(value) ?? 'unreadable');
  };
  const [from, until] = [at('effective_from'), at('effective_until')];
  if (from === 'unreadable' || until === 'unreadable')
    return { code: 'window_unreadable', why: 'Its effective_from or effective_until is no date and time.' };
  if (from !== undefined && now < from)
    return { code: 'not_yet', why: `The publisher lets it sell from ${isoOf(from)} on.` };
  if (until !== undefined && until <= now)
    return { code: 'window_over', why: `The publisher let it sell until ${isoOf(until)}.` };
  return undefined;
}

const delegations: readonly JsonValue[] = ['direct', 'delegated', 'ad_network'];

function offerOf(
  entry: JsonObject,
  agentUrl: string,
  {
    index,
    properties,
    covers,
  }: { readonly index: number; readonly properties: Properties; readonly covers: number | undefined },
): Offer {
  const { delegation_type: delegation, exclusive, countries, authorization_type: type } = entry;
  const [from, until] = [entry['effective_from'], entry['effective_until']];
  const isSignals = isForSignals(entry);
  const problems: CandidateProblem[] = [];
  if (properties.skipped > 0)
    problems.push({
      code: 'property_skipped',
      why: `${properties.skipped} of the document's properties lack a type or identifiers, and were left out.`,
    });
  if (type === undefined || type === null)
    problems.push({
      code: 'no_selector',
      why: 'The entry does not say for which properties: it is an older document.',
    });
  return {
    agentUrl,
    kind: isSignals ? 'signals' : 'sales',
    entry: `/authorized_agents/${index}`,
    problems,
    terms: {
      ...(delegations.includes(delegation ?? null) ? { delegation_type: delegation as Delegation } : {}),
      ...(typeof exclusive === 'boolean' ? { exclusive } : {}),
      ...(Array.isArray(countries)
        ? {
            countries: countries
              .filter((country) => typeof country === 'string')
              .slice(0, 250)
              .map(cut),
          }
        : {}),
      ...(typeof from === 'string' || typeof until === 'string'
        ? { window: defined({ from: textOf(from), until: textOf(until) }) }
        : {}),
      ...(typeof type === 'string' ? { selector: type } : {}),
      ...defined({ covers }),
    },
  };
}

const textOf = (value: JsonValue | undefined): string | undefined =>
  typeof value === 'string' ? cut(value) : undefined;
