import { prefixId } from '@switchyard/protocol';
import { isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';

/**
 * Merges the proposals of sellers: prefixes their ids and those of their products, and adds the seller. A proposal
 * without an id is omitted, because no later request can name it.
 */
export function mergeProposals(
  offers: readonly { readonly seller: string; readonly proposals: readonly JsonObject[] }[],
): readonly JsonObject[] {
  return offers.flatMap(({ seller, proposals }) =>
    proposals
      .flatMap((proposal) => {
        const { proposal_id: id } = proposal;
        return typeof id === 'string' ? [{ proposal, id }] : [];
      })
      .map(({ proposal, id }) => ({
        ...proposal,
        proposal_id: prefixId(seller, id),
        ...(Array.isArray(proposal['allocations'])
          ? { allocations: proposal['allocations'].map((one) => allocationOf(seller, one)) }
          : {}),
        ext: { ...(isJsonObject(proposal['ext']) ? proposal['ext'] : {}), switchyard: { seller } },
      })),
  );
}

function allocationOf(seller: string, allocation: JsonValue): JsonValue {
  if (!isJsonObject(allocation) || typeof allocation['product_id'] !== 'string') return allocation;
  return { ...allocation, product_id: prefixId(seller, allocation['product_id']) };
}
