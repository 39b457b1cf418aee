import { cancelOperation, withoutCallbackSecrets } from '@switchyard/buys';
import { cancelTask as task, findTask, taskError, type CancelTaskRequest } from '@switchyard/protocol';
import { authorize } from '@switchyard/tenancy';
import type { Handled, HandledCall, HandlerDeps } from './handler.js';
import { oncePerKey } from './operation/once-per-key.js';
import { ownOperation } from './operation/own-operation.js';
import { taskSummary } from './operation/task-summary.js';
import { writeAnswer } from './answer/write-answer.js';

/** Calls off one of the caller's own tasks. Somebody else's is not found, in the same words. */
export async function cancelTask(
  deps: HandlerDeps,
  handled: HandledCall<CancelTaskRequest>,
): Promise<Handled> {
  const { scope, principal, request, args, version, spec } = handled;
  if (principal === undefined) throw new Error(`${task.name} needs a principal.`);
  const { ports } = deps;
  const { principalId } = principal;
  const known = await ownOperation(deps, scope, principalId, request.taskId);
  // Whoever may not begin such work may not end it either.
  const begun = known === undefined ? undefined : findTask(known.operation.task);
  const allowed = begun === undefined ? undefined : authorize(principal, begun);
  if (allowed?.ok === false)
    return { kind: 'failed', errors: [taskError(allowed.error.code, allowed.error.message)] };
  const work = async (): Promise<Handled> => {
    const done = await cancelOperation(ports, {
      scope,
      principalId,
      taskId: known?.operation.taskId ?? request.taskId,
      deadlineMs: spec.deadlineMs,
      ...(request.reason === undefined ? {} : { reason: request.reason }),
    });
    if (!done.ok) return { kind: 'failed', errors: done.error };
    const { state, refusals, rows } = done.value;
    const { status, id } = state.operation;
    const payload = writeAnswer(task, { task: taskSummary(state.operation, false), refusals }, version.voice);
    return { kind: 'done', status, payload, operationId: id, sellers: rows };
  };
  if (request.idempotencyKey === undefined) return work();
  return oncePerKey(deps, handled, withoutCallbackSecrets(args), work);
}
