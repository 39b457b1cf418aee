import type { Schemas } from '@switchyard/testing';
import { isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';
import { flatten, itemsOf, type Flat } from './members.js';

/** A place in a schema: its members, whether one occurred in a message, and how often it was tried. */
export interface Place {
  readonly inner: Map<string, Place>;
  /** Schemas of a value there, from all branches that lead there. */
  readonly schemas: JsonValue[];
  isFound: boolean;
  tries: number;
  /** Whether anything below was still missing at the start of this round. */
  open?: { readonly round: number; readonly is: boolean };
}

export const mostTries = 16;

export function listPlaces(place: Place, at: string, tell: (place: Place, at: string) => void): void {
  for (const [name, inner] of place.inner) {
    const path = name === '[]' ? `${at}[]` : at === '' ? name : `${at}.${name}`;
    if (name !== '[]') tell(inner, path);
    listPlaces(inner, path, tell);
  }
}

const empty = (): Place => ({ inner: new Map(), schemas: [], isFound: false, tries: 0 });

export function placeOf(
  schemas: Schemas,
  schema: JsonValue,
  above: readonly string[],
  into = empty(),
): Place {
  const flat = flatten(schemas, schema);
  into.schemas.push(schema);
  if (isAgain(flat, above)) return into;
  const within = [...above, ...flat.references];
  const items = itemsOf(flat);
  if (items !== undefined) into.inner.set('[]', placeOf(schemas, items, within, into.inner.get('[]')));
  for (const [name, inner] of Object.entries(flat.properties)) {
    if (inner === false) continue;
    into.inner.set(name, placeOf(schemas, inner, within, into.inner.get(name)));
  }
  const entries = entriesOf(flat);
  if (entries !== undefined) into.inner.set('*', placeOf(schemas, entries, within, into.inner.get('*')));
  for (const branches of flat.choices) for (const branch of branches) placeOf(schemas, branch, within, into);
  return into;
}

/** The schema of members with any name, if there is one. */
export function entriesOf({ schema }: Flat): JsonObject | undefined {
  const { patternProperties, additionalProperties } = schema;
  const [byPattern] = isJsonObject(patternProperties) ? Object.values(patternProperties) : [];
  return [byPattern, additionalProperties].find((one) => isJsonObject(one) && Object.keys(one).length > 0) as
    | JsonObject
    | undefined;
}

export function isAgain({ references }: Flat, above: readonly string[]): boolean {
  return references.some((reference) => above.includes(reference));
}

/** True if something below is missing and was not tried too often. */
export function isOpen(place: Place, round: number): boolean {
  if (place.open?.round === round) return place.open.is;
  let is = false;
  for (const [name, current] of place.inner)
    is = (name !== '[]' && !current.isFound && current.tries < mostTries) || isOpen(current, round) || is;
  place.open = { round, is };
  return is;
}

/** Returns the place of a message's value by its steps. */
export function placeAt(whole: Place, steps: readonly string[]): Place | undefined {
  return steps.reduce<Place | undefined>(
    (place, step) => place?.inner.get(step) ?? place?.inner.get('[]') ?? place?.inner.get('*'),
    whole,
  );
}

export function markTried(value: JsonValue, place: Place | undefined): void {
  walk(value, place, (current) => {
    current.tries += 1;
    return false;
  });
}

/** Records the members of a message. Returns true if one of them is new. */
export function markFound(value: JsonValue, place: Place | undefined): boolean {
  return walk(value, place, (current) => {
    const isNew = !current.isFound;
    current.isFound = true;
    return isNew;
  });
}

function walk(value: JsonValue, place: Place | undefined, visit: (place: Place) => boolean): boolean {
  if (place === undefined) return false;
  if (Array.isArray(value)) {
    return value.map((item) => walk(item, place.inner.get('[]'), visit)).some(Boolean);
  }
  if (!isJsonObject(value)) return false;
  return Object.entries(value)
    .map(([name, inner]) => {
      const below = place.inner.get(name) ?? place.inner.get('*');
      const isNew = below !== undefined && visit(below);
      return walk(inner, below, visit) || isNew;
    })
    .some(Boolean);
}
