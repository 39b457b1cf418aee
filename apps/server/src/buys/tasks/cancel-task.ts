import { cancelOperation, stripCallbackSecrets } from '@switchyard/buys';
import { cancelTask as task, findTask, type CancelTaskRequest } from '@switchyard/protocol';
import { authorize, eitherReach, isInReach, ownReach } from '@switchyard/tenancy';
import { permissionError, permissionRefusal } from '../../platform/caller/permission-refusal.js';
import { reachOfTask, reachOfWork } from '../../platform/tasks/gates/reach-of-task.js';
import type { Handled, HandledCall, HandlerDeps } from '../../platform/tasks/call/handler.js';
import { oncePerKey } from '../../platform/tasks/operation/once-per-key.js';
import { ownOperation } from '../../platform/tasks/operation/own-operation.js';
import { taskSummary } from './task-summary.js';
import { writeAnswer } from '../../platform/tasks/answer/write-answer.js';

/** Cancels a task that the caller may start. One that it may not see is not found, in the same words. */
export async function cancelTask(
  deps: HandlerDeps,
  handled: HandledCall<CancelTaskRequest>,
): Promise<Handled> {
  const { scope, principal, request, args, version, spec } = handled;
  if (principal === undefined) throw new Error(`${task.name} needs a principal.`);
  const { ports } = deps;
  const { principalId } = principal;
  const own = ownReach(principalId);
  const seen = (name: string) => eitherReach(own, reachOfWork(principal, name));
  const known = await ownOperation(deps, scope, seen, request.taskId);
  // A caller that may not start such work may not cancel it either.
  const begun = known === undefined ? undefined : findTask(known.operation.task);
  const allowed = begun === undefined ? undefined : authorize(principal, begun);
  const reach = begun === undefined ? own : reachOfTask(principal, begun);
  const isReachable = known === undefined || isInReach(reach, known.operation);
  if (begun !== undefined && (allowed?.ok === false || !isReachable)) {
    const missing = { ...begun, ...(!isReachable && { outside: 'the scope of this task' }) };
    const refusal = await permissionRefusal(deps.grants, principal, missing);
    return { kind: 'failed', errors: [permissionError(refusal)] };
  }
  const work = async (): Promise<Handled> => {
    const done = await cancelOperation(ports, {
      scope,
      principalId,
      reach,
      taskId: known?.operation.taskId ?? request.taskId,
      deadlineMs: spec.deadlineMs,
      ...(request.reason === undefined ? {} : { reason: request.reason }),
    });
    if (!done.ok) return { kind: 'failed', errors: done.error };
    const { state, refusals, rows } = done.value;
    const { status, id } = state.operation;
    const payload = writeAnswer(
      task,
      { task: taskSummary(state.operation, false), refusals },
      version.profile,
    );
    return { kind: 'done', status, payload, operationId: id, sellers: rows };
  };
  if (request.idempotencyKey === undefined) return work();
  return oncePerKey(deps, handled, stripCallbackSecrets(args), work);
}
