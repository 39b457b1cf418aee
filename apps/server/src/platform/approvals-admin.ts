import {
  answerApproval,
  canGoOn,
  dismissApproval,
  type Approval,
  type ApprovalFailure,
  type ApprovalPorts,
  type ReviewRow,
} from '@switchyard/buys';
import { findTask, projectError } from '@switchyard/protocol';
import { authorize, ownerFilter } from '@switchyard/tenancy';
import { err, isoOf, ok } from '@switchyard/values';
import type { AdminFailure } from '../application/admin.js';
import type { ApprovalsAdmin, ApprovalView } from '../application/approvals.js';
import type { PrincipalCaller } from '../application/task-call.js';

const usualLimit = 100;

/** The inbox over the store: each caller sees and answers what is visible to it and what it has the area of. */
export function createApprovalsAdmin(ports: ApprovalPorts): ApprovalsAdmin {
  return {
    list: async (caller, { state, seller, limit = usualLimit }) => {
      const scope = { organizationId: caller.organizationId };
      const filter = { limit, ...ownerFilter(caller), ...(seller === undefined ? {} : { seller }) };
      const found = await ports.approvals.list(scope, {
        ...filter,
        ...(state === undefined ? {} : { state }),
      });
      const reviews = state === undefined ? await ports.approvals.reviews(scope, filter) : [];
      const connections = new Map((await ports.connections.list(scope)).map((one) => [one.id, one]));
      const questions = found.map((one) => {
        const connection = connections.get(one.connectionId);
        return questionView(one, connection !== undefined && canGoOn(one, connection));
      });
      return [...questions, ...reviews.map(reviewView)].filter(({ task }) => may(caller, task, 'read'));
    },
    answer: async (caller, id, answer) => {
      const scope = { organizationId: caller.organizationId };
      const approval = await ports.approvals.find(scope, id, ownerFilter(caller));
      if (approval === undefined || !may(caller, approval.task, 'approve')) return err(notFound);
      const answered = await answerApproval(ports, scope, caller.principalId, id, answer);
      return answered.ok ? ok(questionView(answered.value, false)) : err(failureOf(answered.error));
    },
    dismiss: async (caller, id, reason) => {
      const scope = { organizationId: caller.organizationId };
      const approval = await ports.approvals.find(scope, id, ownerFilter(caller));
      if (approval === undefined || !may(caller, approval.task, 'approve')) return err(notFound);
      const dismissed = await dismissApproval(ports, scope, caller.principalId, id, reason);
      return dismissed.ok ? ok(questionView(dismissed.value, false)) : err(failureOf(dismissed.error));
    },
  };
}

const notFound: AdminFailure = { code: 'NOT_FOUND', message: 'There is no such question.' };

const codes: Readonly<Record<ApprovalFailure['code'], AdminFailure['code']>> = {
  NOT_FOUND: 'NOT_FOUND',
  ALREADY_ANSWERED: 'CONFLICT',
  SELLER_MOVED_ON: 'CONFLICT',
  NO_CONTINUATION: 'CONFLICT',
  CAN_BE_ANSWERED: 'CONFLICT',
  INVALID_ANSWER: 'INVALID_REQUEST',
  CREDENTIAL_UNAVAILABLE: 'UNAVAILABLE',
};

function failureOf({ code, message }: ApprovalFailure): AdminFailure {
  return { code: codes[code], message, ...(code === 'INVALID_ANSWER' ? { field: 'answer' } : {}) };
}

/** The area of the task that waits decides: who may not touch creatives does not approve them either. */
function may(caller: PrincipalCaller, task: string, permission: 'read' | 'approve'): boolean {
  const area = findTask(task)?.area ?? 'media_buys';
  return authorize(caller, { access: 'credentials', area, permission }).ok;
}

function questionView(one: Approval, canAnswer: boolean): ApprovalView {
  return {
    approval_id: one.id,
    kind: 'question',
    state: one.state,
    seller: one.seller,
    task: one.task,
    operation_id: one.operationId,
    reason: one.reason,
    since: isoOf(one.askedAt),
    round: one.round,
    errors: one.errors.map((error) => projectError(error, 'ads', '3.1')),
    question: one.question,
    can_answer: canAnswer && one.state === 'open',
    ...(one.answer === undefined ? {} : { answer: one.answer }),
    ...(one.answeredBy === undefined ? {} : { answered_by: one.answeredBy }),
    ...(one.answeredAt === undefined ? {} : { answered_at: isoOf(one.answeredAt) }),
    ...(one.closedAt === undefined ? {} : { closed_at: isoOf(one.closedAt) }),
    ...(one.outcome === undefined ? {} : { outcome: one.outcome }),
  };
}

function reviewView(one: ReviewRow): ApprovalView {
  return {
    kind: one.kind,
    state: one.kind,
    seller: one.seller,
    task: one.task,
    operation_id: one.operationId,
    reason: one.reason,
    since: isoOf(one.since),
    can_answer: false,
    ...(one.creativeId === undefined ? {} : { creative_id: one.creativeId }),
  };
}
