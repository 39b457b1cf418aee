import type { FormatId } from './format-id.js';
import type { Original } from './original.js';
import type { PricingOption } from './pricing-option.js';

export interface Product {
  /** Slug of the seller it came from: set on everything that was merged from several. */
  readonly seller?: string;
  /** The seller's address, for forms that want a source named where the seller named none. */
  readonly agentUrl?: string;
  readonly productId: string;
  readonly name: string;
  readonly description: string;
  readonly deliveryType: 'guaranteed' | 'non_guaranteed';
  readonly channels: readonly string[];
  readonly formatIds: readonly FormatId[];
  readonly publisherProperties: readonly PublisherProperty[];
  readonly pricingOptions: readonly PricingOption[];
  /** `hourly`, `daily`, `monthly`: what the seller can report at. */
  readonly reportingFrequencies: readonly string[];
  /** Minutes after a period's end by which most of its data is there; absent where the seller declares none. */
  readonly expectedDelayMinutes?: number;
  /** Slices that a pull may ask for; absent where the product declares none. */
  readonly windowedPullGranularities?: readonly string[];
  readonly isCustom: boolean;
  readonly original: Original;
}

export interface PublisherProperty {
  readonly publisherDomain: string;
  readonly selectionType: 'all' | 'by_id' | 'by_tag';
  readonly values: readonly string[];
}
