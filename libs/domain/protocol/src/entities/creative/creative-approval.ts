import { defined, type JsonObject } from '@switchyard/values';
import type { CreativeApproval } from './creative-messages.js';
import { listAt, objectsAt, textAt } from '../../message/pick.js';

/** Reads `creative_approvals` of a package. A row without a creative or with an unknown state is ignored. */
export function readApprovals(value: JsonObject): readonly CreativeApproval[] | undefined {
  if (listAt(value, 'creative_approvals') === undefined) return undefined;
  return objectsAt(value, 'creative_approvals').flatMap((one): readonly CreativeApproval[] => {
    const creativeId = textAt(one, 'creative_id');
    const word = textAt(one, 'approval_status');
    const status = word === 'pending' ? 'pending_review' : word;
    if (creativeId === undefined) return [];
    if (status !== 'pending_review' && status !== 'approved' && status !== 'rejected') return [];
    return [{ creativeId, status, ...defined({ reason: textAt(one, 'rejection_reason') }) }];
  });
}

export function projectApproval({ creativeId, status, reason }: CreativeApproval): JsonObject {
  return defined({
    creative_id: creativeId,
    approval_status: status,
    // Only a rejection has a reason.
    rejection_reason: status === 'rejected' ? reason : undefined,
  });
}
