import type { Merged, Sourced } from '@switchyard/fanout';
import type { JsonValue, JsonObject } from '@switchyard/values';
import type { GatheredLeg } from '@switchyard/buys';
import type { Finding } from '@switchyard/protocol';

/** One finding per seller with the number of items left out because they do not match the buyer's filters. */
export function filteredFindings({
  filteredOut,
}: Pick<Merged<unknown>, 'filteredOut'>): readonly JsonValue[] {
  return Object.entries(filteredOut).map(([seller, count]) => {
    const what = count === 1 ? '1 item that does' : `${count} items that do`;
    return { seller, code: 'FILTERED_OUT', message: `It sent ${what} not meet the filters: left out.` };
  });
}

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

/**
 * What was lost on the way to sellers, and which of their items were set aside or could not be stored, each with its
 * seller. Losses of the buyer's version are added where the answer is written.
 */
export function readFindings(legs: readonly GatheredLeg<unknown>[]): JsonValue[] {
  const requested = legs.flatMap((leg) => leg.findings.map((finding) => ofSeller(leg.seller, finding)));
  const aside = legs.flatMap(({ seller, setAside }) => {
    const received = setAside.slice(0, asideAtMost).map((finding) => ofSeller(seller, finding));
    const rest = setAside.length - received.length;
    if (rest <= 0) return received;
    return [...received, { seller, code: 'SET_ASIDE', message: `More of its items were left out: ${rest}.` }];
  });
  return [...requested, ...aside];
}

/** Limits the findings of a seller with many invalid items. */
const asideAtMost = 50;

/** An item's name is the seller's text, of any length: it is cut to this many characters. */
const fieldAtMost = 256;

function ofSeller(seller: string, { code, message, field }: Finding): JsonObject {
  return { seller, code, message, ...(field === undefined ? {} : { field: field.slice(0, fieldAtMost) }) };
}
