import type { Product } from '@switchyard/protocol';

/** Supply that more than one seller offers: the same property of the same publisher. */
export interface SameSupply {
  readonly publisher_domain: string;
  /** A property id, `tag:` and a tag, or `all`. */
  readonly property: string;
  /** Of two sellers or more, as they are named in this answer. All the ways to it are shown, and none preferred. */
  readonly product_ids: readonly string[];
}

/**
 * Marks products through which the same supply can be bought (tasks 14.5): no id is common to sellers, so the
 * publisher's domain and its property are what is compared. Who sells all of a domain sells each property of it.
 */
export function sameSupply(
  products: readonly { readonly seller: string; readonly item: Product }[],
): readonly SameSupply[] {
  const byDomain = new Map<string, Map<string, { seller: string; productId: string }[]>>();
  for (const { seller, item } of products)
    for (const { publisherDomain, selectionType, values } of item.publisherProperties) {
      const domain = publisherDomain.toLowerCase();
      const properties = byDomain.get(domain) ?? new Map<string, { seller: string; productId: string }[]>();
      byDomain.set(domain, properties);
      for (const property of namesOf(selectionType, values)) {
        const known = properties.get(property) ?? [];
        properties.set(property, [...known, { seller, productId: item.productId }]);
      }
    }
  return [...byDomain].flatMap(([domain, properties]) => {
    const everything = properties.get('all') ?? [];
    return [...properties].flatMap(([property, offers]) => {
      const ways = property === 'all' ? offers : [...offers, ...everything];
      if (new Set(ways.map(({ seller }) => seller)).size < 2) return [];
      const ids = [...new Set(ways.map(({ productId }) => productId))];
      return [{ publisher_domain: domain, property, product_ids: ids }];
    });
  });
}

function namesOf(type: 'all' | 'by_id' | 'by_tag', values: readonly string[]): readonly string[] {
  if (type === 'all') return ['all'];
  return type === 'by_tag' ? values.map((tag) => `tag:${tag}`) : values;
}
