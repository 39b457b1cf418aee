import type { Schemas } from '@switchyard/testing';
import { isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';

/** A schema with its references and `allOf` merged, and with the branches of its choices. */
export interface Flat {
  readonly schema: JsonObject;
  readonly properties: Readonly<Record<string, JsonValue>>;
  readonly required: ReadonlySet<string>;
  /** One list of branches for each `oneOf` and `anyOf`. */
  readonly choices: readonly (readonly JsonValue[])[];
  /** The references followed on the way, to detect recursion. */
  readonly references: readonly string[];
}

const known = new WeakMap<object, Flat>();

/** Merges a schema. Each one is merged once. */
export function flatten(schemas: Schemas, schema: JsonValue): Flat {
  if (typeof schema !== 'object' || schema === null) return put(schemas, schema);
  const before = known.get(schema);
  if (before !== undefined) return before;
  const flat = put(schemas, schema);
  known.set(schema, flat);
  return flat;
}

function put(schemas: Schemas, schema: JsonValue): Flat {
  const flat = {
    schema: {} as Record<string, JsonValue>,
    properties: {} as Record<string, JsonValue>,
    required: new Set<string>(),
    choices: [] as JsonValue[][],
    references: [] as string[],
  };
  const add = (part: JsonValue): void => {
    if (!isJsonObject(part)) return;
    const reference = part['$ref'];
    if (typeof reference === 'string') {
      flat.references.push(reference);
      add(schemas.at(reference));
    }
    for (const [name, value] of Object.entries(part)) {
      if (name === 'properties' && isJsonObject(value)) {
        for (const [key, inner] of Object.entries(value)) {
          const other = flat.properties[key];
          flat.properties[key] = other === undefined ? inner : { allOf: [other, inner] };
        }
      } else if (name === 'required' && Array.isArray(value)) {
        for (const key of value) if (typeof key === 'string') flat.required.add(key);
      } else if (name === 'allOf' && Array.isArray(value)) value.forEach(add);
      else if ((name === 'oneOf' || name === 'anyOf') && Array.isArray(value)) flat.choices.push([...value]);
      else if (name === 'items' && flat.schema['items'] !== undefined)
        flat.schema['items'] = { allOf: [flat.schema['items'], value] };
      else flat.schema[name] = value;
    }
  };
  add(schema);
  return flat;
}

/** The schema of a list's items or its further items; undefined if there is none. */
export function itemsOf({ schema }: Flat): JsonValue | undefined {
  const { items } = schema;
  return Array.isArray(items) ? items[0] : items;
}
