import type { CreativeApproval, CreativeStatus } from '@switchyard/protocol';
import type { PlacementStatus } from '../model/creative-library.js';

/** Allowed next states of a creative at a seller (docs/protocol/creatives.md#states). */
const next: Readonly<Record<CreativeStatus, readonly CreativeStatus[]>> = {
  processing: ['pending_review', 'approved', 'rejected'],
  pending_review: ['approved', 'rejected'],
  approved: ['pending_review', 'suspended', 'rejected', 'archived'],
  suspended: ['approved', 'rejected'],
  rejected: ['processing'],
  archived: ['approved'],
};

/** Whether a transition that a seller reports is allowed. */
export function isCreativeMove(from: CreativeStatus, to: CreativeStatus): boolean {
  return next[from].includes(to);
}

/**
 * One status of a creative over all its sellers: the one that needs most action by the buyer, so that no
 * approval hides a rejection or a suspension. The answer also lists the status at each seller. A creative at
 * no seller is `processing`.
 */
export function rollUpCreative(states: readonly PlacementStatus[], isArchived: boolean): CreativeStatus {
  if (isArchived) return 'archived';
  const has = (...wanted: readonly PlacementStatus[]): boolean =>
    states.some((state) => wanted.includes(state));
  if (has('rejected', 'failed')) return 'rejected';
  if (has('suspended')) return 'suspended';
  if (has('pending_review')) return 'pending_review';
  if (has('processing', 'pending')) return 'processing';
  if (has('approved')) return 'approved';
  return has('archived') ? 'archived' : 'processing';
}

/** True while a seller has not decided. */
export function isUndecided(status: PlacementStatus): boolean {
  return status === 'processing' || status === 'pending_review';
}

/** The status of a creative on a package for which its seller reported none. */
export function stateOnPackage(
  status: PlacementStatus,
  reason?: string,
): Pick<CreativeApproval, 'status' | 'reason'> {
  const why = reason === undefined ? {} : { reason };
  if (status === 'approved') return { status };
  const isOpen = status === 'pending' || isUndecided(status);
  return { status: isOpen ? 'pending_review' : 'rejected', ...why };
}
