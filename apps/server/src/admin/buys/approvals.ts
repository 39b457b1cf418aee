import {
  answerApproval,
  approveRequest,
  canGoOn,
  denyRequest,
  dismissApproval,
  type Approval,
  type ApprovalFailure,
  type ApprovalPorts,
  type DecidingPorts,
  type DecisionFailure,
  type InternalApproval,
  type RequestPlace,
  type ReviewRow,
} from '@switchyard/buys';
import { microsToDecimal } from '@switchyard/money';
import { latestForm, projectError } from '@switchyard/protocol';
import { authorize, reachOf } from '@switchyard/tenancy';
import {
  err,
  isoOf,
  ok,
  type JsonObject,
  type PageRead,
  type Result,
  type SortKey,
} from '@switchyard/values';
import { z } from 'zod';
import type { AdminFailure } from '../../tasks/ports/admin.js';
import type { PrincipalCaller } from '../../tasks/task-call.js';
import { instant, jsonObject, limitUpTo, reasonText } from '../fields.js';
import {
  areaOfTask,
  objectFilter,
  objectQuery,
  reachFilter,
  tasksShown,
  timeFilter,
  timeQuery,
} from '../list-filters.js';
import { listPage, nextCursor, pageQuery } from '../list-page.js';
import { routesOn } from '../route.js';

export interface ApprovalsDeps {
  readonly approvalPorts: ApprovalPorts & DecidingPorts;
}

/**
 * One row of the inbox. `internal`: a request exceeds a limit and waits until another person decides. `seller`: a
 * seller waits for an answer. The other kinds say what the row waits for: a person at the seller, or somebody who finds
 * out the result of a request.
 */
const approval = z.strictObject({
  approval_id: z.string().exactOptional(),
  kind: z.enum(['internal', 'seller', 'in_review', 'creative_review', 'needs_look']),
  state: z.string(),
  seller: z
    .string()
    .exactOptional()
    .describe('Of a question or a review; `sellers` names them for every kind.'),
  sellers: z.array(z.string()),
  asked_by: z.string().exactOptional().describe('Id of the principal whose request it is.'),
  asked_by_name: z.string().exactOptional(),
  client: z.string().exactOptional(),
  client_id: z.string().exactOptional(),
  brand: z.string().exactOptional(),
  campaign: z.string().exactOptional(),
  campaign_id: z.string().exactOptional(),
  account: z.string().exactOptional().describe('The brand, and who operates for it.'),
  amount: z.string().exactOptional().describe('What the request commits; decimal text.'),
  currency: z.string().exactOptional(),
  expires_at: instant.exactOptional(),
  on_approval: z.string().exactOptional().describe('What happens on yes.'),
  media_buy_id: z.string().exactOptional(),
  decided_by: z.string().exactOptional().describe('Id of the principal that decided.'),
  decided_by_name: z.string().exactOptional(),
  decided_at: instant.exactOptional(),
  decision_reason: z.string().exactOptional(),
  task: z.string(),
  operation_id: z.string(),
  creative_id: z.string().exactOptional(),
  reason: z.string().describe("The seller's own words, or ours where it has none."),
  since: instant,
  round: z.int().exactOptional(),
  errors: z.array(jsonObject.describe('An error as the seller sent it.')).exactOptional(),
  question: jsonObject.exactOptional().describe("The seller's payload as it came."),
  can_answer: z.boolean(),
  answer: jsonObject.exactOptional().describe('What a person has answered to the seller.'),
  answered_by: z.string().exactOptional(),
  answered_at: instant.exactOptional(),
  closed_at: instant.exactOptional().describe('Of a question that needs nobody any more.'),
  outcome: z.string().exactOptional(),
});

const listQuery = z.strictObject({
  state: z
    .enum([
      'open',
      'answering',
      'answered',
      'refused',
      'moved_on',
      'unknown',
      'dismissed',
      'approved',
      'denied',
      'expired',
      'failed',
      'withdrawn',
    ])
    .exactOptional(),
  seller: z.string().min(1).max(63).exactOptional(),
  ...objectQuery,
  ...timeQuery,
  ...pageQuery,
  limit: limitUpTo(999).exactOptional().describe('Rows of a page, 100 unless set.'),
});

const decision = z.strictObject({ reason: reasonText.exactOptional() });

const route = routesOn<ApprovalsDeps>();

