import { isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';

/** A value of a message that is no list or object, and its path with `[]` for lists. */
interface Leaf {
  readonly at: string;
  readonly value: JsonValue;
}

/** Returns all leaves of a message, without empty values and `null`. */
export function leavesOf(value: JsonValue, at = ''): readonly Leaf[] {
  if (Array.isArray(value)) return value.flatMap((item) => leavesOf(item, `${at}[]`));
  if (isJsonObject(value))
    return Object.entries(value).flatMap(([name, inner]) =>
      leavesOf(inner, at === '' ? name : `${at}.${name}`),
    );
  return value === null ? [] : [{ at, value }];
}

/** Returns a check whether a leaf is in the written message, names of maps included, by its own or another name. */
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

/** Lists that have another name in 2.5, with the same values in the same order. */
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

/** Amounts are numbers or texts, and times may have any zone. */
function textOf(value: JsonValue): string {
  if (typeof value !== 'string') return JSON.stringify(value);
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.test(value) ? String(Date.parse(value)) : value;
}

/** Values of a closed list and small numbers may be equal by chance; generated numbers and texts are not. */
function isOneOfAKind(value: JsonValue): boolean {
  if (typeof value === 'number') return value >= 1_000;
  return typeof value === 'string' && /\d/.test(value) && value.length > 2;
}

/** True if a finding names this path or a member that contains it. */
export function isNotified(at: string, fields: ReadonlySet<string>): boolean {
  if (fields.has(at)) return true;
  const cut = Math.max(at.lastIndexOf('.'), at.lastIndexOf('['));
  return cut > 0 && isNotified(at.slice(0, cut), fields);
}

/** Returns the field of a finding as a path, without indexes and names of items. */
export function pathOf(field: string): string {
  return field.replace(/\[[^\]]*\]/g, '[]');
}
