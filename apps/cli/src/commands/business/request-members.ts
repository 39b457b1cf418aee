import type { JsonObject, JsonValue } from '@switchyard/values';

/** `NAME=VALUE` texts as an object; a text without `=` has an empty value, which the server refuses. */
export function pairsIn(texts: readonly string[] | undefined): JsonObject | undefined {
  if (texts === undefined) return undefined;
  return Object.fromEntries(
    texts.map((text) => {
      const at = text.indexOf('=');
      return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
    }),
  );
}

/** The members that hold something. */
export function given(members: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  return Object.fromEntries(
    Object.entries(members).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
