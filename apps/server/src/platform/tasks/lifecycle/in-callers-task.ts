import type { Operation } from '@switchyard/buys';
import { askedBy, lifecycleTaskOf, type WireProfile } from '@switchyard/protocol';
import type { JsonObject } from '@switchyard/values';

/** The name of the task by which an operation was asked for. */
export function calledTask({ task, request }: Pick<Operation, 'task' | 'request'>): string {
  return askedBy(request)?.task.name ?? task;
}

/** The same for a reader: a task that its release does not have is shown as the one that served it. */
export function taskShownTo(operation: Pick<Operation, 'task' | 'request'>, profile: WireProfile): string {
  const called = calledTask(operation);
  return lifecycleTaskOf(called, profile) === undefined ? operation.task : called;
}

/** The result of an operation in the shape of the task by which it was asked for. */
export function inCallersTask(
  { id, request, status, createdAt }: Pick<Operation, 'id' | 'request' | 'status' | 'createdAt'>,
  result: JsonObject,
): JsonObject {
  const called = askedBy(request);
  if (called === undefined) return result;
  return called.task.answer({ status, ...result }, called.asked, { at: createdAt, operationId: id }).body;
}
