import type { Agent } from './agent.js';
import { compact, textOf, type JsonObject } from '../json.js';
import { done, refuse, type Outcome } from './outcome.js';

/** The current state of a task, for pollers. */
export function getTask(agent: Agent, args: JsonObject): Outcome {
  const task = agent.books.tasks.get(textOf(args['task_id']) ?? '');
  if (!task) return refuse('REFERENCE_NOT_FOUND', 'no such task', 'task_id');
  const service = agent.personality.form === 'service';
  const area = task.taskType === 'activate_signal' ? 'signals' : 'media-buy';
  const wanted = service || args['include_result'] === true;
  return done(
    compact({
      task_id: task.taskId,
      task_type: task.taskType,
      [service ? 'domain' : 'protocol']: area,
      status: task.state,
      created_at: new Date(task.createdAt).toISOString(),
      updated_at: new Date(task.updatedAt).toISOString(),
      completed_at: task.completedAt === undefined ? undefined : new Date(task.completedAt).toISOString(),
      has_webhook: task.pushes.length > 0,
      message: task.message,
      progress: task.progress,
      result: wanted ? (task.result ?? task.question?.body) : undefined,
    }),
  );
}
