import type { GatheredLeg } from '@switchyard/buys';
import type { Finding } from '@switchyard/protocol';
import type { JsonObject, JsonValue } from '@switchyard/values';

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
