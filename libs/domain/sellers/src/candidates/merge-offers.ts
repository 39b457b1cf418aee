import { agentKey } from '../publishers/read-authorizations.js';
import {
  compareCandidates,
  compareTerms,
  type Candidate,
  type CandidateKind,
  type CandidateProblem,
  type FoundIn,
  type NotOffered,
} from './candidate.js';
import type { BrandOffers } from './read-brand-offers.js';
import type { Offer, Offers } from './read-offers.js';
import { bare } from './selectors.js';

type Source = Pick<FoundIn, 'url' | 'sha256' | 'fetchedAt'>;

/** What a publisher's own document says. */
export interface PublisherSide extends Offers {
  readonly file: Source;
  /** Why the stored document counts instead of the current one. */
  readonly held?: 'rolled_back' | 'pointer_changed' | 'unreadable';
}

/** What one operator's brand.json says. */
export interface OperatorSide extends BrandOffers {
  readonly file: Source;
}

interface Sides {
  /** The agent's address, if that was asked. */
  readonly asked?: string;
  readonly publisher: PublisherSide | undefined;
  readonly publisherName: string;
  readonly operators: readonly OperatorSide[];
  /** The brand.json of the site that was asked: its agents are offered, too. */
  readonly offersOf: OperatorSide | undefined;
}

/** Merges what both sides say into one candidate per address, and orders them. */
export function mergeOffers(sides: Sides): {
  readonly candidates: readonly Candidate[];
  readonly notOffered: readonly NotOffered[];
} {
  const { asked, publisher, offersOf, operators } = sides;
  const notOffered = [...(publisher?.notOffered ?? []), ...operators.flatMap((side) => side.notOffered)];
  const refused = new Set(notOffered.map(({ agentUrl }) => agentUrl));
  const byKey = new Map<string, readonly Offer[]>();
  for (const offer of publisher?.offers ?? [])
    byKey.set(agentKey(offer.agentUrl), [...(byKey.get(agentKey(offer.agentUrl)) ?? []), offer]);
  const urls = [
    ...[...byKey.values()].flatMap(([first]) => first?.agentUrl ?? []),
    ...(offersOf?.agents ?? []).map(({ agentUrl }) => agentUrl).filter((url) => !byKey.has(agentKey(url))),
    ...(asked !== undefined && !byKey.has(agentKey(asked)) ? [asked] : []),
  ];
  // An address that was asked is the only one that is wanted.
  const wanted = [...new Set(urls)].filter((url) => asked === undefined || agentKey(url) === agentKey(asked));
  const isRefused = (url: string): boolean => refused.has(url) && !byKey.has(agentKey(url));
  const candidates = wanted
    .filter((url) => !isRefused(url))
    .map((url) => candidateOf(url, byKey.get(agentKey(url)) ?? [], sides));
  const ambiguous = new Set(
    operators
      .flatMap((side) => side.notOffered)
      .flatMap(({ agentUrl, code }) => (code === 'ambiguous' ? [agentUrl] : [])),
  );
  return {
    candidates: candidates.filter(({ agentUrl }) => !ambiguous.has(agentUrl)).toSorted(compareCandidates),
    notOffered:
      asked === undefined
        ? notOffered
        : notOffered.filter(({ agentUrl }) => agentKey(agentUrl) === agentKey(asked)),
  };
}

function candidateOf(agentUrl: string, offers: readonly Offer[], sides: Sides): Candidate {
  const listings = sides.operators.flatMap((side) =>
    side.agents
      .filter((agent) => agentKey(agent.agentUrl) === agentKey(agentUrl))
      .map((agent) => ({ agent, side })),
  );
  const byOperator = listings.filter(({ agent }) => agent.agentUrl === agentUrl);
  const { file, held } = sides.publisher ?? {};
  const foundIn: FoundIn[] = [
    ...(file === undefined
      ? []
      : offers.map(({ entry }) => ({ document: 'adagents.json' as const, ...fileOf(file), entry }))),
    ...byOperator.map(({ agent: { entry }, side }) => ({
      document: 'brand.json' as const,
      ...fileOf(side.file),
      entry,
    })),
  ];
  const kinds = new Set<CandidateKind>([
    ...byOperator.flatMap(({ agent }) => agent.kinds),
    ...offers.map(({ kind }) => kind),
  ]);
  const problems = new Map<string, CandidateProblem>();
  const add = (code: string, why: string) => problems.set(code, { code, why });
  for (const { code, why } of offers.flatMap((offer) => offer.problems)) add(code, why);
  if (held !== undefined && offers.length > 0) add(held, heldProblems[held]);
  if (offers.length === 0 && byOperator.length === 0)
    add('unconfirmed', `No document of ${sides.publisherName} confirms this agent.`);
  else if (offers.length === 0)
    add('unconfirmed_by_publisher', 'Its operator lists it; no publisher was asked about it.');
  const [spelled] = listings;
  if (byOperator.length === 0 && spelled !== undefined)
    add(
      'spelled_otherwise',
      `The brand.json of its operator spells the address ${spelled.agent.agentUrl}: its keys are not found under this one.`,
    );
  const difference = relationDifference(offers, sides);
  if (difference !== undefined) add('relationship_differs', difference);
  return {
    agentUrl,
    // What is known only by its address may sell anything: its capabilities say what.
    kinds: kinds.size === 0 ? [] : [...kinds],
    foundIn,
    agrees: agreementOf(offers.length > 0, byOperator.length > 0),
    says: offers.map(({ terms }) => terms).toSorted(compareTerms),
    problems: [...problems.values()],
  };
}

const heldProblems = {
  rolled_back: 'The domain serves an older document than the stored one, which is used instead.',
  pointer_changed: 'The domain points to another document since it was read last; the stored one is used.',
  unreadable: 'The domain does not answer now; its document as it was read last is used.',
} as const;

const fileOf = ({ url, sha256, fetchedAt }: Source): Source => ({ url, sha256, fetchedAt });

function agreementOf(byPublisher: boolean, byOperator: boolean): Candidate['agrees'] {
  if (byPublisher) return byOperator ? 'both' : 'publisher_only';
  return byOperator ? 'operator_only' : 'neither';
}

/** What an operator claims of a publisher must be what the publisher says of the agent. */
function relationDifference(
  offers: readonly Offer[],
  { operators, publisherName }: Sides,
): string | undefined {
  const said = offers.flatMap(({ terms }) => terms.delegation_type ?? []);
  const claimed = operators
    .map(({ relations }) => relations.get(bare(publisherName)))
    .find((one) => one !== undefined);
  if (claimed === undefined || said.length === 0) return undefined;
  const agrees = said.some((one) => one === claimed || (claimed === 'owned' && one === 'direct'));
  return agrees ? undefined : `The publisher says ${said.join(', ')}, and the operator claims ${claimed}.`;
}
