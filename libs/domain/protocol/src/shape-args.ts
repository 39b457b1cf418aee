import type { JsonObject } from '@switchyard/values';

/**
 * The arguments that a seller's tool declares, where it declares any: sellers of mixed age refuse members that they
 * do not know, even those that every task may carry (tasks 1). Without a declaration everything stays.
 */
export function shapeArgs(
  args: JsonObject,
  declared: readonly string[] | undefined,
): { readonly args: JsonObject; readonly dropped: readonly string[] } {
  if (declared === undefined || declared.length === 0) return { args, dropped: [] };
  const known = new Set(declared);
  const dropped = Object.keys(args).filter((name) => !known.has(name));
  if (dropped.length === 0) return { args, dropped };
  return { args: Object.fromEntries(Object.entries(args).filter(([name]) => known.has(name))), dropped };
}
