import { getProducts } from '@switchyard/protocol';
import { isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';
import type { TaskReply } from '../platform/tasks/call/task-call.js';

/** A price of a seeded product. */
interface SeededOption {
  readonly id: string;
  /** In major units, where it is sold by bids. */
  readonly floor?: number;
}

interface SeededProduct {
  readonly prefixedId: string;
  readonly options: readonly SeededOption[];
}

/** The price of a product that was seeded without one, as the sandbox seller names it. */
const startingOption: SeededOption = { id: 'fixed_usd' };

/** The name that runners give to the price of a product that they seed. */
const anyOption = 'default';

/**
 * Products seeded at the sandbox seller, per organization: they may be named without our prefix
 * (docs/protocol/requests-and-versions.md#ids).
 */
export class SeededProducts {
  readonly #known = new Map<string, Map<string, SeededProduct>>();

  /** Keeps a product under the id of its run, and one more price of it if the run gave one. */
  note(organizationId: string, productId: string, prefixedId: string, option?: SeededOption): void {
    const known = this.#known.get(organizationId) ?? new Map<string, SeededProduct>();
    const others = (known.get(productId)?.options ?? []).filter(({ id }) => id !== option?.id);
    const options = option === undefined ? others : [...others, option];
    this.#known.set(organizationId, known.set(productId, { prefixedId, options }));
  }

  /**
   * The same answer with seeded products first, then other products of their sellers: a runner uses the first one it
   * gets, and can put no other seller into the states that it needs.
   */
  inFront(organizationId: string, task: string, reply: TaskReply): TaskReply {
    const all = [...(this.#known.get(organizationId)?.values() ?? [])];
    const seeded = new Set(all.map(({ prefixedId }) => prefixedId));
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

  /**
   * The same arguments with the seller's prefix for every seeded product. A run may buy one by the price `default`, which
   * is its first one, and without a bid, which is then its floor.
   */
  prefixed(organizationId: string, args: JsonObject): JsonObject {
    const known = this.#known.get(organizationId);
    return known === undefined ? args : withPrefixes(args, known);
  }
}

function sellerOf(prefixedId: string): string {
  return prefixedId.split(':', 1)[0] ?? '';
}

/** `context` and `ext` belong to the buyer: nothing in them is an id of ours. */
function withPrefixes(args: JsonObject, known: ReadonlyMap<string, SeededProduct>): JsonObject {
  const { product_id: id } = args;
  const product =
    typeof id === 'string'
      ? (known.get(id) ?? [...known.values()].find(({ prefixedId }) => prefixedId === id))
      : undefined;
  return Object.fromEntries(
    Object.entries(product === undefined ? args : withPrice(args, product)).map(([name, value]) => [
      name,
      name === 'context' || name === 'ext' ? value : prefixed(name, value, known),
    ]),
  );
}

/** A package of a seeded product with a price that the product has. Other objects have no price. */
function withPrice(item: JsonObject, { options }: SeededProduct): JsonObject {
  const { pricing_option_id: named } = item;
  if (typeof named !== 'string') return item;
  const own = options.length === 0 ? [startingOption] : options;
  const option = own.find(({ id }) => id === named) ?? (named === anyOption ? own[0] : undefined);
  if (option === undefined) return item;
  const bid =
    option.floor !== undefined && item['bid_price'] === undefined ? { bid_price: option.floor } : {};
  return { ...item, pricing_option_id: option.id, ...bid };
}

function prefixed(name: string, value: JsonValue, known: ReadonlyMap<string, SeededProduct>): JsonValue {
  if (typeof value === 'string')
    return name === 'product_id' || name === 'product_ids' ? (known.get(value)?.prefixedId ?? value) : value;
  if (Array.isArray(value)) return value.map((item) => prefixed(name, item, known));
  return isJsonObject(value) ? withPrefixes(value, known) : value;
}
