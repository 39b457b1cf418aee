import type { SpendPart } from './limit.js';
import type { OfferedPrice } from './offer.js';

/** The amounts that an operation commits, and the prices they are based on. */
export interface SpendDraft {
  readonly parts: readonly SpendPart[];
  readonly quotes: readonly QuotedPrice[];
}

/** A price of a plan: it is compared with the newest quote before a later send. */
export interface QuotedPrice extends Pick<
  OfferedPrice,
  'pricingOptionId' | 'model' | 'currency' | 'fixedPrice' | 'floorPrice'
> {
  /** Prefixed with the seller's slug. */
  readonly productId: string;
}
