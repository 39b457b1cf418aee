import type { Gathered } from '@switchyard/buys';
import { finalizationFault, isFinalizing, proposalsIn, refineFor } from '@switchyard/fanout';
import { splitId, taskError, type GetProductsAnswer, type TaskError } from '@switchyard/protocol';
import type { JsonObject } from '@switchyard/values';

/**
 * Why a finalization has committed nothing: the refusal of its seller, or that the answer has no committed proposal.
 * Empty where it is committed, and while its seller is still to answer. A buyer that reads a success would go on and
 * buy what nobody holds for it (docs/protocol/products.md#proposals).
 */
export function uncommitted(
  refine: readonly JsonObject[] | undefined,
  { legs, rows, later }: Gathered<GetProductsAnswer>,
): readonly TaskError[] {
  if (refine === undefined || !isFinalizing(refine)) return [];
  const place = refine.findIndex((change) => isFinalizing([change]));
  const named = proposalsIn(refine).find((proposal) => proposal.place === place);
  const id = splitId(named?.proposalId ?? '');
  if (!id.ok || later.includes(id.value.slug)) return [];
  const seller = id.value.slug;
  const leg = legs.find((candidate) => candidate.seller === seller);
  const field = `refine[${place}].proposal_id`;
  if (leg?.answer !== undefined) {
    const fault = finalizationFault(refineFor(refine, seller).changes, leg.answer);
    return fault === undefined ? [] : [{ ...fault, field, details: { seller } }];
  }
  const refusals = leg?.errors ?? [];
  if (refusals.length > 0)
    return refusals.map((error) => ({ ...error, details: { ...error.details, seller } }));
  const row = rows.find((candidate) => candidate.seller === seller);
  const reason = row?.reason ?? 'The seller did not answer, so nothing is committed.';
  return [taskError('SERVICE_UNAVAILABLE', reason, { field, details: { seller } })];
}
