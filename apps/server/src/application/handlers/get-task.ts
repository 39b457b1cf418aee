import { showActivations } from '@switchyard/buys';
import { getTask as task, taskError, type GetTaskRequest, type TaskView } from '@switchyard/protocol';
import { isoOf } from '@switchyard/values';
import { failedPayload } from '../failed-payload.js';
import type { Handled, HandledCall, HandlerParts } from '../handler.js';
import { outcomeOf } from '../operation-outcome.js';
import { ownOperation } from '../own-operation.js';
import { taskHistory } from '../task-history.js';
import { protocolOf } from '../task-summary.js';
import { writeAnswer } from '../write-answer.js';

/** How far one of the caller's own operations is. Somebody else's is not found, in the same words. */
export async function getTask(parts: HandlerParts, handled: HandledCall<GetTaskRequest>): Promise<Handled> {
  const { scope, principal, request, version } = handled;
  const state =
    principal === undefined
      ? undefined
      : await ownOperation(parts, scope, principal.principalId, request.taskId);
  if (state === undefined) {
    const error = taskError('REFERENCE_NOT_FOUND', 'No task of yours has this id.', {
      field: 'task_id',
      suggestion: 'Use the task_id that the answer to your request named.',
    });
    return { kind: 'failed', errors: [error] };
  }
  const { operation } = state;
  const { activations, clock } = parts.ports;
  const now =
    activations === undefined ? state : await showActivations(activations, scope, state, clock.now());
  const outcome = outcomeOf(now, operation.voice);
  const [error] = outcome.kind === 'failed' ? outcome.errors : [];
  const result = outcome.kind === 'failed' ? failedPayload(outcome, operation.voice) : outcome.payload;
  const view: TaskView = {
    taskId: operation.taskId,
    taskType: operation.task,
    protocol: protocolOf(operation.task),
    status: operation.status,
    createdAt: isoOf(operation.createdAt),
    updatedAt: isoOf(operation.updatedAt),
    ...(operation.settledAt === undefined ? {} : { completedAt: isoOf(operation.settledAt), result }),
    ...(error === undefined ? {} : { error }),
    ...(operation.contextId === undefined ? {} : { contextId: operation.contextId }),
    ...(request.includeHistory === true ? { history: taskHistory(operation, result) } : {}),
  };
  return {
    kind: 'done',
    status: operation.status,
    payload: writeAnswer(task, view, version.voice),
    operationId: operation.id,
    ...(outcome.sellers === undefined ? {} : { sellers: outcome.sellers }),
  };
}
