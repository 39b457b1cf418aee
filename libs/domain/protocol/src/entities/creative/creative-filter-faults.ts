import type { JsonObject } from '@switchyard/values';
import { type TaskError, taskError } from '../../errors/task-error.js';
import type { Form } from '../../versions/wire-profile.js';
import { is3x } from '../../message/form.js';
import { listAt } from '../../message/pick.js';

/**
 * Errors for empty lists, which 3.x rejects (`minItems` of its filters). Older forms allow them, and there an empty
 * list matches nothing. It never matches everything.
 */
export function emptyFilterFaults(value: JsonObject | undefined, from: Form): readonly TaskError[] {
  if (!is3x(from)) return [];
  return filterLists
    .filter((name) => listAt(value, name)?.length === 0)
    .map((name) =>
      taskError('VALIDATION_ERROR', `filters.${name} is an empty list: it names nothing.`, {
        field: `filters.${name}`,
        suggestion: `Name at least one, or leave filters.${name} out to filter by nothing.`,
      }),
    );
}

const filterLists = [
  ...['format_ids', 'formats', 'statuses', 'tags', 'tags_any', 'creative_ids', 'assigned_to_packages'],
  ...['media_buy_ids', 'buyer_refs', 'accounts', 'concept_ids'],
];
