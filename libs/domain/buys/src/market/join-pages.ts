import type { JsonObject, JsonValue } from '@switchyard/values';

/** Members that continue from page to page. */
const lists = ['products', 'signals', 'proposals', 'incomplete', 'refinement_applied', 'errors'];

/** Joins several pages of one seller's answer into one payload. */
export function joinPages(pages: readonly JsonObject[]): JsonObject {
  const [first = {}, ...others] = pages;
  if (others.length === 0) return first;
  const { pagination: _walked, ...joined } = first;
  const whole: Record<string, JsonValue> = { ...joined };
  for (const name of lists) {
    const parts = pages.map((page) => page[name]).filter((part) => Array.isArray(part));
    if (parts.length > 0) whole[name] = parts.flat();
  }
  return whole;
}
