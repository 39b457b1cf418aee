import { isMarketRead, type OperationState } from '@switchyard/buys';
import type { WireProfile } from '@switchyard/protocol';
import { type KnownNow, readOutcome } from '../../market/index.js';
import type { Handled } from '../../platform/tasks/call/handler.js';
import { errorsOf, mutationOutcome } from '../../platform/tasks/operation/operation-outcome.js';

/** The current result of any operation, in its buyer's own version. */
export function outcomeOf(state: OperationState, profile: WireProfile, known?: KnownNow): Handled {
  return isMarketRead(state.operation.task)
    ? readTaskOutcome(state, profile, known)
    : mutationOutcome(state, profile);
}

/** A read as its buyer's task: without results until the last answer has arrived, as `submitted` has none. */
function readTaskOutcome(state: OperationState, profile: WireProfile, known?: KnownNow): Handled {
  const { id, status, taskId } = state.operation;
  const { payload, sellers, later } = readOutcome(state, profile, known);
  const common = { sellers, operationId: id };
  if (status === 'completed') return { kind: 'done', status, payload, ...common };
  if (status === 'failed' || status === 'rejected' || status === 'canceled')
    return { kind: 'failed', status, errors: errorsOf(state), ...common };
  const message = `Waiting for ${later.join(', ')}.`;
  return { kind: 'done', status, payload: {}, taskId, message, ...common };
}
