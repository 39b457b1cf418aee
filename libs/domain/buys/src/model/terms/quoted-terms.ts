import type { JsonObject } from '@switchyard/values';
import type { Offer } from '../offer.js';
import type { PackageTerms } from '../operation.js';

/**
 * The terms of a package with what its seller had quoted beside the price: how it may be left, who counts and what it
 * has to reach. Whoever buys a product takes these (docs/protocol/products.md#cancellation-terms), so a later quote of
 * the same product changes none of them.
 */
export function withQuoted(terms: PackageTerms, offer: Offer): PackageTerms {
  const { cancellationPolicy, defaultTerms } = offer;
  return {
    ...terms,
    quoted: {
      ...defaultTerms,
      ...(cancellationPolicy === undefined ? {} : { cancellation_policy: cancellationPolicy }),
    },
  };
}

/** What holds of a package because its product was quoted so, as long as nobody has said otherwise. */
export function defaultsOf({ quoted }: Pick<PackageTerms, 'quoted'>): JsonObject {
  const { cancellation_policy: _ofTheProduct, ...defaults } = quoted ?? {};
  return defaults;
}
