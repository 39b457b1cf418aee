import type { Command } from 'commander';
import { ok, type JsonObject } from '@switchyard/values';
import type { CliDeps } from '../../deps.js';
import { objectsIn } from '../../objects-in.js';
import { printing, type Outcome } from '../../outcome.js';
import { cell } from '../../plain.js';
import { sellerProgress } from '../../seller-progress.js';
import { table } from '../../table.js';
import { onInstance, withTarget, type TargetOptions } from '../../target.js';
import { spokenRelease } from '../../read-options.js';

interface ListOptions extends TargetOptions {
  readonly status?: string;
  readonly cursor?: string;
}

interface CancelOptions extends TargetOptions {
  readonly reason?: string;
}

/** `tasks list` and `tasks cancel ID`: the caller's own tasks. */
export function registerTasks(program: Command, deps: CliDeps): void {
  const tasks = program.command('tasks').description('tasks that continue after their first answer');
  withTarget(tasks.command('list'))
    .description('list your tasks, newest first')
    .option('--status <status>', 'only these, as submitted or working')
    .option('--cursor <cursor>', 'cursor of the next page, from the output of the page before')
    .action(printing(deps, list));
  withTarget(tasks.command('cancel'))
    .description('cancel a task at every seller that still works on it')
    .argument('<id>', 'task id')
    .option('--reason <text>', 'why, for the sellers')
    .action(printing(deps, cancel));
}

function list(deps: CliDeps, options: ListOptions): Promise<Outcome> {
  const { status, cursor } = options;
  return onInstance(deps, options, async (instance) => {
    const answer = await instance.task(
      'list_tasks',
      {
        adcp_version: spokenRelease,
        ...(status === undefined ? {} : { filters: { statuses: [status] } }),
        ...(cursor === undefined ? {} : { pagination: { cursor } }),
      },
      sellerProgress(deps),
    );
    if (!answer.ok) return answer;
    const { body } = answer.value;
    const rows = objectsIn(body['tasks']).map((task) => [
      task['task_id'],
      task['task_type'],
      task['status'],
      task['created_at'],
      task['completed_at'],
    ]);
    const text =
      rows.length === 0
        ? 'No task matches.'
        : [table(deps, ['Task', 'What', 'Status', 'Since', 'Until'], rows), ...more(body)].join('\n');
    return ok({ json: body, text });
  });
}

function more(body: JsonObject): readonly string[] {
  const page = body['pagination'] as JsonObject | undefined;
  return typeof page?.['cursor'] === 'string' ? [`More: --cursor ${cell(page['cursor'])}`] : [];
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
