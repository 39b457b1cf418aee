import { isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';

/** The strings of a list; empty if the value is no list. */
export function textsOf(value: JsonValue | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

/** The objects of a list; empty if the value is no list. */
export function objectsOf(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/** The object, or an empty one. */
export function objectOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** True if one of the stated values is requested, or if none is stated or none is requested. */
export function overlaps(has: readonly string[], wanted: readonly string[] | undefined): boolean {
  if (wanted === undefined || wanted.length === 0 || has.length === 0) return true;
  return has.some((text) => wanted.includes(text));
}
