import type { TenantScope } from '@switchyard/tenancy';
import { err, ok, type Result } from '@switchyard/values';
import { canGoOn, closedFailure, type ApprovalFailure, type ApprovalPorts } from './answer-approval.js';
import type { Approval } from './approval.js';

/** A question that a person closes without an answer. */
export interface ApprovalDismissal {
  readonly by: string;
  readonly id: string;
  readonly reason: string;
}

/**
 * Puts a question away that cannot be answered from here, with the reason of the person who did. The seller is told
 * nothing, since it gave no way to tell it, and its task is followed on: what it comes to still arrives. A question
 * that can be answered is not put away, because the seller would wait for ever.
 */
export async function dismissApproval(
  ports: Pick<ApprovalPorts, 'approvals' | 'connections' | 'clock'>,
  scope: TenantScope,
  { by, id, reason }: ApprovalDismissal,
): Promise<Result<Approval, ApprovalFailure>> {
  const approval = await ports.approvals.find(scope, id);
  if (approval === undefined) return err(notThere);
  const closed = closedFailure(approval);
  if (closed !== undefined) return err(closed);
  const connection = await ports.connections.byId(scope, approval.connectionId);
  if (connection !== undefined && canGoOn(approval, connection))
    return err({
      code: 'CAN_BE_ANSWERED',
      message: `The seller ${approval.seller} waits for an answer and can take one.`,
    });
  const dismissed = await ports.approvals.dismiss(scope, id, { by, reason, at: ports.clock.now() });
  const now = await ports.approvals.find(scope, id);
  if (now === undefined) return err(notThere);
  const faster = dismissed ? undefined : closedFailure(now);
  return faster === undefined ? ok(now) : err(faster);
}

const notThere: ApprovalFailure = { code: 'NOT_FOUND', message: 'There is no such question.' };
