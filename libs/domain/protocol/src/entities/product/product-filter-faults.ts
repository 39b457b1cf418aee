import { canonicalJson, type JsonObject, type JsonValue } from '@switchyard/values';
import { taskError } from '../../errors/task-error.js';
import type { TaskError } from '../../errors/task-fault.js';
import type { Form } from '../../versions/wire-profile.js';
import { is3x } from '../../message/form.js';
import { listAt, member, numberAt, objectAt, textAt } from '../../message/pick.js';
import { countryCode } from '../../message/shapes.js';

const day = /^\d{4}-\d{2}-\d{2}$/;

/**
 * Errors for product filters that no product can match or that contradict themselves: sellers would read them
 * differently. Limits and values are those of the published filters.
 */
export function productFilterFaults(filters: JsonObject | undefined, from: Form): readonly TaskError[] {
  if (filters === undefined) return [];
  return [
    ...budgetFaults(filters),
    ...countryFaults(filters),
    ...dayFaults(filters),
    ...(is3x(from) ? emptyFaults(filters) : []),
  ];
}

function budgetFaults(filters: JsonObject): readonly TaskError[] {
  const faults: TaskError[] = [];
  const below = (name: string, amount: number | undefined): void => {
    if (amount !== undefined && amount < 0)
      faults.push(invalid(name, `filters.${name} is not 0 or more.`, `Send 0 or more as filters.${name}.`));
  };
  below('budget', numberAt(filters, 'budget'));
  for (const name of ['budget', 'budget_range']) {
    const range = objectAt(filters, name);
    const [min, max] = [numberAt(range, 'min'), numberAt(range, 'max')];
    below(`${name}.min`, min);
    below(`${name}.max`, max);
    if (min !== undefined && max !== undefined && min > max)
      faults.push(
        invalid(`${name}.min`, 'The least that is to be spent is more than the most.', 'Change one.'),
      );
  }
  const [one, other] = [member(filters, 'budget'), member(filters, 'budget_range')];
  if (one !== undefined && other !== undefined && canonicalJson(one) !== canonicalJson(other))
    faults.push(
      taskError('INVALID_REQUEST', 'budget and budget_range say different things.', {
        field: 'filters.budget',
        suggestion: 'Send one of the two.',
      }),
    );
  return faults;
}

function countryFaults(filters: JsonObject): readonly TaskError[] {
  return (listAt(filters, 'countries') ?? []).flatMap((code: JsonValue, at) =>
    typeof code === 'string' && countryCode.test(code)
      ? []
      : [
          invalid(
            `countries[${at}]`,
            'This is not a country by its code.',
            'Send its two letters in capitals (ISO 3166-1 alpha-2).',
          ),
        ],
  );
}

function dayFaults(filters: JsonObject): readonly TaskError[] {
  const [start, end] = [textAt(filters, 'start_date'), textAt(filters, 'end_date')];
  if (start === undefined || end === undefined || !day.test(start) || !day.test(end) || start <= end)
    return [];
  return [invalid('end_date', 'The last day is before the first.', 'Choose a later day.')];
}

/** Empty lists (`minItems` in 3.x). The older forms allow them, and there they are no filter. */
function emptyFaults(filters: JsonObject): readonly TaskError[] {
  return lists
    .filter((name) => listAt(filters, name)?.length === 0)
    .map((name) =>
      invalid(
        name,
        `filters.${name} is an empty list: it names nothing.`,
        `Name at least one, or leave filters.${name} out to filter by nothing.`,
      ),
    );
}

const lists = [
  ...['channels', 'countries', 'format_ids', 'format_types', 'pricing_currencies', 'regions', 'metros'],
  ...['postal_areas', 'geo_proximity', 'keywords', 'signal_targeting', 'required_geo_targeting'],
  ...['required_axe_integrations', 'required_performance_standards', 'required_metrics'],
  ...['required_vendor_metrics', 'video_placement_types', 'audio_distribution_types'],
  ...['sponsored_placement_types', 'social_placement_surfaces'],
];

function invalid(name: string, message: string, suggestion: string): TaskError {
  return taskError('VALIDATION_ERROR', message, { field: `filters.${name}`, suggestion });
}
