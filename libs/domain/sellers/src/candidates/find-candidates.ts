import { ok, type Result } from '@switchyard/values';
import type { Candidate, NotOffered } from './candidate.js';
import { originOfDomain, readFindInput, siteOfUrl, type FindInput } from './find-input.js';
import { mergeOffers, type PublisherSide } from './merge-offers.js';
import { remember } from './publisher-memory.js';
import { notRead, type DocumentRow } from './read-publisher-file.js';
import { readAdagentsSide, readBrandSide, type FindDeps } from './read-sides.js';

/** The agents that were found, and why others are not offered. */
export interface FoundAgents {
  readonly input: FindInput;
  /** The best first. */
  readonly candidates: readonly Candidate[];
  readonly notOffered: readonly NotOffered[];
  readonly documents: readonly DocumentRow[];
  /** What to do where no agent was found. */
  readonly advice?: string;
  /** Stores what was read, so that an older document is recognized later. */
  remember(): Promise<void>;
}

const mostCandidates = 200;
/** How many operators' own documents are read beside the publisher's. */
const mostOperators = 5;

/**
 * Finds the agents that may sell for what was given: reads the publisher's adagents.json and the brand.json of it and of
 * the operators that it names, and compares both sides (docs/protocol/sellers.md#candidates). Stores nothing, but
 * compares with what is stored of the domain. Fails with a text for the person who asked.
 */
export async function findCandidates(deps: FindDeps, given: string): Promise<Result<FoundAgents, string>> {
  const read = readFindInput(given);
  if (!read.ok) return read;
  const input = read.value;
  const now = deps.clock.now();
  const reads = [
    readAdagentsSide(deps, { url: adagentsUrlOf(input), domain: input.domain }, now),
    readBrandSide(deps, brandUrlOf(input)),
  ] as const;
  const [publisher, brand] = await Promise.all(reads);
  const offered = publisher.side?.offers ?? [];
  const sites = [...new Set([...offered.map(({ agentUrl }) => agentUrl), ...ownAgent(input)].map(siteOfUrl))];
  const operators = await Promise.all(
    sites
      .filter((site) => site !== input.domain && site !== siteOfUrl(input.url))
      .slice(0, mostOperators)
      .map((site) => readBrandSide(deps, `${originOfDomain(site)}/.well-known/brand.json`)),
  );
  const sides = [brand, ...operators];
  const merged = mergeOffers({
    ...(input.kind === 'agent' ? { asked: input.url } : {}),
    publisher: publisher.side,
    publisherName: input.domain,
    operators: sides.flatMap(({ side }) => side ?? []),
    // Only the agents of the site that was asked: those of an operator are evidence for what the publisher names.
    offersOf: brand.side,
  });
  const judged = await withoutBlocked(deps, merged.candidates.slice(0, mostCandidates));
  const candidates = judged.candidates;
  const documents = [...publisher.rows, ...sides.flatMap(({ rows }) => rows)];
  const advice = candidates.length > 0 ? undefined : adviceOn(input, publisher.side, documents);
  return ok({
    input,
    candidates,
    notOffered: [...merged.notOffered, ...judged.blocked],
    documents,
    ...(advice === undefined ? {} : { advice }),
    remember: async () => {
      if (publisher.fresh !== undefined)
        await remember(deps.documents, adagentsUrlOf(input), publisher.fresh, now);
    },
  });
}

const ownAgent = (input: FindInput): readonly string[] => (input.kind === 'agent' ? [input.url] : []);

function adagentsUrlOf({ kind, url, domain }: FindInput): string {
  return kind === 'adagents' ? url : `${originOfDomain(domain)}/.well-known/adagents.json`;
}

function brandUrlOf({ kind, url, domain }: FindInput): string {
  return kind === 'brand' ? url : `${originOfDomain(domain)}/.well-known/brand.json`;
}

async function withoutBlocked(
  { egress }: FindDeps,
  candidates: readonly Candidate[],
): Promise<{ readonly candidates: readonly Candidate[]; readonly blocked: readonly NotOffered[] }> {
  const judged = await Promise.all(
    candidates.map(async (candidate) => ({ candidate, verdict: await egress.checkUrl(candidate.agentUrl) })),
  );
  return {
    candidates: judged.flatMap(({ candidate, verdict }) => (verdict.ok ? [candidate] : [])),
    blocked: judged.flatMap(({ candidate: { agentUrl }, verdict }) =>
      verdict.ok
        ? []
        : [{ agentUrl, code: 'blocked_address', why: `It is not called: ${verdict.error.message}.` }],
    ),
  };
}

function adviceOn(
  { domain }: FindInput,
  side: PublisherSide | undefined,
  rows: readonly DocumentRow[],
): string {
  const byAddress =
    'If you know its address, add it with that: switchyard sellers add https://ADDRESS. It then counts as not confirmed by the publisher.';
  if (rows.length > 0 && rows.every(({ why }) => why?.startsWith(notRead) === true))
    return `${domain} gave no answer, so that nothing is known of what it publishes. Check the domain, or try again. ${byAddress}`;
  const unusable = rows.find(({ state, why }) => state === 'refused' && why !== undefined);
  if (side === undefined && unusable !== undefined)
    return `What ${domain} publishes could not be used: ${unusable.url}: ${unusable.why ?? ''} Ask the publisher to correct it. ${byAddress}`;
  const unread = rows.find(({ why }) => why?.startsWith(notRead) === true);
  if (side === undefined && unread !== undefined)
    return `${unread.url} could not be read, so that nothing is known of what ${domain} publishes there. Try again later. ${byAddress}`;
  if (side === undefined)
    return `${domain} publishes no document that names an agent. Ask the publisher to put one at ${originOfDomain(domain)}/.well-known/adagents.json, or to tell you the address of its agent. ${byAddress}`;
  if (side.isSilent)
    return `${domain} lists what it has, and names nobody who sells it. Ask the publisher which agent sells for it. ${byAddress}`;
  return `${domain} names agents, and none of them may be offered: the reasons are beside each. Ask the publisher to correct its document. ${byAddress}`;
}
