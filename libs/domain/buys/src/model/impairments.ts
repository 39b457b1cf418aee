import type { TenantScope } from '@switchyard/tenancy';
import type { Instant, JsonObject } from '@switchyard/values';
import type { SellerBuy } from './operation.js';

/**
 * Where it is kept what hurts live buys. It is orthogonal to their status, and never about money
 * (docs/protocol/media-buys.md#impairments).
 */
export interface ImpairmentRepository {
  /** A seller's snapshot of one buy: what it does not list any more is resolved. */
  recordSnapshot(
    scope: TenantScope,
    sellerBuy: SellerBuy,
    listed: readonly JsonObject[],
    at: Instant,
  ): Promise<void>;
  /** What hurts each of these buys of ours now, oldest first, in the sellers' words with our package ids. */
  of(scope: TenantScope, mediaBuyIds: readonly string[]): Promise<ReadonlyMap<string, readonly JsonObject[]>>;
}
