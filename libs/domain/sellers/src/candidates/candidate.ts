import type { Delegation } from '../publishers/read-authorizations.js';

/** What agents of a brand.json are for, of those that can be connected. */
export type CandidateKind = 'sales' | 'signals' | 'governance' | 'rights';

/** How a publisher lets an agent sell, in the words of its adagents.json. */
export interface CandidateTerms {
  readonly delegation_type?: Delegation;
  readonly exclusive?: boolean;
  /** ISO 3166-1 alpha-2. Absent: all. */
  readonly countries?: readonly string[];
  /** RFC 3339. */
  readonly window?: { readonly from?: string; readonly until?: string };
  readonly selector?: string;
  /** How many properties of the publisher the selector meets; absent if that cannot be counted. */
  readonly covers?: number;
}

/** Something that an admin should know before the agent is added. */
export interface CandidateProblem {
  readonly code: string;
  readonly why: string;
}

/** Where an agent was found. */
export interface FoundIn {
  readonly document: 'adagents.json' | 'brand.json';
  readonly url: string;
  readonly sha256: string;
  /** Milliseconds since 1970. */
  readonly fetchedAt: number;
  /** JSON pointer of the entry. */
  readonly entry: string;
}

/** An agent that can be added. */
export interface Candidate {
  readonly agentUrl: string;
  readonly kinds: readonly CandidateKind[];
  readonly foundIn: readonly FoundIn[];
  /** `both`: the publisher names it, and the brand.json of its operator lists it. */
  readonly agrees: 'both' | 'publisher_only' | 'operator_only' | 'neither';
  /** The nearest entry first; empty if only a brand.json lists it. */
  readonly says: readonly CandidateTerms[];
  readonly problems: readonly CandidateProblem[];
}

/** An agent that was found and is not offered. */
export interface NotOffered {
  /** As it was written; empty if the entry has none. */
  readonly agentUrl: string;
  readonly code: string;
  readonly why: string;
}

const agreement = ['both', 'publisher_only', 'operator_only', 'neither'];
const delegations: readonly (Delegation | undefined)[] = ['direct', 'delegated', 'ad_network', undefined];

/** The order in which candidates are offered: what both sides say first, then the shortest way to the publisher. */
export function compareCandidates(one: Candidate, other: Candidate): number {
  const rank = ({ agrees, says: [first] }: Candidate): readonly number[] => [
    agreement.indexOf(agrees),
    delegations.indexOf(first?.delegation_type),
    first?.exclusive === true ? 0 : 1,
  ];
  const [left, right] = [rank(one), rank(other)];
  const at = left.findIndex((value, index) => value !== right[index]);
  if (at >= 0) return (left[at] ?? 0) - (right[at] ?? 0);
  return one.agentUrl < other.agentUrl ? -1 : 1;
}

/** The order of a publisher's entries for one agent. */
export function compareTerms(one: CandidateTerms, other: CandidateTerms): number {
  const rank = (terms: CandidateTerms): number =>
    delegations.indexOf(terms.delegation_type) * 2 + (terms.exclusive === true ? 0 : 1);
  return rank(one) - rank(other);
}
