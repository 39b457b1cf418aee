import type { Sourced } from '@switchyard/fanout';
import type { JsonValue } from '@switchyard/values';

/** One finding per seller and member for values that are required by the version but not reported by the seller. */
export function notReportedFindings<Item>(
  list: 'products' | 'signals',
  items: readonly Sourced<Item>[],
  notReported: (item: Item) => readonly string[],
): readonly JsonValue[] {
  const named = new Map<string, Set<string>>();
  for (const { seller, item } of items)
    named.set(seller, new Set([...(named.get(seller) ?? []), ...notReported(item)]));
  return [...named].flatMap(([seller, names]) =>
    [...names].map((name) => ({
      seller,
      code: 'NOT_TOLD',
      message:
        'Its seller does not report this for every item, and the protocol version requires it: a value that the seller did not report means nothing.',
      field: `${list}[].${name}`,
    })),
  );
}
