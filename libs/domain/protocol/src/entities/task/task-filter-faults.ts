import type { TaskError } from '../../errors/task-error.js';
import { taskStatuses } from './task-status.js';
import { closedWordFaults } from '../../message/closed-words.js';
import { taskAreas, taskTypes } from './task-words.js';

type Words = string | readonly string[] | undefined;

/** The task list filters with closed lists of values. */
interface ClosedTaskFilters {
  readonly protocol?: Words;
  readonly protocols?: Words;
  readonly domain?: Words;
  readonly domains?: Words;
  readonly status?: Words;
  readonly statuses?: Words;
  readonly task_type?: Words;
  readonly task_types?: Words;
}

/** One error for each unknown status, type or protocol of tasks. A value of another form is accepted and applied. */
export function taskFilterFaults(filters: ClosedTaskFilters = {}): readonly TaskError[] {
  const faultsOf = (names: readonly (keyof ClosedTaskFilters)[], words: readonly string[]) =>
    names.flatMap((name) => closedWordFaults(filters[name], `filters.${name}`, words));
  return [
    ...faultsOf(['protocol', 'protocols', 'domain', 'domains'], taskAreas),
    ...faultsOf(['status', 'statuses'], taskStatuses),
    ...faultsOf(['task_type', 'task_types'], taskTypes),
  ];
}
