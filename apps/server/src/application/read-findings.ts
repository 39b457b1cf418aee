import type { GatheredLeg } from '@switchyard/buys';
import { lostMembers, type Carriage, type Finding, type Form, type Original } from '@switchyard/protocol';
import { isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';

/** An item of an answer as its seller sent it, and as it was written for the buyer. */
export interface WrittenItem {
  readonly seller: string;
  readonly original: Original;
  readonly written: JsonObject;
}

/**
 * What was lost between a buyer's form and a seller's, each way, once per seller and member: requests first, then the
 * members of items that have no place in the buyer's form.
 */
export function readFindings(
  legs: readonly GatheredLeg<unknown>[],
  list: string,
  items: readonly WrittenItem[],
  to: Form,
  carriage: Carriage,
): JsonValue[] {
  const asked = legs.flatMap((leg) => leg.findings.map((finding) => ofSeller(leg.seller, finding)));
  const aside = legs.flatMap((leg) => leg.setAside.map((finding) => ofSeller(leg.seller, finding)));
  const lost = new Map<string, JsonObject>();
  for (const { seller, original, written } of items) {
    if (original.form === to || original.form === 'ours') continue;
    for (const finding of lostMembers(original.value, written, carriage)) {
      const field = `${list}[].${String(finding.field)}`;
      lost.set(`${seller} ${field}`, ofSeller(seller, { ...finding, field }));
    }
  }
  return [...asked, ...aside, ...lost.values()];
}

/** The items of a list of an answer, as objects. */
export function listed(payload: JsonObject, name: string): JsonObject[] {
  const list = payload[name];
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
}

function ofSeller(seller: string, { code, message, field }: Finding): JsonObject {
  return { seller, code, message, ...(field === undefined ? {} : { field }) };
}
