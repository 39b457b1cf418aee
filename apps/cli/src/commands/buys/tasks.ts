import type { Command } from 'commander';
import { ok } from '@switchyard/values';
import type { CliDeps } from '../../deps.js';
import { objectsIn } from '../../objects-in.js';
import { printing, type Outcome } from '../../outcome.js';
import { cell } from '../../plain.js';
import { sellerProgress } from '../../seller-progress.js';
import { table } from '../../table.js';
import { atInstance, onInstance, withTarget, type At, type TargetOptions } from '../../target.js';
import { listedByTask, withPages, type PageOptions } from '../../pages.js';

interface ListOptions extends PageOptions {
  readonly status?: string;
}

interface CancelOptions extends TargetOptions {
  readonly reason?: string;
}

/** `tasks list` and `tasks cancel ID`: the caller's own tasks. */
export function registerTasks(program: Command, deps: CliDeps): void {
  const tasks = program.command('tasks').description('tasks that continue after their first answer');
  withTarget(withPages(tasks.command('list')))
    .description('list your tasks, newest first')
    .option('--status <status>', 'only these, as submitted or working')
    .action(atInstance(deps, list));
  withTarget(tasks.command('cancel'))
    .description('cancel a task at every seller that still works on it')
    .argument('<id>', 'task id')
    .option('--reason <text>', 'why, for the sellers')
    .action(printing(deps, cancel));
}

function list(at: At<ListOptions>): Promise<Outcome> {
  const { status } = at.options;
  return listedByTask(at, {
    task: 'list_tasks',
    args: status === undefined ? {} : { filters: { statuses: [status] } },
    name: 'tasks',
    isAnswer: true,
    columns: {
      Task: 'task_id',
      What: 'task_type',
      Status: 'status',
      Since: 'created_at',
      Until: 'completed_at',
    },
    none: 'No task matches.',
  });
}

function cancel(deps: CliDeps, id: string, options: CancelOptions): Promise<Outcome> {
  const { reason } = options;
  return onInstance(deps, options, async (instance) => {
    const answer = await instance.task(
      'cancel_task',
      { task_id: id, ...(reason === undefined ? {} : { reason }) },
      sellerProgress(deps),
    );
    if (!answer.ok) return answer;
    const { body } = answer.value;
    const rows = objectsIn(body['sellers']).map((row) => [row['seller'], row['status'], row['reason']]);
    const head = `Task ${cell(id)}: ${cell(body['status'])}`;
    const text = rows.length === 0 ? head : `${head}\n${table(deps, ['Seller', 'Said', 'Why'], rows)}`;
    return ok({ json: body, text });
  });
}
