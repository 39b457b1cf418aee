import { isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';

/** A value of a message that holds no others, and its path: lists with `[]`. */
export interface Leaf {
  readonly at: string;
  readonly value: JsonValue;
}

/** Every leaf of a message. What is empty says nothing, and so does `null`. */
export function leavesOf(value: JsonValue, at = ''): readonly Leaf[] {
  if (Array.isArray(value)) return value.flatMap((item) => leavesOf(item, `${at}[]`));
  if (isJsonObject(value))
    return Object.entries(value).flatMap(([name, inner]) =>
      leavesOf(inner, at === '' ? name : `${at}.${name}`),
    );
  return value === null ? [] : [{ at, value }];
}

/** What a message came to, names of maps with it: whether a leaf of it is among what was written, as itself or under another name. */
export function holder(written: JsonObject): (leaf: Leaf) => boolean {
  const placed = new Set<string>();
  const anywhere = new Set<string>();
  for (const { at, value } of leavesOf(written)) {
    placed.add(`${at} ${textOf(value)}`);
    if (isOneOfAKind(value)) anywhere.add(textOf(value));
    for (const name of at.split(/[.[\]]+/)) if (isOneOfAKind(name)) anywhere.add(name);
  }
  return ({ at, value }) =>
    [at, ...namesake(at)].some((place) => placed.has(`${place} ${textOf(value)}`)) ||
    (isOneOfAKind(value) && anywhere.has(textOf(value)));
}

/** Lists that 2.5 has under a name of its own, with the same values in the same places. */
const namesakes: readonly (readonly [string, string])[] = [
  ['geo_country_any_of', 'geo_countries'],
  ['geo_region_any_of', 'geo_regions'],
  ['assets_required[]', 'assets[]'],
];

function namesake(at: string): readonly string[] {
  return namesakes.flatMap(([older, newer]) =>
    at.includes(`.${older}`)
      ? [at.replace(`.${older}`, `.${newer}`)]
      : at.includes(`.${newer}`)
        ? [at.replace(`.${newer}`, `.${older}`)]
        : [],
  );
}

/** Amounts are numbers in some places and texts in others, and a moment may be told by any clock. */
function textOf(value: JsonValue): string {
  if (typeof value !== 'string') return JSON.stringify(value);
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.test(value) ? String(Date.parse(value)) : value;
}

/** Words of a list and small numbers come up by chance; what the generator numbered does not. */
function isOneOfAKind(value: JsonValue): boolean {
  if (typeof value === 'number') return value >= 1_000;
  return typeof value === 'string' && /\d/.test(value) && value.length > 2;
}

/** Whether a finding names this path, or something that it is part of. */
export function isNotified(at: string, fields: ReadonlySet<string>): boolean {
  if (fields.has(at)) return true;
  const cut = Math.max(at.lastIndexOf('.'), at.lastIndexOf('['));
  return cut > 0 && isNotified(at.slice(0, cut), fields);
}

/** The field of a finding as a path: places in lists, and names of items, are left out. */
export function pathOf(field: string): string {
  return field.replace(/\[[^\]]*\]/g, '[]');
}
