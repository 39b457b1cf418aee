import { showActivations, type Operation } from '@switchyard/buys';
import {
  getTask as task,
  taskError,
  type GetTaskRequest,
  type TaskError,
  type TaskView,
} from '@switchyard/protocol';
import { isoOf } from '@switchyard/values';
import { reachOfWork } from '../../platform/tasks/gates/reach-of-task.js';
import { accountNamed } from '../../platform/tasks/gates/account-named.js';
import { failedPayload } from '../../platform/tasks/answer/failed-payload.js';
import { inCallersTask, taskShownTo } from '../../platform/tasks/lifecycle/in-callers-task.js';
import type { Handled, HandledCall, HandlerDeps } from '../../platform/tasks/call/handler.js';
import { outcomeOf } from './task-outcome.js';
import { knownNow } from '../../market/index.js';
import { maySeeTask } from './may-see-task.js';
import { ownOperation } from '../../platform/tasks/operation/own-operation.js';
import { progressOf } from './task-progress.js';
import { taskHistory } from './task-history.js';
import { protocolOf } from './task-summary.js';
import { writeAnswer } from '../../platform/tasks/answer/write-answer.js';

/** The status of an operation that the caller made or may reach. Any other is not found, in the same words. */
export async function getTask(deps: HandlerDeps, handled: HandledCall<GetTaskRequest>): Promise<Handled> {
  const { scope, principal, request, version } = handled;
  const owned =
    principal === undefined
      ? undefined
      : await ownOperation(deps, scope, (name) => reachOfWork(principal, name), request.taskId);
  const isSeen =
    principal !== undefined && owned !== undefined && maySeeTask(principal, owned.operation.task);
  const found = isSeen ? owned : undefined;
  const logged = found === undefined ? undefined : await loggedAs(deps, handled, found.operation);
  if (logged !== undefined && 'code' in logged) return { kind: 'failed', errors: [logged] };
  const state = logged?.isOfAccount === true ? found : undefined;
  if (state === undefined) {
    const error = taskError('REFERENCE_NOT_FOUND', 'You have no task with this id.', {
      field: 'task_id',
      suggestion: 'Use the task_id from the answer to your request.',
    });
    return { kind: 'failed', errors: [error] };
  }
  const { operation } = state;
  const { activations, clock } = deps.ports;
  const now =
    activations === undefined ? state : await showActivations(activations, scope, state, clock.now());
  const outcome = outcomeOf(now, operation.profile, await knownNow(deps, scope, now));
  const [error] = outcome.kind === 'failed' ? outcome.errors : [];
  const reported = inCallersTask(
    operation,
    outcome.kind === 'failed' ? failedPayload(outcome, operation.profile) : outcome.payload,
  );
  const progress = progressOf(now);
  const result = request.includeResult ? { result: reported } : {};
  const view: TaskView = {
    taskId: operation.taskId,
    taskType: taskShownTo(operation, version.profile),
    protocol: protocolOf(operation.task),
    status: operation.status,
    createdAt: isoOf(operation.createdAt),
    updatedAt: isoOf(operation.updatedAt),
    ...(operation.settledAt === undefined ? {} : { completedAt: isoOf(operation.settledAt), ...result }),
    ...(operation.settledAt === undefined && progress !== undefined ? { progress } : {}),
    ...(error === undefined ? {} : { error }),
    ...(logged?.hasWebhook === undefined ? {} : { hasWebhook: logged.hasWebhook }),
    ...(operation.contextId === undefined ? {} : { contextId: operation.contextId }),
    ...(request.includeHistory === true ? { history: taskHistory(operation, result.result) } : {}),
  };
  return {
    kind: 'done',
    status: operation.status,
    payload: writeAnswer(task, view, version.profile),
    operationId: operation.id,
    ...(outcome.sellers === undefined ? {} : { sellers: outcome.sellers }),
  };
}

interface Logged {
  readonly isOfAccount: boolean;
  /** Whether a webhook was registered for it; absent if the log of tasks has no such task. */
  readonly hasWebhook?: boolean;
}

/**
 * A task is visible within its own account: an account named in the request must be that one
 * (docs/protocol/task-states.md#reading-tasks).
 */
async function loggedAs(
  deps: HandlerDeps,
  { scope, principal, request: { account: named } }: HandledCall<GetTaskRequest>,
  { principalId, task: name, taskId }: Operation,
): Promise<Logged | TaskError> {
  const account =
    named === undefined || principal === undefined
      ? undefined
      : await accountNamed(deps, scope, named, await deps.accounts.accounts(scope, principalId));
  if (account !== undefined && 'code' in account) return account;
  const { items } = await deps.taskLog.find(scope, {
    tasks: [{ names: [name], reach: { kind: 'everything' } }],
    filters: { taskIds: [taskId] },
    sort: { field: 'created_at', direction: 'desc' },
    asOf: deps.ports.clock.now(),
    limit: 1,
    offset: 0,
    ...(account === undefined ? {} : { account }),
  });
  const [found] = items;
  return {
    isOfAccount: account === undefined || found !== undefined,
    ...(found === undefined ? {} : { hasWebhook: found.hasWebhook }),
  };
}
