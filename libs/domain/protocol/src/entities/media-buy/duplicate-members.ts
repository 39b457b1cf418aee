import { canonicalJson, type JsonObject, type JsonValue } from '@switchyard/values';
import { taskError } from '../../errors/task-error.js';
import type { TaskError } from '../../errors/task-fault.js';
import { booleanAt, member, objectAt, objectsAt, textAt } from '../../message/pick.js';

/**
 * Errors for an update that gives two different values for one change; neither is chosen.
 *
 * The same member in `updates` and beside it, a status and a flag, and two changes of one package.
 */
export function duplicateMemberFaults(args: JsonObject): readonly TaskError[] {
  const wrapper = objectAt(args, 'updates') ?? {};
  const both = Object.entries(wrapper)
    // At the top level this is the webhook of this task, in `updates` the webhook of the buy.
    .filter(([name, value]) => name !== 'push_notification_config' && isOther(member(args, name), value))
    .map(([name]) => twice(name, 'This is said in updates as well, and otherwise.', 'Say it in one place.'));
  return [...both, ...statusFaults({ ...args, ...wrapper }, wrapper), ...packageFaults(args, wrapper)];
}

function isOther(beside: JsonValue | undefined, value: JsonValue): boolean {
  return beside !== undefined && canonicalJson(beside) !== canonicalJson(value);
}

/** `status` is the `service` form's member for the flags of the schemas. */
function statusFaults(all: JsonObject, wrapper: JsonObject): readonly TaskError[] {
  const paused = { active: false, paused: true }[textAt(wrapper, 'status') ?? ''];
  const flag = booleanAt(all, 'paused');
  if (paused === undefined || flag === undefined || paused === flag) return [];
  return [twice('updates.status', 'The status and paused contradict each other.', 'Send one of the two.')];
}

function packageFaults(args: JsonObject, wrapper: JsonObject): readonly TaskError[] {
  const isWrapped = member(wrapper, 'packages') !== undefined;
  const seen = new Set<string>();
  return objectsAt(isWrapped ? wrapper : args, 'packages').flatMap((item, at) => {
    const name = ['package_id', 'buyer_ref'].find((candidate) => textAt(item, candidate) !== undefined);
    if (name === undefined) return [];
    const subject = `${name} ${textAt(item, name) ?? ''}`;
    if (!seen.has(subject)) {
      seen.add(subject);
      return [];
    }
    const field = `${isWrapped ? 'updates.' : ''}packages[${at}].${name}`;
    return [twice(field, 'This package is changed twice.', 'Send one change of each package.')];
  });
}

function twice(field: string, message: string, suggestion: string): TaskError {
  return taskError('INVALID_REQUEST', message, { field, suggestion });
}
