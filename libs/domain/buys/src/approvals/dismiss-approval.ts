import type { TenantScope } from '@switchyard/tenancy';
import { err, ok, type Result } from '@switchyard/values';
import { canGoOn, closedFailure, type ApprovalFailure } from './answer-approval.js';
import type { ApprovalPorts } from './approval.js';
import type { Approval } from './approval.js';

/** A question that a person closes without an answer. */
interface ApprovalDismissal {
  readonly by: string;
  readonly id: string;
  readonly reason: string;
}

/**
 * Closes a question that cannot be answered from here, with a person's reason. The seller is not notified,
 * because it gave no way to do so. Its task is still polled, so its outcome still arrives. A question that
 * can be answered is not closed, because the seller would wait forever.
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

const notThere: ApprovalFailure = { code: 'NOT_FOUND', message: 'There is no question with this id.' };
