import type { Operation } from '@switchyard/buys';
import type { TaskExchange, TaskSummary } from '@switchyard/protocol';
import { isoOf } from '@switchyard/values';

/** Tasks about signals; all others are about media. */
const signalTasks: readonly string[] = ['activate_signal', 'get_signals'];

/** The protocol that a task belongs to, in the terms of tasks (docs/protocol/task-states.md#reading-tasks). */
export function protocolOf(task: string): 'signals' | 'media-buy' {
  return signalTasks.includes(task) ? 'signals' : 'media-buy';
}

/** An operation as its buyer's task. */
export function taskSummary(
  operation: Operation,
  hasWebhook: boolean,
  history?: readonly TaskExchange[],
): TaskSummary {
  return {
    taskId: operation.taskId,
    taskType: operation.task,
    protocol: protocolOf(operation.task),
    status: operation.status,
    createdAt: isoOf(operation.createdAt),
    updatedAt: isoOf(operation.updatedAt),
    hasWebhook,
    ...(operation.contextId === undefined ? {} : { contextId: operation.contextId }),
    ...(history === undefined ? {} : { history }),
    ...(operation.settledAt === undefined ? {} : { completedAt: isoOf(operation.settledAt) }),
  };
}
