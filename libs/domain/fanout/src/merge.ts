import {
  prefixId,
  type CreativeFormat,
  type GetSignalsRequest,
  type Product,
  type ProductFilters,
  type Signal,
} from '@switchyard/protocol';
import { type JsonObject, isJsonObject, type JsonValue, withoutEndSlashes } from '@switchyard/values';
import {
  passesFormat,
  type FormatOptions,
  passesProduct,
  wantedPrices,
  passesSignal,
} from './filter/filter-items.js';

/** One merged item and its seller. */
export interface Sourced<Item> {
  readonly seller: string;
  readonly item: Item;
}

/** The items of one seller, in its own order of relevance. */
export interface Offer<Item> {
  readonly seller: string;
  readonly items: readonly Item[];
}

/**
 * Merges in turns: each seller's first item, then each seller's second. Relevance cannot be compared across sellers,
 * and a seller cannot gain places by sending more.
 */
export function interleave<Item>(offers: readonly Offer<Item>[]): Sourced<Item>[] {
  const merged: Sourced<Item>[] = [];
  const longest = offers.reduce((most, offer) => Math.max(most, offer.items.length), 0);
  for (let turn = 0; turn < longest; turn += 1) {
    for (const { seller, items } of offers) {
      const item = items[turn];
      if (item !== undefined) merged.push({ seller, item });
    }
  }
  return merged;
}

/** The merged items. Items that do not match the buyer's filters are omitted, and counted for each seller. */
export interface Merged<Item> {
  readonly items: readonly Sourced<Item>[];
  readonly filteredOut: Readonly<Record<string, number>>;
}

/**
 * Merges the products of all sellers with prefixed ids (docs/protocol/requests-and-versions.md#ids). The buyer's
 * filters are applied again, because sellers may ignore them.
 */
export function mergeProducts(
  offers: readonly Offer<Product>[],
  request: { readonly filters?: ProductFilters },
): Merged<Product> {
  return merge(
    offers,
    (product) => passesProduct(product, request.filters),
    undefined,
    (seller, product) => ({
      ...product,
      pricingOptions: wantedPrices(product.pricingOptions, request.filters ?? {}),
      productId: prefixId(seller, product.productId),
    }),
  );
}

export function mergeSignals(
  offers: readonly Offer<Signal>[],
  request: Pick<GetSignalsRequest, 'filters' | 'maxResults'>,
): Merged<Signal> {
  return merge(
    offers,
    (signal) => passesSignal(signal, request.filters),
    request.maxResults,
    (seller, signal) => ({
      ...signal,
      segmentId: prefixId(seller, signal.segmentId),
    }),
  );
}

/** Formats keep their ids: a `format_id` names its own agent (docs/protocol/requests-and-versions.md#ids). */
export function mergeFormats(
  offers: readonly Offer<CreativeFormat>[],
  request: FormatOptions = {},
): Merged<CreativeFormat> {
  return merge(
    offers,
    (format) => passesFormat(format, request),
    undefined,
    (_seller, format) => format,
  );
}

/** Agents that sellers list beside their formats, without duplicates: the first entry wins. */
export function mergeAgents(agents: readonly JsonObject[]): readonly JsonObject[] {
  const byUrl = new Map<string, JsonObject>();
  for (const agent of agents) {
    const { agent_url: url } = agent;
    if (typeof url !== 'string') continue;
    const bare = withoutEndSlashes(url);
    if (!byUrl.has(bare)) byUrl.set(bare, agent);
  }
  return [...byUrl.values()];
}

function merge<Item>(
  offers: readonly Offer<Item>[],
  passes: (item: Item) => boolean,
  maxResults: number | undefined,
  named: (seller: string, item: Item) => Item,
): Merged<Item> {
  const filteredOut: Record<string, number> = {};
  const stored = offers.map(({ seller, items }) => {
    const passing = items.filter(passes);
    const lost = items.length - passing.length;
    if (lost > 0) filteredOut[seller] = lost;
    return { seller, items: passing };
  });
  const all = interleave(stored).map(({ seller, item }) => ({ seller, item: named(seller, item) }));
  return { items: maxResults === undefined ? all : all.slice(0, maxResults), filteredOut };
}

/**
 * Merges the proposals of sellers: prefixes their ids and those of their products, and adds the seller. A proposal
 * without an id is omitted, because no later request can name it.
 */
export function mergeProposals(
  offers: readonly { readonly seller: string; readonly proposals: readonly JsonObject[] }[],
): readonly JsonObject[] {
  return offers.flatMap(({ seller, proposals }) =>
    proposals
      .flatMap((proposal) => {
        const { proposal_id: id } = proposal;
        return typeof id === 'string' ? [{ proposal, id }] : [];
      })
      .map(({ proposal, id }) => ({
        ...proposal,
        proposal_id: prefixId(seller, id),
        ...(Array.isArray(proposal['allocations'])
          ? { allocations: proposal['allocations'].map((allocation) => allocationOf(seller, allocation)) }
          : {}),
        ext: { ...(isJsonObject(proposal['ext']) ? proposal['ext'] : {}), switchyard: { seller } },
      })),
  );
}

function allocationOf(seller: string, allocation: JsonValue): JsonValue {
  if (!isJsonObject(allocation) || typeof allocation['product_id'] !== 'string') return allocation;
  return { ...allocation, product_id: prefixId(seller, allocation['product_id']) };
}
