import { readPackageTerms, type FormatId, type PricingOption, type Product } from '@switchyard/protocol';
import { isTimeZone } from '@switchyard/tenancy';
import { defined, isJsonObject, type Instant, type JsonObject } from '@switchyard/values';

/** A product as one seller quoted it to this organization. Packages are checked against it. */
export interface Offer {
  readonly seller: string;
  /** The seller's own id. */
  readonly productId: string;
  readonly name: string;
  readonly pricingOptions: readonly OfferedPrice[];
  readonly reportingFrequencies: readonly string[];
  /** What canceling costs, as the seller wrote it (docs/protocol/media-buys.md#cancellation-fees). */
  readonly cancellationPolicy?: JsonObject;
  /** Default measurement terms and performance standards of a buy, by their names in 3.x. */
  readonly defaultTerms?: JsonObject;
  /** What the seller declared about its reports; absent where it declared nothing. */
  readonly expectedDelayMinutes?: number;
  readonly windowedPullGranularities?: readonly string[];
  /** The time zone of its reporting periods, an IANA name. */
  readonly reportingZone?: string;
  /** Accepted formats; absent where the quote names none. */
  readonly formatIds?: readonly FormatId[];
  /** Domains of the publishers whose inventory it is, in order; absent where it names none, or more than fifty. */
  readonly publishers?: readonly string[];
  /** The seller's id of the account that it was quoted in; absent: it holds in every account. */
  readonly quotedIn?: string;
  /** When the quote expires; absent where the seller named no time. */
  readonly expiresAt?: Instant;
  /** When its seller was queried; for a late answer, the time that the seller gave for it. */
  readonly offeredAt: Instant;
}

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
    ...defined({
      expectedDelayMinutes: product.expectedDelayMinutes,
      windowedPullGranularities: product.windowedPullGranularities,
      reportingZone: zoneOf(product.original.value),
      publishers: publishersOf(product),
    }),
    ...(product.formatIds.length === 0 ? {} : { formatIds: product.formatIds }),
    ...(Number.isNaN(expiresAt) ? {} : { expiresAt }),
    offeredAt,
  };
}

/** Publishers of one product that are stored: a product of more is one of a network. */
const mostPublishers = 50;

function publishersOf({ publisherProperties }: Product): readonly string[] | undefined {
  const names = [...new Set(publisherProperties.map(({ publisherDomain }) => publisherDomain.toLowerCase()))];
  return names.length === 0 || names.length > mostPublishers ? undefined : names.sort();
}

/** A zone that does not exist says nothing. */
function zoneOf({ reporting_capabilities: reporting }: JsonObject): string | undefined {
  const zone = isJsonObject(reporting) ? reporting['timezone'] : undefined;
  return typeof zone === 'string' && zone.length <= 64 && isTimeZone(zone) ? zone : undefined;
}

function defaultTermsOf(product: JsonObject): JsonObject {
  const { measurement_terms: counted, performance_standards: reached } = readPackageTerms(product);
  return defined({ measurement_terms: counted, performance_standards: reached });
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
