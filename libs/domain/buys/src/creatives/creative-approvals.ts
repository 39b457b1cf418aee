import type { CreativeApproval, CreativeStatus } from '@switchyard/protocol';
import type { PlacementStatus } from '../model/creative-library.js';

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
