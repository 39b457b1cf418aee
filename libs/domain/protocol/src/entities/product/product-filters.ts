import type { FormatId } from '../format/format-id.js';
import type { Original } from '../../message/original.js';

export interface ProductFilters {
  readonly channels?: readonly string[];
  readonly deliveryType?: 'guaranteed' | 'non_guaranteed';
  readonly isFixedPrice?: boolean;
  /** Format types such as `video` or `display`. */
  readonly formatTypes?: readonly string[];
  readonly formatIds?: readonly FormatId[];
  readonly countries?: readonly string[];
  /** ISO 4217 codes; 3.1 only. */
  readonly pricingCurrencies?: readonly string[];
  readonly budget?: { readonly min?: string; readonly max?: string; readonly currency: string };
  readonly original?: Original;
}
