import type { Original } from '../../message/original.js';

export interface PricingOption {
  readonly pricingOptionId: string;
  /** `cpm`, `vcpm`, `cpc`, `cpcv`, `cpv`, `cpp`, `cpa`, `flat_rate`, `time` or an unknown one. */
  readonly model: string;
  /** ISO 4217; `USD` where the form has none (docs/protocol/media-buys.md#money). */
  readonly currency: string;
  /** Decimal text. Present only for fixed pricing. */
  readonly fixedPrice?: string;
  /** Decimal text: the minimum bid of an auction. */
  readonly floorPrice?: string;
  /** True when a package with this option must have a bid. */
  readonly auction: boolean;
  readonly minSpendPerPackage?: string;
  readonly original: Original;
}
