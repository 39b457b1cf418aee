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

/** What a message came to: whether a leaf of it is among what was written, as itself or under another name. */
export function holder(written: JsonObject): (leaf: Leaf) => boolean {
  const placed = new Set<string>();
  const anywhere = new Set<string>();
  for (const { at, value } of leavesOf(written)) {
    placed.add(`${at} ${JSON.stringify(value)}`);
    if (isOneOfAKind(value)) anywhere.add(textOf(value));
  }
  return ({ at, value }) =>
    placed.has(`${at} ${JSON.stringify(value)}`) || (isOneOfAKind(value) && anywhere.has(textOf(value)));
}

/** Amounts are numbers in some places and texts in others. */
function textOf(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Words of a list and small numbers come up by chance; what the generator numbered does not. */
function isOneOfAKind(value: JsonValue): boolean {
  if (typeof value === 'number') return value >= 1_000;
  return typeof value === 'string' && /\d/.test(value) && value.length > 2;
}

/** Whether a finding names this path, or something that it is part of. */
export function isTold(at: string, fields: ReadonlySet<string>): boolean {
  if (fields.has(at)) return true;
  const cut = Math.max(at.lastIndexOf('.'), at.lastIndexOf('['));
  return cut > 0 && isTold(at.slice(0, cut), fields);
}

/** The field of a finding as a path: places in lists, and names of items, are left out. */
export function pathOf(field: string): string {
  return field.replace(/\[[^\]]*\]/g, '[]');
}
