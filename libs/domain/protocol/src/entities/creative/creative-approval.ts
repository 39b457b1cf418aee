import type { JsonObject } from '@switchyard/values';
import type { CreativeApproval } from './creative-messages.js';
import { defined, listAt, objectsAt, textAt } from '../../message/pick.js';

/** `creative_approvals` of a package. What names no creative, or a state that there is none of, tells nothing. */
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
    // Only of a rejection is there a reason to give.
    rejection_reason: status === 'rejected' ? reason : undefined,
  });
}
