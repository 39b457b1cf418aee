import { isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';

/** Products that were seeded at the practice seller, per organization: they may be named without our prefix (ruling 36). */
export class SeededProducts {
  readonly #known = new Map<string, Map<string, string>>();

  note(organizationId: string, productId: string, prefixedId: string): void {
    const known = this.#known.get(organizationId) ?? new Map<string, string>();
    this.#known.set(organizationId, known.set(productId, prefixedId));
  }

  /** The same arguments with the seller in front of every product that was seeded. */
  prefixed(organizationId: string, args: JsonObject): JsonObject {
    const known = this.#known.get(organizationId);
    return known === undefined ? args : withPrefixes(args, known);
  }
}

/** `context` and `ext` are the buyer's own words: nothing in them is an id of ours. */
function withPrefixes(args: JsonObject, known: ReadonlyMap<string, string>): JsonObject {
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => [
      name,
      name === 'context' || name === 'ext' ? value : prefixed(name, value, known),
    ]),
  );
}

function prefixed(name: string, value: JsonValue, known: ReadonlyMap<string, string>): JsonValue {
  if (typeof value === 'string')
    return name === 'product_id' || name === 'product_ids' ? (known.get(value) ?? value) : value;
  if (Array.isArray(value)) return value.map((item) => prefixed(name, item, known));
  return isJsonObject(value) ? withPrefixes(value, known) : value;
}
