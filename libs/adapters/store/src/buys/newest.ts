import type { Instant } from '@switchyard/values';

/**
 * The newest item of each key, and the last of those with the same time, because one statement may touch a row only
 * once. Sorted by key, so that two writers cannot deadlock.
 */
export function newest<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string,
  atOf: (item: Item) => Instant,
): readonly Item[] {
  const found = new Map<string, Item>();
  for (const item of items) {
    const known = found.get(keyOf(item));
    if (known === undefined || atOf(known) <= atOf(item)) found.set(keyOf(item), item);
  }
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, item]) => item);
}
