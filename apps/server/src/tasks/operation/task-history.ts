import { isMarketRead, type Operation } from '@switchyard/buys';
import type { TaskExchange } from '@switchyard/protocol';
import { isoOf, type Instant, type JsonObject } from '@switchyard/values';
import { readStoredAnswer } from '../answer/stored-answer.js';
import { withoutSecrets } from '../answer/without-secrets.js';

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
