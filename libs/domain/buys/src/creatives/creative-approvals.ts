import type { CreatedPackage, CreativeApproval, CreativeStatus } from '@switchyard/protocol';
import type { TenantScope } from '@switchyard/tenancy';
import type { Instant } from '@switchyard/values';
import type { SellerBuy } from '../model/operation.js';
import type { PlacementStatus } from './creative-library.js';

/**
 * Where it is kept what sellers say of creatives package by package (docs/protocol/creatives.md#approvals-per-package).
 */
export interface CreativeApprovalRepository {
  /**
   * A seller's list of one buy. Of a package that lists approvals, what it does not list any more is not known any more;
   * a package that lists none says nothing. Packages that are not of this buy change nothing.
   */
  recordSnapshot(
    scope: TenantScope,
    sellerBuy: Pick<SellerBuy, 'mediaBuyId' | 'connectionId' | 'seller'>,
    packages: readonly CreatedPackage[],
    at: Instant,
  ): Promise<void>;
  /** What is known of each package of these buys, by the package's id as buyers know it. */
  of(
    scope: TenantScope,
    mediaBuyIds: readonly string[],
  ): Promise<ReadonlyMap<string, readonly CreativeApproval[]>>;
}

/**
 * What a creative has become at a seller by what the seller says of it on packages; nothing where that does not tell.
 *
 * The seller's own library has the last word: what it has decided stays, but for a rejection that a package contradicts.
 * One package that takes it shows that it may serve; only where every package refuses it is it refused.
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
