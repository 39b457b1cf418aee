import type { Original } from './original.js';

/** An item of an answer with its seller's original object. */
interface StoredItem {
  readonly original: Original;
  /** Slug. */
  readonly seller?: string;
}

interface StoredList {
  /** Its name in the internal shape. */
  readonly member: string;
  /** Its name on the wire. */
  readonly list: string;
  /** Set if members of an item are written again even in the item's own form. */
  readonly isRewritten?: true;
}

/** The lists whose items keep their sellers' own objects, by task. */
export const storedLists: Readonly<Record<string, StoredList>> = {
  get_products: { member: 'products', list: 'products' },
  get_signals: { member: 'signals', list: 'signals', isRewritten: true },
  list_creative_formats: { member: 'formats', list: 'formats' },
};

/** The item list of a task's answer, by its wire and internal names; `undefined` where there is none. */
export function listOfItems(task: string): Pick<StoredList, 'list' | 'member'> | undefined {
  return storedLists[task];
}

/** The items of an answer that keep the original; empty where the task has none. */
export function storedItems(task: string, answer: object): readonly StoredItem[] {
  const stored = storedLists[task];
  if (stored === undefined) return [];
  return ((answer as Readonly<Record<string, unknown>>)[stored.member] ?? []) as readonly StoredItem[];
}

/** The answer without those items: small, whatever their number. */
export function withoutItems<Answer extends object>(task: string, answer: Answer): Answer {
  const stored = storedLists[task];
  return stored === undefined ? answer : { ...answer, [stored.member]: [] };
}
