import type { ApprovalsAdmin, ApprovalView } from '@switchyard/server';
import { err, ok } from '@switchyard/values';

/** One open question of one seller; answered once. */
export function specApprovals(): ApprovalsAdmin {
  const question: ApprovalView = {
    approval_id: 'a1',
    kind: 'question',
    state: 'open',
    seller: 'acme',
    task: 'create_media_buy',
    operation_id: 'op1',
    reason: 'A purchase order number\u001b[2J is needed.',
    since: '2026-01-01T00:00:00.000Z',
    can_answer: true,
  };
  return {
    list: (_caller, { state }) => Promise.resolve(state === undefined || state === 'open' ? [question] : []),
    answer: (_caller, id, answer) =>
      Promise.resolve(
        id === 'a1'
          ? ok({ ...question, state: 'answered', can_answer: false, answer, outcome: 'completed' })
          : err({ code: 'NOT_FOUND' as const, message: 'There is no such question.' }),
      ),
    dismiss: (_caller, id, reason) =>
      Promise.resolve(
        id === 'a2'
          ? ok({ ...question, approval_id: 'a2', state: 'dismissed', can_answer: false, outcome: reason })
          : err({ code: 'NOT_FOUND' as const, message: 'There is no such question.' }),
      ),
  };
}
