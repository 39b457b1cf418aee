import type { JsonObject } from '@switchyard/values';
import { type TaskError, taskError } from '../../errors/task-error.js';
import type { Form } from '../../versions/wire-profile.js';
import { is3x } from '../../message/form.js';
import { textAt } from '../../message/pick.js';

/**
 * Errors for packages of one list that have the same `buyer_ref`. In `service` and 2.5 it identifies the package in
 * answers and updates, so duplicates are ambiguous. 3.x does not have the member; there it is an extra of the caller.
 */
export function sameReferences(
  packages: readonly JsonObject[],
  list: string,
  form: Form,
): readonly TaskError[] {
  if (is3x(form)) return [];
  const seen = new Map<string, number>();
  return packages.flatMap((item, at) => {
    const reference = textAt(item, 'buyer_ref');
    const first = reference === undefined ? undefined : seen.get(reference);
    if (reference !== undefined && first === undefined) seen.set(reference, at);
    if (first === undefined) return [];
    return [
      taskError('INVALID_REQUEST', `${list}[${first}] has this buyer_ref as well.`, {
        field: `${list}[${at}].buyer_ref`,
        suggestion: 'Give each package a reference of its own.',
      }),
    ];
  });
}
