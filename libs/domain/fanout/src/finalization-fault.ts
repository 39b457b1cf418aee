import { taskError, type GetProductsAnswer, type TaskError } from '@switchyard/protocol';
import type { JsonObject } from '@switchyard/values';
import { isFinalizing } from './refine-faults.js';

/**
 * The error of a finalization to which a seller has not committed; `undefined` where it has, and for a refinement that
 * finalizes nothing. A proposal without a status can be bought as it is; one with the status `draft` cannot
 * (docs/protocol/products.md#proposals).
 *
 * @param changes the changes that the seller was sent, with its own ids.
 */
export function finalizationFault(
  changes: readonly JsonObject[],
  { proposals = [], refinementApplied = [] }: GetProductsAnswer,
): TaskError | undefined {
  const place = changes.findIndex((change) => isFinalizing([change]));
  const id = changes[place]?.['proposal_id'];
  if (place < 0 || proposals.some((proposal) => isCommitted(proposal, id))) return undefined;
  const notes = refinementApplied[place]?.['notes'];
  const message = 'The seller has not committed to the proposal.';
  return taskError(
    'PROPOSAL_NOT_COMMITTED',
    typeof notes === 'string' ? `${message} ${notes}`.slice(0, 500) : message,
    {
      field: `refine[${place}].proposal_id`,
      suggestion: 'Change the proposal as the seller says, and finalize it again.',
    },
  );
}

function isCommitted(proposal: JsonObject, id: unknown): boolean {
  return proposal['proposal_id'] === id && proposal['proposal_status'] !== 'draft';
}
