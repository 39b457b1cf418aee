import { isJsonObject, type JsonObject } from '@switchyard/values';
import { type TaskError, taskError } from '../../errors/task-error.js';
import type { Form } from '../../versions/wire-profile.js';
import { is3x } from '../../message/form.js';
import { member } from '../../message/pick.js';

/** Members that the `service` form has inside `updates` only, and the schemas' equivalents. */
const instead: Readonly<Record<string, string>> = {
  status: 'paused or canceled',
  budget: 'the budget of each package, in packages',
  budget_change: 'the budget of each package, in packages',
  targeting: 'the targeting_overlay of each package, in packages',
  targeting_overlay: 'the targeting_overlay of each package, in packages',
};

/**
 * Errors for changes in a place that the form does not read: without them the request would succeed and change nothing.
 */
export function misplacedChanges(args: JsonObject, form: Form): readonly TaskError[] {
  const wrapper = isJsonObject(args['updates']) ? args['updates'] : {};
  return Object.entries(instead)
    .filter(([name]) => member(args, name) !== undefined && member(wrapper, name) === undefined)
    .map(([name, wish]) =>
      taskError('INVALID_REQUEST', `A change of a buy has no ${name} here.`, {
        field: name,
        suggestion: is3x(form) || form === '2.5' ? `Send ${wish}.` : `Send it in updates, or ${wish}.`,
      }),
    );
}