/** What waits for people: requests over our own limits, and sellers. Callers see and answer what their reach allows. */
export const approvalRoutes = [
  route({
    method: 'get',
    path: '/v1/approvals',
    id: 'list_approvals',
    summary: 'Internal approvals, questions of sellers, and reviews at sellers',
    needs: 'media_buys.read',
    query: listQuery,
    answer: z.strictObject({ approvals: z.array(approval), next_cursor: nextCursor }),
    example: {
      approvals: [
        {
          approval_id: '2b1d5c1e-6f2e-4d0a-8c53-6c1b0f6a7d11',
          kind: 'seller',
          state: 'open',
          seller: 'acme',
          sellers: ['acme'],
          asked_by: '7a9b1e2c-6f2e-4d0a-8c53-6c1b0f6a7d11',
          brand: 'coffee.example',
          amount: '10000',
          currency: 'USD',
          task: 'create_media_buy',
          operation_id: '5f6b2c1e-0a55-4f0e-8c53-6c1b0f6a7d11',
          reason: 'A purchase order number is needed.',
          since: '2026-11-21T12:00:00.000Z',
          round: 1,
          can_answer: true,
        },
      ],
    },
    handle: ({ approvalPorts }, { caller, query }) => list(approvalPorts, caller, query),
  }),
  route({
    method: 'post',
    path: '/v1/approvals/{id}/answer',
    id: 'answer_approval',
    summary: 'Answer a question of a seller, once',
    // The handler checks the area of the waiting task once more.
    needs: 'media_buys.approve',
    body: z.strictObject({
      answer: z.looseObject({}).describe('Members of the request that answer what the seller asks for.'),
    }),
    answer: approval,
    handle: async ({ approvalPorts: ports }, { caller, params: { id }, body }) => {
      if (!(await mayDecide(ports, caller, id))) return err(notFound);
      const answer = body.answer as JsonObject;
      const answered = await answerApproval(ports, scopeOf(caller), { by: caller.principalId, id, answer });
      return answered.ok
        ? ok(await oneQuestion(ports, caller, answered.value))
        : err(failureOf(answered.error));
    },
  }),
  route({
    method: 'post',
    path: '/v1/approvals/{id}/dismiss',
    id: 'dismiss_approval',
    summary: 'Dismiss a question that cannot be answered here, with a reason',
    needs: 'media_buys.approve',
    body: z.strictObject({
      reason: z.string().min(1).max(500).describe('Why no answer is needed here.'),
    }),
    answer: approval,
    handle: async ({ approvalPorts: ports }, { caller, params: { id }, body: { reason } }) => {
      if (!(await mayDecide(ports, caller, id))) return err(notFound);
      const dismissed = await dismissApproval(ports, scopeOf(caller), { by: caller.principalId, id, reason });
      return dismissed.ok
        ? ok(await oneQuestion(ports, caller, dismissed.value))
        : err(failureOf(dismissed.error));
    },
  }),
  route({
    method: 'post',
    path: '/v1/approvals/{id}/approve',
    id: 'approve_request',
    summary: 'Approve a request that waits for an internal approval; its requester cannot approve it',
    needs: 'media_buys.approve',
    body: decision,
    answer: approval,
    handle: ({ approvalPorts }, { caller, params: { id }, body }) =>
      decide(approveRequest, approvalPorts, caller, { id, ...body }),
  }),
  route({
    method: 'post',
    path: '/v1/approvals/{id}/deny',
    id: 'deny_request',
    summary: 'Deny a request that waits for an internal approval',
    needs: 'media_buys.approve',
    body: decision,
    answer: approval,
    handle: ({ approvalPorts }, { caller, params: { id }, body }) =>
      decide(denyRequest, approvalPorts, caller, { id, ...body }),
  }),
];

const scopeOf = ({ organizationId }: PrincipalCaller) => ({ organizationId });

