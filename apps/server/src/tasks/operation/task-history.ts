import { isMarketRead, type Operation } from '@switchyard/buys';
import type { TaskExchange } from '@switchyard/protocol';
import { isoOf, type Instant, type JsonObject } from '@switchyard/values';
import { readKeptAnswer } from '../answer/kept-answer.js';
import { withoutSecrets } from '../answer/without-secrets.js';

/**
 * What was asked and said of a task, oldest first: the request, what was answered first, and each state after it with
 * its time (docs/protocol/task-states.md#reading-tasks). Only the last one brings the result, and only where it is
 * asked about a single task.
 */
export function taskHistory(operation: Operation, result?: JsonObject): readonly TaskExchange[] {
  const { task, taskId, request, createdAt, history = [] } = operation;
  const said = (at: Instant, status: string, more: JsonObject = {}): TaskExchange => ({
    timestamp: isoOf(at),
    type: 'response',
    data: { ...more, status, task_id: taskId },
  });
  const asked: TaskExchange = {
    timestamp: isoOf(createdAt),
    type: 'request',
    data: withoutSecrets(task, request),
  };
  const first = readKeptAnswer(operation.answer);
  const isOver = operation.settledAt !== undefined;
  const later = history.map(({ status, at }, place) =>
    said(at, status, isOver && place === history.length - 1 ? result : {}),
  );
  // What was over in its first answer was told once. A question is answered, and told whole another time.
  const told = first !== undefined && (isMarketRead(task) || first.status !== history[0]?.status);
  return [asked, ...(told ? [said(createdAt, first.status, first.payload)] : []), ...later];
}
