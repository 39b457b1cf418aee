import type { CreatedPackage } from '@switchyard/protocol';
import { canonicalJson } from '@switchyard/values';
import type { BuyPackage } from '../model/operation.js';
import { quotedAmount } from './quoted-terms.js';

/** The local package of a seller's package, and the layer that matched them. */
export interface PackageMatch {
  readonly ordered: BuyPackage;
  readonly created: CreatedPackage;
  readonly by: 'buyer_ref' | 'context' | 'terms' | 'product' | 'order';
}

type Layer = {
  readonly by: PackageMatch['by'];
  readonly same: (wanted: BuyPackage, created: CreatedPackage) => boolean;
};

const layers: readonly Layer[] = [
  {
    by: 'buyer_ref',
    same: (wanted, created) => wanted.buyerRef !== undefined && wanted.buyerRef === created.buyerRef,
  },
  { by: 'context', same: (wanted, created) => sameJson(wanted.context, created.context) },
  { by: 'terms', same: sameTerms },
  // A seller that splits a budget itself may round it differently; then the product alone matches.
  { by: 'product', same: (wanted, created) => wanted.productId === created.productId },
];

/**
 * Finds the local package for each package that a seller returned.
 *
 * Sellers reorder packages and omit echoes, and two packages may have one product, so a layer decides only
 * where it is unique on both sides: the buyer's reference, then the echoed context, then product, price and
 * budget, then the product alone. The rest is matched in order (docs/protocol/media-buys.md#packages).
 */
export function mapPackages(
  wanted: readonly BuyPackage[],
  created: readonly CreatedPackage[],
): readonly PackageMatch[] {
  const matches: PackageMatch[] = [];
  const openWanted = new Set([...wanted].sort((a, b) => a.position - b.position));
  const openCreated = new Set(created);
  const settle = (match: PackageMatch): void => {
    matches.push(match);
    openWanted.delete(match.ordered);
    openCreated.delete(match.created);
  };
  for (const { by, same } of layers) {
    for (const item of [...openWanted]) {
      const candidates = [...openCreated].filter((other) => same(item, other));
      const [candidate] = candidates;
      const rivals = candidate === undefined ? [] : [...openWanted].filter((other) => same(other, candidate));
      if (candidate !== undefined && candidates.length === 1 && rivals.length === 1)
        settle({ ordered: item, created: candidate, by });
    }
  }
  const rest = [...openCreated];
  for (const [index, item] of [...openWanted].entries()) {
    const candidate = rest[index];
    if (candidate !== undefined) settle({ ordered: item, created: candidate, by: 'order' });
  }
  return matches;
}

function sameJson(a: BuyPackage['context'], b: CreatedPackage['context']): boolean {
  return a !== undefined && b !== undefined && canonicalJson(a) === canonicalJson(b);
}

function sameTerms(wanted: BuyPackage, created: CreatedPackage): boolean {
  if (created.productId !== wanted.productId) return false;
  if (created.pricingOptionId !== undefined && created.pricingOptionId !== wanted.pricingOptionId)
    return false;
  return created.budget === undefined || quotedAmount(created.budget) === wanted.budgetMicros;
}
