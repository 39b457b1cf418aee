import { isMarketRead, type Operation } from '@switchyard/buys';
import { type TaskExchange, credentialPlaces } from '@switchyard/protocol';
import { isoOf, type Instant, type JsonObject, isJsonObject, type JsonValue } from '@switchyard/values';
import { readStoredAnswer } from '../../platform/tasks/answer/stored-answer.js';

/**
 * The history of a task, oldest first: the request, the first answer, and each later state with its time
 * (docs/protocol/task-states.md#reading-tasks). Only the last one has the result, and only in a read of a single task.
 */
export function taskHistory(operation: Operation, result?: JsonObject): readonly TaskExchange[] {
  const { task, taskId, request, createdAt, history = [] } = operation;
  const reported = (at: Instant, status: string, more: JsonObject = {}): TaskExchange => ({
    timestamp: isoOf(at),
    type: 'response',
    data: { ...more, status, task_id: taskId },
  });
  const requested: TaskExchange = {
    timestamp: isoOf(createdAt),
    type: 'request',
    data: withoutSecrets(task, request),
  };
  const first = readStoredAnswer(operation.answer);
  const isOver = operation.settledAt !== undefined;
  const later = history.map(({ status, at }, place) =>
    reported(at, status, isOver && place === history.length - 1 ? result : {}),
  );
  // A final first answer is listed once. A read may have a first answer and, later, the whole one.
  const received = first !== undefined && (isMarketRead(task) || first.status !== history[0]?.status);
  return [requested, ...(received ? [reported(createdAt, first.status, first.payload)] : []), ...later];
}

/** A stored request without the secrets of its task: they are never shown again, not even to their sender. */
export function withoutSecrets(task: string, request: JsonObject): JsonObject {
  const shown = structuredClone(request);
  for (const place of credentialPlaces(task)) remove(shown, place.split('.'));
  remove(shown, ['push_notification_config', 'token']);
  remove(shown, ['reporting_webhook', 'token']);
  return shown;
}

/** Removes the value at a path, where `*` is any member and `name[]` any item of a list. */
function remove(value: JsonValue | undefined, [step = '', ...onward]: readonly string[]): void {
  if (!isJsonObject(value)) return;
  const name = step.replace(/\[\]$/, '');
  const names = name === '*' ? Object.keys(value) : [name];
  for (const field of names) {
    if (onward.length === 0) {
      Reflect.deleteProperty(value, field);
      continue;
    }
    const below = value[field];
    const items = step.endsWith('[]') ? (Array.isArray(below) ? below : []) : [below];
    for (const item of items) remove(item, onward);
  }
}
