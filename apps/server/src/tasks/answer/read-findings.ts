import type { GatheredLeg } from '@switchyard/buys';
import type { Finding } from '@switchyard/protocol';
import type { JsonObject, JsonValue } from '@switchyard/values';

/**
 * What was lost on the way to sellers, and what of theirs was set aside or could not be kept: each beside its seller. What
 * a buyer's form has no place for is told where the answer is written.
 */
export function readFindings(legs: readonly GatheredLeg<unknown>[]): JsonValue[] {
  const requested = legs.flatMap((leg) => leg.findings.map((finding) => ofSeller(leg.seller, finding)));
  const aside = legs.flatMap(({ seller, setAside }) => {
    const received = setAside.slice(0, asideAtMost).map((finding) => ofSeller(seller, finding));
    const rest = setAside.length - received.length;
    if (rest <= 0) return received;
    return [
      ...received,
      { seller, code: 'SET_ASIDE', message: `So many more of its items were set aside: ${rest}.` },
    ];
  });
  return [...requested, ...aside];
}

/** A seller of nothing but odd items is not answered in kind. */
const asideAtMost = 50;

/** What an item is called is its seller's own text, of any length: enough of it to find the item by, in characters. */
const fieldAtMost = 256;

function ofSeller(seller: string, { code, message, field }: Finding): JsonObject {
  return { seller, code, message, ...(field === undefined ? {} : { field: field.slice(0, fieldAtMost) }) };
}
