import type { Json } from './buy-request.js';

/**
 * Returns all places of a JSON Schema where a request can contain a text of the caller, and so an id: dotted, with `[]`
 * for lists. An object without declared members is one place. Closed lists, numbers and booleans are none.
 */
export function textPlaces(schema: Json): readonly string[] {
  return [...new Set(placesOf(schema, ''))];
}

function placesOf(schema: Json, at: string): readonly string[] {
  const ways = ['anyOf', 'oneOf', 'allOf'].flatMap((name) => (schema[name] ?? []) as readonly Json[]);
  if (ways.length > 0) return ways.flatMap((way) => placesOf(way, at));
  if (schema['enum'] !== undefined || schema['const'] !== undefined) return [];
  if (schema['$ref'] !== undefined) throw new Error(`${at} refers to another schema: follow it here first.`);
  switch (schema['type']) {
    case 'array': {
      const items = (schema['items'] ?? {}) as Json;
      return placesOf(items, `${at}[]`);
    }
    case 'object': {
      const members = Object.entries((schema['properties'] ?? {}) as Json);
      if (members.length === 0) return [at];
      return members.flatMap(([name, member]) =>
        placesOf(member as Json, at === '' ? name : `${at}.${name}`),
      );
    }
    case 'string':
    case undefined:
      return [at];
    default:
      return [];
  }
}

/** Returns all places of a request that contain one of these texts, as a value or a member name. */
export function placesWith(texts: readonly string[], value: unknown, at = ''): readonly string[] {
  if (typeof value === 'string') return texts.some((text) => value.includes(text)) ? [at] : [];
  if (Array.isArray(value)) return value.flatMap((item) => placesWith(texts, item, `${at}[]`));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => [
    ...(texts.includes(name) ? [at] : []),
    ...placesWith(texts, member, at === '' ? name : `${at}.${name}`),
  ]);
}

/** True if a place of a request equals a place of a schema, or is inside it. */
export const standsIn = (place: string, found: string): boolean =>
  found === place || found.startsWith(`${place}.`) || found.startsWith(`${place}[]`);