/** Requests that wait for us, newest first; then questions of sellers, newest first; then work of people at sellers. */
async function list(
  ports: ApprovalPorts & DecidingPorts,
  caller: PrincipalCaller,
  query: z.output<typeof listQuery>,
) {
  const scope = scopeOf(caller);
  const page = await listPage(
    { id: 'list_approvals', caller, query },
    inboxOf(ports, caller, query),
    inboxKey,
  );
  if (!page.ok) return page;
  const { rows } = page.value;
  const places = await ports.internal.places(
    scope,
    rows.flatMap((row) => ('internal' in row ? [] : [operationOf(row)])),
  );
  const connections = new Map((await ports.connections.list(scope)).map((one) => [one.id, one]));
  const approvals = rows.map((row) => {
    if ('internal' in row) return internalView(row.internal);
    const place = placeView(places.get(operationOf(row)));
    if ('review' in row) return { ...reviewView(row.review), ...place };
    const connection = connections.get(row.question.connectionId);
    return {
      ...questionView(row.question, connection !== undefined && canGoOn(row.question, connection)),
      ...place,
    };
  });
  return ok({ approvals, ...page.value.next });
}

type InboxRow =
  { readonly internal: InternalApproval } | { readonly question: Approval } | { readonly review: ReviewRow };

const parts = ['internal', 'question', 'review'] as const;

/** Reads a page of the inbox: the parts in turn, each from where the previous page ended. */
function inboxOf(
  ports: ApprovalPorts & DecidingPorts,
  caller: PrincipalCaller,
  query: z.output<typeof listQuery>,
) {
  const scope = scopeOf(caller);
  const { state, seller } = query;
  const named = seller === undefined ? {} : { seller };
  const object = objectFilter(query);
  const filter = { ...timeFilter(query), ...named, shown: tasksShown(caller, object) };
  const readers: Readonly<Record<(typeof parts)[number], (part: PageRead) => Promise<readonly InboxRow[]>>> =
    {
      internal: async (part) => {
        const own = {
          reach: reachOf(caller, 'media_buys', 'read'),
          ...named,
          ...timeFilter(query),
          ...object,
        };
        const found = await ports.internal.list(scope, {
          ...own,
          ...part,
          ...(state !== undefined && { state: state as InternalApproval['state'] }),
        });
        return found.map((internal) => ({ internal }));
      },
      question: async (part) => {
        const only = state === undefined ? {} : { state: state as Approval['state'] };
        const found = await ports.approvals.list(scope, { ...filter, ...only, ...part });
        return found.map((question) => ({ question }));
      },
      // What waits for people at sellers has no state here.
      review: async (part) =>
        state === undefined
          ? (await ports.approvals.reviews(scope, { ...filter, ...part })).map((review) => ({ review }))
          : [],
    };
  return async ({ after: [first, ...after] = [], limit }: PageRead): Promise<readonly InboxRow[]> => {
    const rows: InboxRow[] = [];
    for (const part of parts.slice(Math.max(0, parts.indexOf(first as (typeof parts)[number])))) {
      if (rows.length >= limit) break;
      const left = { limit: limit - rows.length, ...(part === first && { after }) };
      rows.push(...(await readers[part](left)));
    }
    return rows;
  };
}

function operationOf(row: Exclude<InboxRow, { readonly internal: InternalApproval }>): string {
  return 'question' in row ? row.question.operationId : row.review.operationId;
}

function inboxKey(row: InboxRow): SortKey {
  if ('internal' in row) return ['internal', row.internal.askedAt, row.internal.id];
  if ('question' in row) return ['question', row.question.askedAt, row.question.id];
  const { since, legId, creativeId = '' } = row.review;
  return ['review', since, legId, creativeId];
}

/** A question as it is shown after it was answered. */
async function oneQuestion(ports: DecidingPorts, caller: PrincipalCaller, one: Approval) {
  const places = await ports.internal.places(scopeOf(caller), [one.operationId]);
  return { ...questionView(one, false), ...placeView(places.get(one.operationId)) };
}

async function decide(
  by: typeof approveRequest,
  ports: ApprovalPorts & DecidingPorts,
  caller: PrincipalCaller,
  { id, reason }: { readonly id: string; readonly reason?: string },
): Promise<Result<ReturnType<typeof internalView>, AdminFailure>> {
  const reach = reachOf(caller, 'media_buys', 'approve');
  const decider = { scope: scopeOf(caller), principalId: caller.principalId, reach };
  const decided = await by(ports, decider, id, reason);
  if (decided.ok) return ok(internalView(decided.value));
  const isQuestion = decided.error.code === 'NOT_FOUND' && (await mayDecide(ports, caller, id));
  return err(isQuestion ? questionsAreAnswered : decisionFailure(decided.error));
}

