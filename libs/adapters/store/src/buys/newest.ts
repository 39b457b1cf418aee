import type { Instant } from '@switchyard/values';

/**
 * The newest of each key, the last of those that are of one time: one statement may touch a row once. In the order of
 * their keys, so that two writers cannot wait for each other.
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
