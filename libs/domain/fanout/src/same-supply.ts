import type { Product } from '@switchyard/protocol';

/** Inventory that several sellers offer: the same property of the same publisher. */
interface SameSupply {
  readonly publisher_domain: string;
  /** A property id, `tag:` and a tag, or `all`. */
  readonly property: string;
  /**
   * Of at least two sellers, with the ids of this answer. Sorted by the publisher's statement: its direct sellers
   * first, sellers that it does not authorize last.
   */
  readonly product_ids: readonly string[];
  /** Products of sellers that the publisher lists as `direct`; absent if there are none. */
  readonly direct_product_ids?: readonly string[];
}

/** Maximum product ids in one answer, over all properties. A seller of a whole domain counts at each property. */
const mostWays = 20_000;

/** A publisher's statement about a seller, by the domain and the seller's slug. */
export type WayTo = (
  publisherDomain: string,
  seller: string,
) => 'direct' | 'delegated' | 'ad_network' | 'authorized' | 'unverified' | 'not_authorized';

const nearness: readonly ReturnType<WayTo>[] = [
  'direct',
  'delegated',
  'ad_network',
  'authorized',
  'unverified',
  'not_authorized',
];

/**
 * Finds products that sell the same supply (docs/protocol/products.md#same-supply). Sellers share no ids, so the
 * publisher's domain and the property are compared. A product for a whole domain includes each of its properties.
 */
export function sameSupply(
  products: readonly { readonly seller: string; readonly item: Product }[],
  wayTo: WayTo = () => 'unverified',
): readonly SameSupply[] {
  const byDomain = new Map<string, Map<string, { seller: string; productId: string }[]>>();
  for (const { seller, item } of products)
    for (const { publisherDomain, selectionType, values } of item.publisherProperties) {
      const domain = publisherDomain.toLowerCase();
      const properties = byDomain.get(domain) ?? new Map<string, { seller: string; productId: string }[]>();
      byDomain.set(domain, properties);
      for (const property of namesOf(selectionType, values)) {
        const known = properties.get(property) ?? [];
        known.push({ seller, productId: item.productId });
        properties.set(property, known);
      }
    }
  let left = mostWays;
  return [...byDomain].flatMap(([domain, properties]) => {
    const everything = properties.get('all') ?? [];
    return [...properties].flatMap(([property, offers]) => {
      if (left <= 0) return [];
      const ways = property === 'all' ? offers : [...offers, ...everything];
      if (new Set(ways.map(({ seller }) => seller)).size < 2) return [];
      left -= ways.length;
      const ranked = ways
        .map(({ seller, productId }) => ({ productId, rank: nearness.indexOf(wayTo(domain, seller)) }))
        .sort((one, other) => one.rank - other.rank);
      const direct = idsOf(ranked.filter(({ rank }) => rank === 0));
      return [
        {
          publisher_domain: domain,
          property,
          product_ids: idsOf(ranked),
          ...(direct.length === 0 ? {} : { direct_product_ids: direct }),
        },
      ];
    });
  });
}

function idsOf(ways: readonly { readonly productId: string }[]): readonly string[] {
  return [...new Set(ways.map(({ productId }) => productId))];
}

function namesOf(type: 'all' | 'by_id' | 'by_tag', values: readonly string[]): readonly string[] {
  if (type === 'all') return ['all'];
  return type === 'by_tag' ? values.map((tag) => `tag:${tag}`) : values;
}
