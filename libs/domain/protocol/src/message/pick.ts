import { defined, isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';

/*
 * Readers of members in a peer's object. They read own members only and never throw: a member of another type than the
 * requested one reads as absent.
 */

export function member(object: JsonObject | undefined, key: string): JsonValue | undefined {
  return object !== undefined && Object.hasOwn(object, key) ? object[key] : undefined;
}

export function textAt(object: JsonObject | undefined, key: string): string | undefined {
  const value = member(object, key);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function booleanAt(object: JsonObject | undefined, key: string): boolean | undefined {
  const value = member(object, key);
  return typeof value === 'boolean' ? value : undefined;
}

export function numberAt(object: JsonObject | undefined, key: string): number | undefined {
  const value = member(object, key);
  return typeof value === 'number' ? value : undefined;
}

/** A whole number of zero or more, up to the largest safe integer. */
export function countAt(object: JsonObject | undefined, key: string): number | undefined {
  const value = numberAt(object, key);
  return value !== undefined && value >= 0 && Number.isSafeInteger(value) ? value : undefined;
}

/** The number of a revision in 32 bits; a larger one is ignored. */
export function revisionAt(object: JsonObject): number | undefined {
  const revision = countAt(object, 'revision');
  return revision !== undefined && revision < 2 ** 31 ? revision : undefined;
}

export function objectAt(object: JsonObject | undefined, key: string): JsonObject | undefined {
  const value = member(object, key);
  return isJsonObject(value) ? value : undefined;
}

export function listAt(object: JsonObject | undefined, key: string): readonly JsonValue[] | undefined {
  const value = member(object, key);
  return Array.isArray(value) ? value : undefined;
}

export function objectsAt(object: JsonObject | undefined, key: string): readonly JsonObject[] {
  return (listAt(object, key) ?? []).filter(isJsonObject);
}

export function textsAt(object: JsonObject | undefined, key: string): readonly string[] {
  return (listAt(object, key) ?? []).filter((item) => typeof item === 'string');
}

/** A copy with some members replaced; `undefined` keeps the old value, `null` is a value. Values are shared. */
export function patched(original: JsonObject, changes: Readonly<Record<string, unknown>>): JsonObject {
  return { ...original, ...(defined(changes) as JsonObject) };
}

/** An item of a sender; required members that it lacks are taken from our own version, built only then. */
export function completed(
  item: JsonObject,
  build: () => JsonObject,
  required: readonly string[],
): JsonObject {
  const lacking = required.filter((name) => item[name] === undefined);
  if (lacking.length === 0) return item;
  const built = build();
  const added = lacking.flatMap((name): [string, JsonValue][] => {
    const value = built[name];
    return value === undefined ? [] : [[name, value]];
  });
  return { ...item, ...Object.fromEntries(added) };
}

/** The object without some members: the same object if it has none of them. Values are shared. */
export function without(original: JsonObject, keys: readonly string[]): JsonObject {
  if (!keys.some((key) => Object.hasOwn(original, key))) return original;
  const copy = { ...original };
  for (const key of keys) Reflect.deleteProperty(copy, key);
  return copy;
}
