import type { JsonObject } from '@switchyard/values';
import type { Original } from '../../message/original.js';
import type { RequestExtras } from '../../message/request-extras.js';

export interface GetMediaBuyDeliveryRequest extends RequestExtras {
  readonly mediaBuyIds?: readonly string[];
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
