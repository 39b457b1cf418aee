import { taskError, type Form, type TaskError } from '@switchyard/protocol';
import type { JsonObject } from '@switchyard/values';

/** A proposal that a refinement names, and where. */
export interface NamedProposal {
  readonly place: number;
  readonly proposalId: string;
}

/** The proposals of a refinement, in the buyer's order. */
export function proposalsIn(refine: readonly JsonObject[]): readonly NamedProposal[] {
  return refine.flatMap(({ scope, proposal_id: id }, place) =>
    scope === 'proposal' && typeof id === 'string' ? [{ place, proposalId: id }] : [],
  );
}

/** Whether a refinement commits a seller: such a question is given the time that it takes. */
export function isFinalizing(refine: readonly JsonObject[]): boolean {
  return refine.some(finalizes);
}

/**
 * What no seller needs to be asked of a refinement (tasks 3.2): a proposal without its id; more than one to be
 * finalized, since several sellers, or one over several systems, cannot promise all or none; and from 3.1 on anything
 * beside a finalization, which is a commitment and no wish.
 */
export function refineFaults(refine: readonly JsonObject[], form: Form): readonly TaskError[] {
  const nameless = refine.flatMap(({ scope, proposal_id: id }, place) =>
    scope === 'proposal' && (typeof id !== 'string' || id === '') ? [withoutId(place)] : [],
  );
  const finalized = refine.filter(finalizes).length;
  if (finalized > 1) return [...nameless, several];
  return finalized === 1 && refine.length > 1 && form === '3.1' ? [...nameless, mixed] : nameless;
}

function finalizes({ scope, action }: JsonObject): boolean {
  return scope === 'proposal' && action === 'finalize';
}

function withoutId(place: number): TaskError {
  return taskError('VALIDATION_ERROR', 'A change of a proposal names it.', {
    field: `refine[${place}].proposal_id`,
    suggestion: 'Add the proposal_id as get_products returned it.',
  });
}

const several = taskError('MULTI_FINALIZE_UNSUPPORTED', 'One proposal is finalized at a time.', {
  field: 'refine',
  suggestion: 'Send one call for each proposal.',
});

const mixed = taskError('INVALID_REQUEST', 'A proposal is finalized in a call of its own.', {
  field: 'refine',
  suggestion: 'Send the other changes first, and finalize what comes of them.',
});
