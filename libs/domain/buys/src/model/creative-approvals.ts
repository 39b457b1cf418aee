import type { CreatedPackage, CreativeApproval } from '@switchyard/protocol';
import type { TenantScope } from '@switchyard/tenancy';
import type { Instant } from '@switchyard/values';
import type { SellerBuy } from './operation.js';

/**
 * Stores what sellers report about creatives per package (docs/protocol/creatives.md#approvals-per-package).
 */
export interface CreativeApprovalRepository {
  /**
   * Stores a seller's list for one buy. In a package that lists approvals, those no longer listed become
   * unknown; a package without a list changes nothing. Packages of other buys are ignored.
   */
  recordSnapshot(
    scope: TenantScope,
    sellerBuy: Pick<SellerBuy, 'mediaBuyId' | 'connectionId' | 'seller'>,
    packages: readonly CreatedPackage[],
    at: Instant,
  ): Promise<void>;
  /** The approvals of each package of these buys, by the prefixed package id. */
  of(
    scope: TenantScope,
    mediaBuyIds: readonly string[],
  ): Promise<ReadonlyMap<string, readonly CreativeApproval[]>>;
}
