import type { Agent } from './agent.js';
import { compact, textOf, type JsonObject } from '../json.js';
import { done, refuse, type Outcome } from './outcome.js';
import type { SellerTask } from './seller-task.js';

/** Cancels a task that has no result yet. A task beside a buy is canceled with the buy. */
export function cancelTask(agent: Agent, args: JsonObject): Outcome {
  const task = agent.books.tasks.get(textOf(args['task_id']) ?? '');
  if (!task) return refuse('REFERENCE_NOT_FOUND', 'no such task', 'task_id');
  const canceled = canceledTask(agent, task);
  if (!canceled) return refuse('NOT_CANCELLABLE', 'it is over, or a buy already', 'task_id');
  const body = compact({
    task_id: task.taskId,
    task_type: task.taskType,
    status: 'canceled',
    created_at: new Date(task.createdAt).toISOString(),
    updated_at: new Date(canceled.updatedAt).toISOString(),
  });
  return done(body, { task: canceled });
}

/** The task without its remaining steps; undefined if it is too late. */
export function canceledTask(agent: Agent, task: SellerTask): SellerTask | undefined {
  const isOpen = task.state === 'submitted' || task.state === 'working' || task.state === 'input-required';
  if (!isOpen || (task.buy !== undefined && agent.books.buys.has(task.buy.mediaBuyId))) return undefined;
  const now = agent.now();
  return {
    ...task,
    state: 'canceled',
    message: 'Called off.',
    updatedAt: now,
    completedAt: now,
    steps: [],
  };
}
