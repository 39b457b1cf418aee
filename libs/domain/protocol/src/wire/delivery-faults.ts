import { canonicalJson, type JsonObject } from '@switchyard/values';
import type { TaskError } from '../model/task-error.js';
import { taskError } from '../task-error.js';
import { listAt, objectAt } from './pick.js';

/** Both names of where a signal has to go, with different places: none of the two is chosen. */
export function deliveryFaults(args: JsonObject): readonly TaskError[] {
  const delivery = objectAt(args, 'deliver_to');
  const both = [
    [listAt(delivery, 'deployments'), 'destinations'],
    [listAt(delivery, 'countries'), 'countries'],
  ] as const;
  return both.flatMap(([inside, name]) => {
    const beside = listAt(args, name);
    if (inside === undefined || beside === undefined) return [];
    if (canonicalJson(inside) === canonicalJson(beside)) return [];
    return [
      taskError('INVALID_REQUEST', `deliver_to and ${name} name different places.`, {
        field: name,
        suggestion: 'Send one of the two.',
      }),
    ];
  });
}
