export type Json = string | number | boolean | null | Json[] | JsonObject;
export interface JsonObject {
  [key: string]: Json;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Removes undefined members: an optional wire field is written that way here. */
export function compact(members: Readonly<Record<string, Json | undefined>>): JsonObject {
  const stored: JsonObject = {};
  for (const [name, value] of Object.entries(members)) if (value !== undefined) stored[name] = value;
  return stored;
}

export function textOf(value: Json | undefined): string | undefined {
  return typeof value === 'string' && value.length > 0 ? value : undefined;
}

export function objectOf(value: Json | undefined): JsonObject | undefined {
  return isObject(value) ? value : undefined;
}

export function listOf(value: Json | undefined): readonly Json[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

/** The texts of a list, or of a single text in place of a list. */
export function textsOf(value: Json | undefined): readonly string[] | undefined {
  if (typeof value === 'string') return [value];
  return listOf(value)?.filter((item): item is string => typeof item === 'string');
}

/** A canonical text, members sorted by name, to compare requests. */
export function sortedText(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(sortedText).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${sortedText(member)}`).join(',')}}`;
}
