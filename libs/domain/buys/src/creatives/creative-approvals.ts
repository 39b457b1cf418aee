import type { CreatedPackage, CreativeApproval, CreativeStatus } from '@switchyard/protocol';
import type { TenantScope } from '@switchyard/tenancy';
import type { Instant } from '@switchyard/values';
import type { SellerBuy } from '../model/operation.js';
import type { PlacementStatus } from '../model/creative-library.js';

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

/**
 * Returns the status of a creative at a seller from its approvals on packages; undefined where they decide nothing.
 *
 * The status in the seller's own library takes precedence, except for a rejection that a package contradicts. One
 * approval is enough for `approved`; `rejected` needs a rejection on every package.
 */
export function placementByApprovals(
  known: PlacementStatus,
  approvals: readonly CreativeApproval['status'][],
): CreativeStatus | undefined {
  const isOpen = known === 'processing' || known === 'pending_review';
  if (approvals.includes('approved')) return isOpen || known === 'rejected' ? 'approved' : undefined;
  if (!isOpen || approvals.length === 0) return undefined;
  if (approvals.every((status) => status === 'rejected')) return 'rejected';
  return known === 'processing' ? 'pending_review' : undefined;
}
