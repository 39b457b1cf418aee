import type { Operation } from '@switchyard/buys';
import type { TaskSummary } from '@switchyard/protocol';
import { isoOf } from '@switchyard/values';

/** Tasks that are about signals; every other one is about media. */
export const signalTasks: readonly string[] = ['activate_signal'];

/** An operation as its buyer's task. */
export function taskSummary(operation: Operation, hasWebhook: boolean): TaskSummary {
  return {
    taskId: operation.taskId,
    taskType: operation.task,
    protocol: signalTasks.includes(operation.task) ? 'signals' : 'media-buy',
    status: operation.status,
    createdAt: isoOf(operation.createdAt),
    updatedAt: isoOf(operation.updatedAt),
    hasWebhook,
    ...(operation.settledAt === undefined ? {} : { completedAt: isoOf(operation.settledAt) }),
  };
}
