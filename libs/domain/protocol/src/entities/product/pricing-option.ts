import type { Original } from '../../message/original.js';

export interface PricingOption {
  readonly pricingOptionId: string;
  /** `cpm`, `vcpm`, `cpc`, `cpcv`, `cpv`, `cpp`, `cpa`, `flat_rate`, `time` or one we do not know. */
  readonly model: string;
  /** ISO 4217; `USD` where the form names none (docs/protocol/media-buys.md#money). */
  readonly currency: string;
  /** Decimal text. Present exactly for fixed pricing. */
  readonly fixedPrice?: string;
  /** Decimal text: the least bid of an auction. */
  readonly floorPrice?: string;
  /** True when a package that picks this option must carry a bid. */
  readonly auction: boolean;
  readonly minSpendPerPackage?: string;
  readonly original: Original;
}
