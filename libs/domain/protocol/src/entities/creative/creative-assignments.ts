import { defined, isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';
import type { CreativeAssignment } from './creative-messages.js';
import type { Form } from '../../versions/wire-profile.js';
import { is3x } from '../../message/form.js';
import { member, numberAt, textAt, textsAt } from '../../message/pick.js';

/** Reads both shapes of `assignments`: a list, or package ids by creative id. */
export function readAssignments(args: JsonObject): readonly CreativeAssignment[] {
  const value = member(args, 'assignments');
  if (Array.isArray(value)) return value.filter(isJsonObject).map(readAssignment);
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([creativeId, packages]) =>
    Array.isArray(packages)
      ? packages.filter((id) => typeof id === 'string').map((packageId) => ({ creativeId, packageId }))
      : [],
  );
}

function readAssignment(value: JsonObject): CreativeAssignment {
  const placementIds = textsAt(value, 'placement_ids');
  return {
    creativeId: textAt(value, 'creative_id') ?? '',
    packageId: textAt(value, 'package_id') ?? '',
    ...defined({
      weight: numberAt(value, 'weight'),
      placementIds: placementIds.length === 0 ? undefined : placementIds,
    }),
  };
}

/** The assignments in the shape of a form; `undefined` where there are none. */
export function projectAssignments(
  assignments: readonly CreativeAssignment[],
  to: Form,
): JsonValue | undefined {
  if (assignments.length === 0) return undefined;
  if (is3x(to)) {
    return assignments.map(({ creativeId, packageId, weight, placementIds }) =>
      defined({
        creative_id: creativeId,
        package_id: packageId,
        weight,
        placement_ids: placementIds === undefined ? undefined : [...placementIds],
      }),
    );
  }
  const byCreative = new Map<string, string[]>();
  for (const { creativeId, packageId } of assignments)
    byCreative.set(creativeId, [...(byCreative.get(creativeId) ?? []), packageId]);
  return Object.fromEntries(byCreative);
}
