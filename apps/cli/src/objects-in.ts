import { isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';

/** The objects of a list; whatever else a member holds counts as an empty list. */
export function objectsIn(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
