import {
  defined,
  err,
  isJsonObject,
  ok,
  type JsonObject,
  type JsonValue,
  type Result,
} from '@switchyard/values';
import type { Finding } from '../../losses/finding.js';
import type { TaskExchange } from './task-messages.js';
import type { TaskSummary } from './task-messages.js';
import { readTaskStatus } from './task-status.js';
import type { Form } from '../../versions/wire-profile.js';
import { taskNames } from './task-names.js';
import { booleanAt, listAt, objectAt, objectsAt, textAt } from '../../message/pick.js';

const epoch = '1970-01-01T00:00:00.000Z';

/** One task without its result. Lists have `domain` in every release; for a single task, 3.x has `protocol`. */
export function projectSummary(
  task: Omit<TaskSummary, 'hasWebhook'> & Partial<TaskSummary>,
  member: 'domain' | 'protocol',
  to: Form,
): JsonObject {
  const { taskType, protocol, ext } = taskNames(task.taskType, task.protocol, to, member === 'domain');
  return defined({
    task_id: task.taskId,
    task_type: taskType,
    [member]: protocol,
    status: task.status,
    created_at: task.createdAt,
    updated_at: task.updatedAt,
    completed_at: task.completedAt,
    has_webhook: task.hasWebhook,
    context_id: task.contextId,
    // It has the same members in every release.
    history: task.history?.map(({ timestamp, type, data }) => ({
      timestamp,
      type,
      data: structuredClone(data),
    })),
    ...ext,
  }) as JsonObject;
}

/** Entries without a time, a type or data are left out. */
export function readHistory(item: JsonObject | undefined): readonly TaskExchange[] | undefined {
  if (listAt(item, 'history') === undefined) return undefined;
  return objectsAt(item, 'history').flatMap((exchange): readonly TaskExchange[] => {
    const [timestamp, type, data] = [
      textAt(exchange, 'timestamp'),
      textAt(exchange, 'type'),
      objectAt(exchange, 'data'),
    ];
    const isKnown = type === 'request' || type === 'response';
    return timestamp === undefined || !isKnown || data === undefined ? [] : [{ timestamp, type, data }];
  });
}

export function readSummary(value: JsonValue): Result<TaskSummary, Finding> {
  const item = isJsonObject(value) ? value : undefined;
  const taskId = textAt(item, 'task_id');
  const status = readTaskStatus(item?.['status']);
  if (taskId === undefined || status === undefined)
    return err({ code: 'TASK_SET_ASIDE', message: 'a task has no id or no status' });
  const createdAt = textAt(item, 'created_at') ?? epoch;
  return ok({
    taskId,
    status,
    taskType: textAt(item, 'task_type') ?? '',
    protocol: textAt(item, 'domain') ?? textAt(item, 'protocol') ?? 'media-buy',
    createdAt,
    updatedAt: textAt(item, 'updated_at') ?? createdAt,
    hasWebhook: booleanAt(item, 'has_webhook') ?? false,
    ...defined({
      completedAt: textAt(item, 'completed_at'),
      contextId: textAt(item, 'context_id'),
      history: readHistory(item),
    }),
  });
}
