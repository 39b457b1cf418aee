import { isJsonObject, type JsonObject } from '@switchyard/values';
import { type TaskError, taskError } from '../../errors/task-error.js';
import type { Form } from '../../versions/wire-profile.js';
import { is3x } from '../../message/form.js';
import { member } from '../../message/pick.js';

/** What the `service` form has inside `updates` alone, and how the schemas say the same. */
const instead: Readonly<Record<string, string>> = {
  status: 'paused or canceled',
  budget: 'the budget of each package, in packages',
  budget_change: 'the budget of each package, in packages',
  targeting: 'the targeting_overlay of each package, in packages',
  targeting_overlay: 'the targeting_overlay of each package, in packages',
};

/** Changes that stand where no form reads them: the request would be answered as done, and nothing would have changed. */
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
