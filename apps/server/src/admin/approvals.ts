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
import { err, isoOf, ok, type JsonObject } from '@switchyard/values';
import { z } from 'zod';
import type { AdminFailure } from '../tasks/ports/admin.js';
import type { PrincipalCaller } from '../tasks/task-call.js';
import { instant, jsonObject, limitUpTo } from './fields.js';
import { routesOn } from './route.js';

export interface ApprovalsDeps {
  readonly approvalPorts: ApprovalPorts;
}

/**
 * One row of the inbox. `question`: a seller waits for an answer. The other kinds show what is waited for: a person at
 * the seller decides, or nobody knows what became of a request.
 */
const approval = z.strictObject({
  approval_id: z.string().exactOptional(),
  kind: z.enum(['question', 'in_review', 'creative_review', 'needs_look']),
  state: z.string(),
  seller: z.string(),
  task: z.string(),
  operation_id: z.string(),
  creative_id: z.string().exactOptional(),
  reason: z.string().describe("The seller's own words, or ours where it has none."),
  since: instant,
  round: z.int().exactOptional(),
  errors: z.array(jsonObject).exactOptional(),
  question: jsonObject.exactOptional().describe("The seller's payload as it came."),
  can_answer: z.boolean(),
  answer: jsonObject.exactOptional(),
  answered_by: z.string().exactOptional(),
  answered_at: instant.exactOptional(),
  closed_at: instant.exactOptional().describe('Of a question that needs nobody any more.'),
  outcome: z.string().exactOptional(),
});

const query = z.strictObject({
  state: z
    .enum(['open', 'answering', 'answered', 'refused', 'moved_on', 'unknown', 'dismissed'])
    .exactOptional(),
  seller: z.string().min(1).max(63).exactOptional(),
  limit: limitUpTo(999).exactOptional(),
});

const usualLimit = 100;

const route = routesOn<ApprovalsDeps>();

/** What sellers ask people for. Each caller sees and answers what is visible to it and what it has the area of. */
export const approvalRoutes = [
  route({
    method: 'get',
    path: '/v1/approvals',
    id: 'list_approvals',
    summary: 'What sellers ask people for, and what people at sellers are at',
    needs: 'media_buys.read',
    query,
    answer: z.strictObject({ approvals: z.array(approval) }),
    example: {
      approvals: [
        {
          approval_id: '2b1d5c1e-6f2e-4d0a-8c53-6c1b0f6a7d11',
          kind: 'question',
          state: 'open',
          seller: 'acme',
          task: 'create_media_buy',
          operation_id: '5f6b2c1e-0a55-4f0e-8c53-6c1b0f6a7d11',
          reason: 'A purchase order number is needed.',
          since: '2026-11-21T12:00:00.000Z',
          round: 1,
          can_answer: true,
        },
      ],
    },
    handle: async ({ approvalPorts }, { caller, query }) =>
      ok({ approvals: await list(approvalPorts, caller, query) }),
  }),
  route({
    method: 'post',
    path: '/v1/approvals/{id}/answer',
    id: 'answer_approval',
    summary: 'Answer a question of a seller, once',
    // Who may answer is decided again by the area of the task that waits.
    needs: 'media_buys.approve',
    body: z.strictObject({
      answer: z.looseObject({}).describe('Members of the request that answer what the seller asks for.'),
    }),
    answer: approval,
    handle: async ({ approvalPorts: ports }, { caller, params: { id }, body }) => {
      if (!(await mayDecide(ports, caller, id))) return err(notFound);
      const answer = body.answer as JsonObject;
      const answered = await answerApproval(ports, scopeOf(caller), caller.principalId, id, answer);
      return answered.ok ? ok(questionView(answered.value, false)) : err(failureOf(answered.error));
    },
  }),
  route({
    method: 'post',
    path: '/v1/approvals/{id}/dismiss',
    id: 'dismiss_approval',
    summary: 'Put a question away that cannot be answered from here, with a reason',
    needs: 'media_buys.approve',
    body: z.strictObject({
      reason: z.string().min(1).max(500).describe('Why nobody has to answer it here.'),
    }),
    answer: approval,
    handle: async ({ approvalPorts: ports }, { caller, params: { id }, body: { reason } }) => {
      if (!(await mayDecide(ports, caller, id))) return err(notFound);
      const dismissed = await dismissApproval(ports, scopeOf(caller), caller.principalId, id, reason);
      return dismissed.ok ? ok(questionView(dismissed.value, false)) : err(failureOf(dismissed.error));
    },
  }),
];

const scopeOf = ({ organizationId }: PrincipalCaller) => ({ organizationId });

async function list(
  ports: ApprovalPorts,
  caller: PrincipalCaller,
  { state, limit = usualLimit, ...seller }: z.output<typeof query>,
) {
  const scope = scopeOf(caller);
  const filter = { limit, ...ownerFilter(caller), ...seller };
  const found = await ports.approvals.list(scope, { ...filter, ...(state !== undefined && { state }) });
  const reviews = state === undefined ? await ports.approvals.reviews(scope, filter) : [];
  const connections = new Map((await ports.connections.list(scope)).map((one) => [one.id, one]));
  const questions = found.map((one) => {
    const connection = connections.get(one.connectionId);
    return questionView(one, connection !== undefined && canGoOn(one, connection));
  });
  return [...questions, ...reviews.map(reviewView)].filter(({ task }) => may(caller, task, 'read'));
}

async function mayDecide(ports: ApprovalPorts, caller: PrincipalCaller, id: string): Promise<boolean> {
  const found = await ports.approvals.find(scopeOf(caller), id, ownerFilter(caller));
  return found !== undefined && may(caller, found.task, 'approve');
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

function questionView(one: Approval, canAnswer: boolean) {
  return {
    approval_id: one.id,
    kind: 'question' as const,
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

function reviewView(one: ReviewRow) {
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
