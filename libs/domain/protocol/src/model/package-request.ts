import type { JsonObject } from '@switchyard/values';
import type { Creative } from '../creatives.js';
import type { Original } from './original.js';

export interface PackageRequest {
  /** The buyer's own reference. In 3.x it travels inside `context.buyer_ref`. */
  readonly buyerRef?: string;
  readonly productId: string;
  readonly pricingOptionId: string;
  /** Decimal text in the currency of the pricing option, major units. */
  readonly budget: string;
  /** Decimal text. */
  readonly bidPrice?: string;
  readonly creativeIds?: readonly string[];
  readonly creatives?: readonly JsonObject[];
  /** Ours: creatives of the library that travel with the package, because its seller does not have them yet. */
  readonly fromLibrary?: readonly Creative[];
  readonly targetingOverlay?: JsonObject;
  readonly context?: JsonObject;
  readonly original: Original;
}
