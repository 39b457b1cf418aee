import { type Form, hasFeature, taskError, type TaskError } from '@switchyard/protocol';
import type { JsonObject } from '@switchyard/values';

/** A proposal that a refinement names, and its index. */
interface NamedProposal {
  readonly place: number;
  readonly proposalId: string;
}

/** The proposals of a refinement, in the buyer's order. */
export function proposalsIn(refine: readonly JsonObject[]): readonly NamedProposal[] {
  return refine.flatMap(({ scope, proposal_id: id }, place) =>
    scope === 'proposal' && typeof id === 'string' ? [{ place, proposalId: id }] : [],
  );
}

/** True if a refinement finalizes a proposal, which gets a longer deadline. */
export function isFinalizing(refine: readonly JsonObject[]): boolean {
  return refine.some(finalizes);
}

/**
 * Returns the errors of a refinement that are found without a seller (docs/protocol/products.md#buying-modes): an
 * unknown scope or action; a missing member; more than one proposal to finalize, because several sellers or systems
 * cannot promise all or none; and, from 3.1, other changes beside a finalization, because that is a commitment.
 */
export function refineFaults(refine: readonly JsonObject[], form: Form): readonly TaskError[] {
  const unclear = refine.flatMap(faultsOf);
  const finalized = refine.filter(finalizes).length;
  if (finalized > 1) return [...unclear, several];
  return finalized === 1 && refine.length > 1 && hasFeature(form, 'finalizesAlone')
    ? [...unclear, mixed]
    : unclear;
}

interface Scope {
  /** The member that a change of this scope requires. */
  readonly needs: 'ask' | 'product_id' | 'proposal_id';
  readonly actions: readonly string[];
}

const scopes: Readonly<Record<string, Scope>> = {
  request: { needs: 'ask', actions: [] },
  product: { needs: 'product_id', actions: ['include', 'omit', 'more_like_this'] },
  proposal: { needs: 'proposal_id', actions: ['include', 'omit', 'finalize'] },
};

function faultsOf(change: JsonObject, place: number): readonly TaskError[] {
  const { scope: name, action } = change;
  const scope = typeof name === 'string' && Object.hasOwn(scopes, name) ? scopes[name] : undefined;
  if (scope === undefined) return [notOneOf(place, 'scope', Object.keys(scopes))];
  if (action === 'finalize' && name !== 'proposal') return [notAProposal(place)];
  const { [scope.needs]: needed } = change;
  const faults = typeof needed !== 'string' || needed === '' ? [lacks(place, scope.needs)] : [];
  // A change of the whole request has no action; other members of it are left to the seller.
  const isKnown = scope.actions.length === 0 || scope.actions.some((known) => known === (action ?? known));
  return isKnown ? faults : [...faults, notOneOf(place, 'action', scope.actions)];
}

function finalizes({ scope, action }: JsonObject): boolean {
  return scope === 'proposal' && action === 'finalize';
}

const additions = {
  ask: 'Say in plain words what you ask for.',
  product_id: 'Add the product_id as get_products returned it.',
  proposal_id: 'Add the proposal_id as get_products returned it.',
};

function lacks(place: number, name: keyof typeof additions): TaskError {
  const field = `refine[${place}].${name}`;
  return taskError('VALIDATION_ERROR', `${field} is required.`, { field, suggestion: additions[name] });
}

/** Only a proposal is a commitment: there is nothing of a product or of the whole request to finalize. */
function notAProposal(place: number): TaskError {
  return taskError('INVALID_REQUEST', 'Only a proposal can be finalized.', {
    field: `refine[${place}].action`,
    suggestion: 'Send scope proposal with its proposal_id.',
  });
}

function notOneOf(place: number, name: string, words: readonly string[]): TaskError {
  const field = `refine[${place}].${name}`;
  return taskError('VALIDATION_ERROR', `${field} is not one of ${words.join(', ')}.`, {
    field,
    suggestion: `Send one of ${words.join(', ')}.`,
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
