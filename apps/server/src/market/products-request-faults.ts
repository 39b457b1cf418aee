import { taskError, type TaskError, type GetProductsRequest } from '@switchyard/protocol';
import type { JsonObject } from '@switchyard/values';
import { proposalNotFound } from '@switchyard/buys';
import { proposalsIn, refineFaults } from '@switchyard/fanout';
import type { HandledCall, HandlerDeps } from '../platform/tasks/call/handler.js';

const feedMembers = ['if_wholesale_feed_version', 'if_pricing_version'] as const;

/**
 * Errors of a `get_products` request that do not fit its `buying_mode` (docs/protocol/products.md#buying-modes): a
 * search by brief needs a brief; only a refinement names changes, and only a wholesale catalogue has a version of its
 * feed. A request without a mode is of an older version, which has no such rules.
 */
export function modeErrors(args: JsonObject): readonly TaskError[] {
  const { buying_mode: mode, brief, refine } = args;
  if (mode !== 'refine' && Array.isArray(refine) && refine.length > 0)
    return [
      fault('buying_mode', 'Only the buying_mode refine accepts refinements.', 'Set buying_mode to refine.'),
    ];
  if (mode === undefined || mode === null) return [];
  const faults: TaskError[] = [];
  if (mode === 'brief' && !(typeof brief === 'string' && brief.trim() !== ''))
    faults.push(
      fault(
        'brief',
        'The buying_mode brief needs a brief.',
        'Send a brief, or set buying_mode to wholesale.',
      ),
    );
  if (mode === 'refine' && !(Array.isArray(refine) && refine.length > 0))
    faults.push(fault('refine', 'The buying_mode refine needs a refinement.', 'Send refine with a change.'));
  for (const name of feedMembers)
    if (mode !== 'wholesale' && args[name] !== undefined)
      faults.push(
        fault(
          name,
          'Only the buying_mode wholesale accepts a version.',
          'Leave it out, or set buying_mode to wholesale.',
        ),
      );
  return faults;
}

function fault(field: string, message: string, suggestion: string): TaskError {
  return taskError('INVALID_REQUEST', message, { field, suggestion });
}

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
