import { projectError, type TaskError, type WireProfile } from '@switchyard/protocol';
import type { JsonObject } from '@switchyard/values';

/** Adds advisory errors to a payload: the answer is valid, and names what it could not answer. */
export function withErrors(
  payload: JsonObject,
  errors: readonly TaskError[],
  profile: WireProfile,
): JsonObject {
  if (errors.length === 0) return payload;
  return { ...payload, errors: errors.map((error) => projectError(error, profile.dialect, profile.form)) };
}
