import type { JsonObject, JsonValue } from '@switchyard/values';

/** The members that have a value. */
export function given(members: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  return Object.fromEntries(
    Object.entries(members).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
