import type { JsonObject } from '@switchyard/values';

/** A delivery report: pulled (`notificationType` absent) or pushed. Periods are half-open, RFC 3339 UTC. */
export interface DeliveryReport {
  readonly notificationType?:
    'scheduled' | 'final' | 'delayed' | 'adjusted' | 'window_update' | (string & {});
  readonly sequenceNumber?: number;
  readonly nextExpectedAt?: string;
  readonly period?: { readonly start: string; readonly end: string };
  readonly currency?: string;
  readonly partialData: boolean;
  /** What conversions were counted by, in the words of 3.x; absent where none was named or several were. */
  readonly attributionWindow?: JsonObject;
  /** True where rows are of several currencies: then nothing is added up over them. */
  readonly isMixed?: true;
  readonly deliveries: readonly MediaBuyDelivery[];
}

export interface MediaBuyDelivery {
  /** Slug of the seller it came from: set on everything that was merged from several. */
  readonly seller?: string;
  readonly mediaBuyId: string;
  readonly buyerRef?: string;
  /** Buy lifecycle or reporting state (`reporting_delayed`, `failed`), as the seller said. */
  readonly status: string;
  readonly isAdjusted: boolean;
  readonly isFinal?: boolean;
  /** When a final row became so: RFC 3339. */
  readonly finalizedAt?: string;
  /** What the buy is paid by, where that is one model. */
  readonly pricingModel?: string;
  readonly totals: DeliveryTotals;
  /** True where the seller gave no totals: then `totals` is empty, and unknown is not zero. */
  readonly totalsMissing?: boolean;
  /** When the seller expects to have the figures that it did not give, as RFC 3339 UTC: only where it gave none. */
  readonly expectedAvailability?: string;
  /** Slices in the order of time; absent where none were told. */
  readonly slices?: readonly DeliverySlice[];
  readonly byPackage: readonly PackageDelivery[];
}

export interface PackageDelivery extends DeliveryTotals {
  readonly packageId: string;
  readonly buyerRef?: string;
  readonly currency?: string;
  readonly isFinal?: boolean;
  readonly measurementWindow?: string;
  /** Whether it is held at its seller now. */
  readonly paused?: boolean;
}

/** Metrics of one row. Spend is decimal text; the counts are integers as JSON gave them. */
export interface DeliveryTotals {
  readonly spend: string;
  readonly impressions?: number;
  readonly clicks?: number;
  readonly original: JsonObject;
}

/** What was delivered in one slice of a period: half-open, RFC 3339 UTC. */
export interface DeliverySlice {
  readonly start: string;
  readonly end: string;
  /** Decimal text. */
  readonly spend: string;
  readonly impressions?: number;
  readonly clicks?: number;
}
