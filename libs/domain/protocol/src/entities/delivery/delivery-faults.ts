import { canonicalJson, isJsonObject, type JsonObject } from '@switchyard/values';
import { taskError } from '../../errors/task-error.js';
import type { TaskError } from '../../errors/task-fault.js';
import { listAt, objectAt, textAt } from '../../message/pick.js';
import { countryCode } from '../../message/shapes.js';

/** Errors for destinations of a signal given under both names with different values. */
export function deliveryFaults(args: JsonObject): readonly TaskError[] {
  const delivery = objectAt(args, 'deliver_to');
  const both = [
    [listAt(delivery, 'deployments'), 'deliver_to', 'destinations'],
    [listAt(delivery, 'countries'), 'deliver_to', 'countries'],
    [listAt(args, 'deployments'), 'deployments', 'destinations'],
  ] as const;
  return both.flatMap(([list, called, name]) => {
    const other = listAt(args, name);
    if (list === undefined || other === undefined) return [];
    if (canonicalJson(list) === canonicalJson(other)) return [];
    return [
      taskError('INVALID_REQUEST', `${called} and ${name} name different places.`, {
        field: name,
        suggestion: 'Send one of the two.',
      }),
    ];
  });
}

/** Errors for destination agents whose address is not a URL, which every form requires. */
export function addressFaults(args: JsonObject): readonly TaskError[] {
  const places = [
    [listAt(objectAt(args, 'deliver_to'), 'deployments'), 'deliver_to.deployments'],
    [listAt(args, 'deployments'), 'deployments'],
    [listAt(args, 'destinations'), 'destinations'],
  ] as const;
  return places.flatMap(([listed, name]) =>
    (listed ?? []).flatMap((place, at) => {
      const address = isJsonObject(place) ? textAt(place, 'agent_url') : undefined;
      if (address === undefined || URL.canParse(address)) return [];
      const field = `${name}[${at}].agent_url`;
      return [
        taskError('VALIDATION_ERROR', `${field} is not an absolute URL.`, {
          field,
          suggestion: `Send an absolute URL as ${field}.`,
        }),
      ];
    }),
  );
}

/** Errors for countries that are not named by their code (ISO 3166-1 alpha-2): agents would read them differently. */
export function countryFaults(args: JsonObject): readonly TaskError[] {
  const places = [
    [listAt(objectAt(args, 'deliver_to'), 'countries'), 'deliver_to.countries'],
    [listAt(args, 'countries'), 'countries'],
  ] as const;
  return places.flatMap(([listed, name]) =>
    (listed ?? []).flatMap((code, at) =>
      typeof code === 'string' && countryCode.test(code)
        ? []
        : [
            taskError('VALIDATION_ERROR', 'This is not a country by its code.', {
              field: `${name}[${at}]`,
              suggestion: 'Send its two letters in capitals (ISO 3166-1 alpha-2).',
            }),
          ],
    ),
  );
}