const questionsAreAnswered: AdminFailure = {
  code: 'CONFLICT',
  message: 'This is a question of a seller: it needs an answer, not an approval.',
  suggestion: 'Answer it: switchyard approvals answer ID --set member=value.',
};

function decisionFailure({ code, message }: DecisionFailure): AdminFailure {
  if (code === 'NOT_FOUND') return { code: 'NOT_FOUND', message };
  if (code === 'OWN_REQUEST')
    return {
      code: 'INSUFFICIENT_PERMISSIONS',
      message,
      suggestion: 'Ask somebody else who holds media_buys.approve for it.',
    };
  if (code === 'BUSY') return { code: 'CONFLICT', message, recovery: 'transient' };
  if (code === 'OVER_LIMIT')
    return { code: 'CONFLICT', message, suggestion: 'Raise this limit first, or deny the request.' };
  if (code === 'NO_RATE')
    return {
      code: 'CONFLICT',
      message,
      suggestion: 'Enter it: switchyard rates set FROM TO RATE --date D --source S.',
    };
  return { code: 'CONFLICT', message };
}

async function mayDecide(ports: ApprovalPorts, caller: PrincipalCaller, id: string): Promise<boolean> {
  const known = await ports.approvals.find(scopeOf(caller), id);
  if (known === undefined) return false;
  const area = areaOfTask(known.task);
  if (!authorize(caller, { access: 'credentials', area, permission: 'approve' }).ok) return false;
  const reach = reachFilter(caller, area, 'approve');
  return (await ports.approvals.find(scopeOf(caller), id, reach)) !== undefined;
}

const notFound: AdminFailure = { code: 'NOT_FOUND', message: 'There is no question with this id.' };

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

function questionView(one: Approval, canAnswer: boolean) {
  return {
    approval_id: one.id,
    kind: 'seller' as const,
    state: one.state,
    seller: one.seller,
    sellers: [one.seller],
    task: one.task,
    operation_id: one.operationId,
    reason: one.reason,
    since: isoOf(one.askedAt),
    round: one.round,
    errors: one.errors.map((error) => projectError(error, 'ads', latestForm)),
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
    sellers: [one.seller],
    task: one.task,
    operation_id: one.operationId,
    reason: one.reason,
    since: isoOf(one.since),
    can_answer: false,
    ...(one.creativeId === undefined ? {} : { creative_id: one.creativeId }),
  };
}

function internalView(one: InternalApproval) {
  return {
    approval_id: one.id,
    kind: 'internal' as const,
    state: one.state,
    sellers: one.sellers,
    task: one.task,
    operation_id: one.operationId,
    reason: one.reason,
    since: isoOf(one.askedAt),
    expires_at: isoOf(one.expiresAt),
    on_approval: `The request is sent to ${one.sellers.join(', ')}, if no price has risen.`,
    can_answer: false,
    ...placeView(one),
    ...(one.mediaBuyId === undefined ? {} : { media_buy_id: one.mediaBuyId }),
    ...(one.decidedBy === undefined ? {} : { decided_by: one.decidedBy }),
    ...(one.decidedByName === undefined ? {} : { decided_by_name: one.decidedByName }),
    ...(one.decidedAt === undefined ? {} : { decided_at: isoOf(one.decidedAt) }),
    ...(one.decisionReason === undefined ? {} : { decision_reason: one.decisionReason }),
  };
}

/** The principal, client, brand and campaign of a request, and the amount that it commits. */
function placeView(place: RequestPlace | undefined) {
  if (place === undefined) return {};
  const { askedByName, clientId, clientName, brandDomain, campaignId, campaignName } = place;
  const { account, amount, currency } = place;
  return {
    asked_by: place.askedBy,
    ...(askedByName === undefined ? {} : { asked_by_name: askedByName }),
    ...(clientName === undefined ? {} : { client: clientName }),
    ...(clientId === undefined ? {} : { client_id: clientId }),
    ...(brandDomain === undefined ? {} : { brand: brandDomain }),
    ...(campaignName === undefined ? {} : { campaign: campaignName }),
    ...(campaignId === undefined ? {} : { campaign_id: campaignId }),
    ...(account === undefined ? {} : { account }),
    ...(amount === undefined ? {} : { amount: microsToDecimal(amount) }),
    ...(currency === undefined ? {} : { currency }),
  };
}
