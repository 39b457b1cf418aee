import type { JsonObject } from '@switchyard/values';

export interface Brand {
  /** The advertiser's domain; absent only when a `service` buyer sent `brand_id` alone. */
  readonly domain?: string;
  readonly brandId?: string;
  /** Inline manifest or its URL, as the buyer sent it. */
  readonly manifest?: JsonObject | string;
}
