import { getProducts } from '@switchyard/protocol';
import { isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';
import type { TaskReply } from '../platform/tasks/call/task-call.js';

/**
 * Products seeded at the sandbox seller, per organization: they may be named without our prefix
 * (docs/protocol/requests-and-versions.md#ids).
 */
export class SeededProducts {
  readonly #known = new Map<string, Map<string, string>>();

  note(organizationId: string, productId: string, prefixedId: string): void {
    const known = this.#known.get(organizationId) ?? new Map<string, string>();
    this.#known.set(organizationId, known.set(productId, prefixedId));
  }

  /**
   * The same answer with seeded products first, then other products of their sellers: a runner uses the first one it
   * gets, and can put no other seller into the states that it needs.
   */
  inFront(organizationId: string, task: string, reply: TaskReply): TaskReply {
    const seeded = new Set(this.#known.get(organizationId)?.values());
    const { products } = reply.body;
    if (task !== getProducts.name || seeded.size === 0 || !Array.isArray(products)) return reply;
    const sellers = new Set([...seeded].map(sellerOf));
    const rankOf = (item: JsonValue): number => {
      const id = isJsonObject(item) ? item['product_id'] : undefined;
      if (typeof id !== 'string') return 2;
      return seeded.has(id) ? 0 : sellers.has(sellerOf(id)) ? 1 : 2;
    };
    const ranked = products.toSorted((one, other) => rankOf(one) - rankOf(other));
    return { ...reply, body: { ...reply.body, products: ranked } };
  }

  /** The same arguments with the seller's prefix for every seeded product. */
  prefixed(organizationId: string, args: JsonObject): JsonObject {
    const known = this.#known.get(organizationId);
    return known === undefined ? args : withPrefixes(args, known);
  }
}

function sellerOf(prefixedId: string): string {
  return prefixedId.split(':', 1)[0] ?? '';
}

/** `context` and `ext` belong to the buyer: nothing in them is an id of ours. */
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
