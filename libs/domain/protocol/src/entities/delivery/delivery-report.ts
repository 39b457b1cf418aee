import type { JsonObject } from '@switchyard/values';
import type { Original } from '../../message/original.js';
import type { RequestExtras } from '../../message/request-extras.js';
import type { Period } from './period.js';

/** A delivery report: pulled (`notificationType` absent) or pushed. Periods are half-open, RFC 3339 UTC. */
export interface DeliveryReport {
  readonly notificationType?:
    | 'scheduled'
    | 'final'
    | 'delayed'
    | 'adjusted'
    | 'window_update'
    | (string & {});
  readonly sequenceNumber?: number;
  readonly nextExpectedAt?: string;
  readonly period?: Period;
  readonly currency?: string;
  readonly partialData: boolean;
  /** The attribution window in the words of 3.x. Absent where the seller gave none, or several. */
  readonly attributionWindow?: JsonObject;
  /** True where rows have several currencies: then no totals are computed over them. */
  readonly isMixed?: true;
  readonly deliveries: readonly MediaBuyDelivery[];
}

export interface MediaBuyDelivery {
  /** Slug of the seller. Set on every row of an answer merged from several sellers. */
  readonly seller?: string;
  readonly mediaBuyId: string;
  readonly buyerRef?: string;
  /** Buy status or reporting state (`reporting_delayed`, `failed`), as the seller gave it. */
  readonly status: string;
  readonly isAdjusted: boolean;
  readonly isFinal?: boolean;
  /** RFC 3339: when the row became final. */
  readonly finalizedAt?: string;
  /** The buy's pricing model, where it has exactly one. */
  readonly pricingModel?: string;
  readonly totals: DeliveryTotals;
  /** True where the seller gave no totals. Then `totals` is empty: unknown is not zero. */
  readonly totalsMissing?: boolean;
  /** RFC 3339 UTC: when the seller expects to have the missing figures. Only where it gave none. */
  readonly expectedAvailability?: string;
  /** Slices in chronological order. Absent where the seller gave none. */
  readonly slices?: readonly DeliverySlice[];
  readonly byPackage: readonly PackageDelivery[];
}

export interface PackageDelivery extends DeliveryTotals {
  readonly packageId: string;
  readonly buyerRef?: string;
  readonly currency?: string;
  readonly isFinal?: boolean;
  readonly measurementWindow?: string;
  /** Whether the seller has paused it now. */
  readonly paused?: boolean;
}

/** Metrics of one row. Spend is decimal text; counts are integers as given in JSON. */
export interface DeliveryTotals {
  readonly spend: string;
  readonly impressions?: number;
  readonly clicks?: number;
  readonly original: JsonObject;
}

/** Delivery in one slice of a period: half-open, RFC 3339 UTC. */
export interface DeliverySlice {
  readonly start: string;
  readonly end: string;
  /** Decimal text. */
  readonly spend: string;
  readonly impressions?: number;
  readonly clicks?: number;
}

export interface GetMediaBuyDeliveryRequest extends RequestExtras {
  readonly mediaBuyIds?: readonly string[];
  /** Whether the last of these ids came as `media_buy_id`, and not in the list. */
  readonly isLastIdAlone?: boolean;
  readonly buyerRefs?: readonly string[];
  /** States of buys or of their reports, in the words of 3.x. */
  readonly statusFilter?: readonly string[];
  /** `YYYY-MM-DD`, inclusive. */
  readonly startDate?: string;
  /** `YYYY-MM-DD`, exclusive. */
  readonly endDate?: string;
  readonly timeGranularity?: 'hourly' | 'daily' | 'monthly';
  /** Slices of the period beside its totals, as in 3.1. */
  readonly includeWindows?: boolean;
  /** Days of each package beside its totals, as in 3.x. */
  readonly includeDays?: boolean;
  /** How long after a click or a view a conversion counts. 3.x only. */
  readonly attributionWindow?: JsonObject;
  /** Requested breakdowns of packages. 3.x only. */
  readonly reportingDimensions?: JsonObject;
  readonly original?: Original;
}
