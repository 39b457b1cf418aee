import type { JsonObject } from '@switchyard/values';

/**
 * The arguments that this tool names. Older sellers refuse a call for one argument too many, so what a known,
 * non-empty schema does not name stays at home. An unknown or empty schema names everything.
 */
export function acceptableArguments(args: JsonObject, named: readonly string[] | undefined): JsonObject {
  if (named === undefined || named.length === 0) return args;
  const known = new Set(named);
  return Object.fromEntries(Object.entries(args).filter(([name]) => known.has(name)));
}
