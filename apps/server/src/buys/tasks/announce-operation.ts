import type { IdSource, OperationState } from '@switchyard/buys';
import {
  writeTaskEvent,
  type BuyerRegistration,
  type OutboxDraft,
  type TaskUpdate,
} from '@switchyard/events';
import { projectError, type WireProfile } from '@switchyard/protocol';
import type { JsonObject } from '@switchyard/values';
import { calledTask, inCallersTask } from '../../platform/tasks/lifecycle/in-callers-task.js';
import { failedPayload } from '../../platform/tasks/answer/failed-payload.js';
import type { Handled } from '../../platform/tasks/call/handler.js';
import { outcomeOf } from './task-outcome.js';
import { progressOf } from './task-progress.js';
import { protocolOf } from './task-summary.js';

/**
 * Writes an operation's status for each registered address, in the buyer's own version: the aggregate over all sellers,
 * never one seller's answer. Each address gets its own event with its own key.
 */
export function announceOperation(
  ids: Pick<IdSource, 'uuid'>,
): (state: OperationState, registrations: readonly BuyerRegistration[]) => readonly OutboxDraft[] {
  return (state, registrations) => {
    const update = updateOf(state);
    return registrations.map((registration) =>
      writeTaskEvent(registration, update, { id: ids.uuid(), idempotencyKey: ids.uuid() }),
    );
  };
}

function updateOf(state: OperationState): TaskUpdate {
  const { operation } = state;
  const outcome = outcomeOf(state, operation.profile);
  return {
    status: operation.status,
    taskId: operation.taskId,
    taskType: calledTask(operation),
    protocol: protocolOf(operation.task),
    at: operation.updatedAt,
    result: resultOf(state, outcome, operation.profile),
    ...(outcome.kind === 'done' && outcome.message !== undefined ? { message: outcome.message } : {}),
    ...(operation.contextId === undefined ? {} : { contextId: operation.contextId }),
    ...(operation.context === undefined ? {} : { context: operation.context }),
  };
}

/**
 * Content by status (docs/protocol/webhooks-out.md#content-by-status): the whole answer at an end, the reason while
 * input is required, else progress.
 */
function resultOf(state: OperationState, outcome: Handled, profile: WireProfile): JsonObject {
  const { status, taskId } = state.operation;
  if (outcome.kind === 'failed') return inCallersTask(state.operation, failedPayload(outcome, profile));
  if (status === 'completed') return inCallersTask(state.operation, outcome.payload);
  if (status === 'submitted') return { ...outcome.payload, status, task_id: taskId };
  if (status === 'input-required') {
    const waiting = state.legs.filter((leg) => leg.status === 'input-required');
    const errors = waiting.flatMap((leg) =>
      leg.errors.map((error) => ({ ...error, details: { ...error.details, seller: leg.seller } })),
    );
    const shown = errors.map((error) => projectError(error, profile.dialect, profile.form));
    return {
      ...outcome.payload,
      reason: 'APPROVAL_REQUIRED',
      ...(shown.length === 0 ? {} : { errors: shown }),
    };
  }
  const progress = progressOf(state);
  if (progress === undefined) return outcome.payload;
  return {
    ...outcome.payload,
    percentage: progress.percentage,
    current_step: progress.currentStep,
    total_steps: progress.totalSteps,
    step_number: progress.stepNumber,
  };
}
