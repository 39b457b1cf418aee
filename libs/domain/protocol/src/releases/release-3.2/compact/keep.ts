import { isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';

/** Members that a closed shape has: `true` for one that is taken whole, a shape, or a list of items of a shape. */
export type Shape = true | readonly [Shape] | { readonly [name: string]: Shape };

/** A value with the members of a shape alone. The paths of the others are added to `lost`, with `[]` for lists. */
export function keep(value: JsonValue, shape: Shape, at: string, lost: Set<string>): JsonValue {
  if (shape === true) return value;
  if (isList(shape)) {
    const [item] = shape;
    return Array.isArray(value) ? value.map((inner: JsonValue) => keep(inner, item, `${at}[]`, lost)) : value;
  }
  if (!isJsonObject(value)) return value;
  const kept: Record<string, JsonValue> = {};
  for (const [name, inner] of Object.entries(value)) {
    const own = Object.hasOwn(shape, name) ? shape[name] : undefined;
    if (own === undefined) lost.add(`${at}.${name}`);
    else kept[name] = keep(inner, own, `${at}.${name}`, lost);
  }
  return kept;
}

function isList(shape: Exclude<Shape, true>): shape is readonly [Shape] {
  return Array.isArray(shape);
}

/** Each of these members as it is. */
export function whole(...names: readonly string[]): Readonly<Record<string, true>> {
  return Object.fromEntries(names.map((name) => [name, true]));
}

/** The members of an object that the older task has under the same name. */
export function same(object: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(
    names.flatMap((name): [string, JsonValue][] => {
      const value = object[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
