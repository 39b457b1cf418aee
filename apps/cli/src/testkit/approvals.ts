import { err, ok } from '@switchyard/values';
import type { SpecAnswers } from './run-route.js';

/** One open question of one seller; answered once. */
export function specApprovals(): SpecAnswers {
  const question = {
    approval_id: 'a1',
    kind: 'seller',
    state: 'open',
    seller: 'acme',
    sellers: ['acme'],
    task: 'create_media_buy',
    operation_id: 'op1',
    reason: 'A purchase order number\u001b[2J is needed.',
    since: '2026-01-01T00:00:00.000Z',
    can_answer: true,
  };
  const missing = err({ code: 'NOT_FOUND', message: 'There is no question with this id.' } as const);
  return {
    list_approvals: ({ query }) => {
      const { state = 'open' } = query as { readonly state?: string };
      return ok({ approvals: state === 'open' ? [question] : [] });
    },
    answer_approval: ({ params, body }) =>
      params['id'] === 'a1'
        ? ok({ ...question, state: 'answered', can_answer: false, outcome: 'completed', ...(body as object) })
        : missing,
    dismiss_approval: ({ params, body }) => {
      const outcome = (body as { readonly reason: string }).reason;
      return params['id'] === 'a2'
        ? ok({ ...question, approval_id: 'a2', state: 'dismissed', can_answer: false, outcome })
        : missing;
    },
  };
}
