import type { TaskError } from '../../errors/task-error.js';
import { taskStatuses } from './task-status.js';
import { closedWordFaults } from '../../message/closed-words.js';
import { taskAreas, taskTypes } from './task-words.js';

type Words = string | readonly string[] | undefined;

/** The filters of a list of tasks whose words come from a closed list. */
export interface ClosedTaskFilters {
  readonly protocol?: Words;
  readonly protocols?: Words;
  readonly domain?: Words;
  readonly domains?: Words;
  readonly status?: Words;
  readonly statuses?: Words;
  readonly task_type?: Words;
  readonly task_types?: Words;
}

/**
 * One error for each word that no form has for a state, a kind or a place of tasks. A word that another form has is taken:
 * it finds what there is of it.
 */
export function taskFilterFaults(filters: ClosedTaskFilters = {}): readonly TaskError[] {
  const faultsOf = (names: readonly (keyof ClosedTaskFilters)[], words: readonly string[]) =>
    names.flatMap((name) => closedWordFaults(filters[name], `filters.${name}`, words));
  return [
    ...faultsOf(['protocol', 'protocols', 'domain', 'domains'], taskAreas),
    ...faultsOf(['status', 'statuses'], taskStatuses),
    ...faultsOf(['task_type', 'task_types'], taskTypes),
  ];
}
