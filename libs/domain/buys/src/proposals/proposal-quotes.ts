import type { Instant, JsonObject } from '@switchyard/values';
import { proposalOf, type ProposalQuote } from './proposal.js';

/** The proposals of one seller's answer as they are stored; of two with one id the last one. */
export function proposalQuotes(
  {
    connectionId,
    seller,
    proposals,
  }: { readonly connectionId: string; readonly seller: string; readonly proposals: readonly JsonObject[] },
  at: Instant,
): readonly ProposalQuote[] {
  const read = proposals.flatMap((value) => proposalOf(seller, value, at) ?? []);
  const newest = new Map(read.map((proposal) => [proposal.proposalId, proposal]));
  return [...newest.values()].map((proposal) => ({ connectionId, proposal }));
}
