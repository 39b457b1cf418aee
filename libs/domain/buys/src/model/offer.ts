import { readPackageTerms, type FormatId, type PricingOption, type Product } from '@switchyard/protocol';
import { isJsonObject, type Instant, type JsonObject } from '@switchyard/values';

/** A product as one seller quoted it to this organization: what a package is checked against before it is bought. */
export interface Offer {
  readonly seller: string;
  /** The seller's own id. */
  readonly productId: string;
  readonly name: string;
  readonly pricingOptions: readonly OfferedPrice[];
  readonly reportingFrequencies: readonly string[];
  /** What canceling costs, in the seller's own words (docs/protocol/media-buys.md#cancellation-fees). */
  readonly cancellationPolicy?: JsonObject;
  /** Who counts, and what is to be reached, where a buy says nothing else: by the names of 3.x. */
  readonly defaultTerms?: JsonObject;
  /** What the seller declared of its reports; absent where it declared nothing. */
  readonly expectedDelayMinutes?: number;
  readonly windowedPullGranularities?: readonly string[];
  /** Formats that it takes; absent where the quote names none. */
  readonly formatIds?: readonly FormatId[];
  /** Until when it was quoted; absent where the seller named no end. */
  readonly expiresAt?: Instant;
  /** When its seller was asked, or where the answer came later by itself, when the seller says that it was so. */
  readonly offeredAt: Instant;
}

/** An offer, and the connection that it came over. */
export interface Quote {
  readonly connectionId: string;
  readonly offer: Offer;
}

export type OfferedPrice = Pick<
  PricingOption,
  'pricingOptionId' | 'model' | 'currency' | 'auction' | 'fixedPrice' | 'floorPrice' | 'minSpendPerPackage'
>;

export function offerOf(seller: string, product: Product, offeredAt: Instant): Offer {
  const { cancellation_policy: policy, expires_at: end } = product.original.value;
  const defaults = defaultTermsOf(product.original.value);
  const expiresAt = typeof end === 'string' ? Date.parse(end) : Number.NaN;
  return {
    seller,
    productId: product.productId,
    name: product.name,
    pricingOptions: product.pricingOptions.map(({ original: _left, ...price }) => price),
    reportingFrequencies: product.reportingFrequencies,
    ...(isJsonObject(policy) ? { cancellationPolicy: policy } : {}),
    ...(Object.keys(defaults).length === 0 ? {} : { defaultTerms: defaults }),
    ...(product.expectedDelayMinutes === undefined
      ? {}
      : { expectedDelayMinutes: product.expectedDelayMinutes }),
    ...(product.windowedPullGranularities === undefined
      ? {}
      : { windowedPullGranularities: product.windowedPullGranularities }),
    ...(product.formatIds.length === 0 ? {} : { formatIds: product.formatIds }),
    ...(Number.isNaN(expiresAt) ? {} : { expiresAt }),
    offeredAt,
  };
}

function defaultTermsOf(product: JsonObject): JsonObject {
  const { measurement_terms: counted, performance_standards: reached } = readPackageTerms(product);
  return {
    ...(counted === undefined ? {} : { measurement_terms: counted }),
    ...(reached === undefined ? {} : { performance_standards: reached }),
  };
}

/** Finest first. */
const frequencies = ['hourly', 'daily', 'monthly'];

/**
 * The finest reporting frequency that all of these products offer; absent where they share none
 * (docs/protocol/webhooks-in.md#registration).
 */
export function finestCommonFrequency(offers: readonly Offer[]): string | undefined {
  return frequencies.find((frequency) =>
    offers.every((offer) => offer.reportingFrequencies.includes(frequency)),
  );
}
