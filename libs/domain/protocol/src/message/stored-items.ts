import type { Original } from './original.js';

/** An item of an answer that keeps what its seller sent, and where it came from. */
export interface StoredItem {
  readonly original: Original;
  /** Slug. */
  readonly seller?: string;
}

interface KeptList {
  /** Its name in the house. */
  readonly member: string;
  /** Its name on the wire. */
  readonly list: string;
  /** Set where parts of an item are written anew even in its own form. */
  readonly isRewritten?: true;
}

/** The list of a task's answer whose items keep their sellers' own objects. */
export const storedLists: Readonly<Record<string, KeptList>> = {
  get_products: { member: 'products', list: 'products' },
  get_signals: { member: 'signals', list: 'signals', isRewritten: true },
  list_creative_formats: { member: 'formats', list: 'formats' },
};

/** Where the items stand that a task's answer is about, on the wire and in the house; nothing where there are none. */
export function listOfItems(task: string): Pick<KeptList, 'list' | 'member'> | undefined {
  return storedLists[task];
}

/** The items of an answer that keep what was sent; none where its task keeps nothing. */
export function storedItems(task: string, answer: object): readonly StoredItem[] {
  const stored = storedLists[task];
  if (stored === undefined) return [];
  return ((answer as Readonly<Record<string, unknown>>)[stored.member] ?? []) as readonly StoredItem[];
}

/** The answer without those items: what is left of it is small, and the same for any number of them. */
export function withoutItems<Answer extends object>(task: string, answer: Answer): Answer {
  const stored = storedLists[task];
  return stored === undefined ? answer : { ...answer, [stored.member]: [] };
}
