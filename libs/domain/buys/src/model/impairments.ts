import type { TenantScope } from '@switchyard/tenancy';
import type { Instant, JsonObject } from '@switchyard/values';
import type { SellerBuy } from './operation.js';

/** Stores impairments of buys: independent of status, and not about money (docs/protocol/media-buys.md#impairments). */
export interface ImpairmentRepository {
  /** Stores a seller's snapshot of one buy: an impairment that is no longer listed is resolved. */
  recordSnapshot(
    scope: TenantScope,
    sellerBuy: SellerBuy,
    listed: readonly JsonObject[],
    at: Instant,
  ): Promise<void>;
  /** The open impairments of each of these buys, oldest first, in the sellers' words with our package ids. */
  of(scope: TenantScope, mediaBuyIds: readonly string[]): Promise<ReadonlyMap<string, readonly JsonObject[]>>;
}
