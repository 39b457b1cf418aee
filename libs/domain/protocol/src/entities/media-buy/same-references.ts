import type { JsonObject } from '@switchyard/values';
import { type TaskError, taskError } from '../../errors/task-error.js';
import type { Form } from '../../versions/wire-profile.js';
import { is3x } from '../../message/form.js';
import { textAt } from '../../message/pick.js';

/**
 * Packages of one list that carry a `buyer_ref` of another in it. In the older forms it is the buyer's identifier of the
 * package (`service` and 2.5), by which answers are matched and changes name it: two of one name could
 * not be told apart. 3.x has it no more, and whoever sends it there has it as a word of its own.
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
