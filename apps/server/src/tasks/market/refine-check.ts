import { proposalNotFound } from '@switchyard/buys';
import { proposalsIn, refineFaults } from '@switchyard/fanout';
import type { GetProductsRequest, TaskError } from '@switchyard/protocol';
import type { HandledCall, HandlerDeps } from '../handler.js';

/**
 * Errors of a refinement before any seller is queried. A proposal must be in the caller's own set: an account at a
 * seller may be shared, and proposals to others are not this caller's to change or commit.
 */
export async function refineErrors(
  { ports }: Pick<HandlerDeps, 'ports'>,
  { request, scope, principal, version }: HandledCall<GetProductsRequest>,
): Promise<readonly TaskError[]> {
  const { refine } = request;
  if (refine === undefined) return [];
  const faults = refineFaults(refine, version.profile.form);
  const named = proposalsIn(refine);
  if (faults.length > 0 || named.length === 0) return faults;
  const ids = named.map(({ proposalId }) => proposalId);
  const known = principal === undefined ? new Map() : await ports.store.proposals(scope, ids);
  return named
    .filter(({ proposalId }) => !known.has(proposalId))
    .map(({ place }) => ({ ...proposalNotFound, field: `refine[${place}].proposal_id` }));
}
