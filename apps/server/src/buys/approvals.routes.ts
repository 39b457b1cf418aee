import {
  answerApproval,
  approveRequest,
  canGoOn,
  denyRequest,
  dismissApproval,
  type Approval,
  type ApprovalFailure,
  type ApprovalPorts,
  type ControlRequest,
  type ControlRequests,
  type DecidingPorts,
  type DecisionFailure,
  type InternalApproval,
  type ReviewRow,
} from '@switchyard/buys';
import { authorize, reachOf } from '@switchyard/tenancy';
import {
  defined,
  err,
  ok,
  type Clock,
  type JsonObject,
  type PageRead,
  type Result,
  type SortKey,
} from '@switchyard/values';
import { z } from 'zod';
import type { AdminFailure } from '../platform/failure.js';
import { scopeOf, type PrincipalCaller } from '../platform/tasks/call/task-call.js';
import { limitUpTo, reasonText } from '../platform/routes/fields.js';
import {
  areaOfTask,
  objectFilter,
  objectQuery,
  reachFilter,
  tasksShown,
  timeFilter,
  timeQuery,
} from '../platform/routes/list-filters.js';
import { listPage, nextCursor, pageQuery } from '../platform/routes/list-page.js';
import { routesOn, type Immutable } from '../platform/routes/route.js';
import {
  anotherPerson,
  controlsSeen,
  decideControl,
  notByProgram,
  seesControl,
  unknownRequest,
} from './decide-control.js';
import {
  approval,
  controlView,
  internalView,
  placeView,
  questionView,
  reviewView,
} from './approval-views.js';

interface ApprovalsDeps {
  readonly approvalPorts: ApprovalPorts & DecidingPorts;
  readonly controls: ControlRequests;
  readonly clock: Clock;
}

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
  sort: z
    .enum(['newest', 'oldest'])
    .exactOptional()
    .describe('Within each kind. Unless set, newest first, but reviews at sellers oldest first.'),
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
    summary: 'Internal approvals, changes of controls, questions of sellers, and reviews at sellers',
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
    handle: (deps, { caller, query }) => list(deps, caller, query),
  }),
  route({
    method: 'get',
    path: '/v1/approvals/{id}',
    id: 'show_approval',
    summary: 'One request that waits, or waited, for a person; your own, or one that you may see',
    // The handler checks the area of the request.
    needs: 'a_credential',
    answer: approval,
    handle: (deps, { caller, params }) => show(deps, caller, params.id),
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
    summary:
      'Approve a request that waits for another person; its requester cannot. Needs media_buys.approve, or what a change of a control needs',
    // The handler checks the area of the request.
    needs: 'a_credential',
    byPerson: true,
    body: decision,
    answer: approval,
    handle: (deps, { caller, params: { id }, body }) => decide(deps, caller, 'approved', { id, ...body }),
  }),
  route({
    method: 'post',
    path: '/v1/approvals/{id}/deny',
    id: 'deny_request',
    summary: 'Deny a request that waits for another person; needs what an approval of it needs',
    needs: 'a_credential',
    byPerson: true,
    body: decision,
    answer: approval,
    handle: (deps, { caller, params: { id }, body }) => decide(deps, caller, 'denied', { id, ...body }),
  }),
  route({
    method: 'post',
    path: '/v1/approvals/{id}/withdraw',
    id: 'withdraw_request',
    summary: 'Withdraw your own request of a change of a control',
    needs: 'a_credential',
    byPerson: true,
    answer: approval,
    handle: async ({ controls, clock }, { caller, params: { id } }) => {
      const scope = scopeOf(caller);
      const isDone = await controls.withdraw(scope, id, caller.principalId, clock.now());
      const found = isDone ? await controls.find(scope, id, clock.now()) : undefined;
      return found === undefined ? err(notYours) : ok(controlView(found));
    },
  }),
];

/** Requests that wait for us, then questions of sellers, then work of people at sellers. */
async function list(deps: ApprovalsDeps, caller: PrincipalCaller, query: z.output<typeof listQuery>) {
  const { approvalPorts: ports } = deps;
  const scope = scopeOf(caller);
  const page = await listPage(
    { id: 'list_approvals', caller, query },
    inboxOf(deps, caller, query),
    inboxKey,
  );
  if (!page.ok) return page;
  const { rows } = page.value;
  const places = await ports.internal.places(
    scope,
    rows.flatMap((row) => ('internal' in row || 'control' in row ? [] : [operationOf(row)])),
  );
  const connections = new Map(
    (await ports.connections.list(scope)).map((connection) => [connection.id, connection]),
  );
  const approvals = rows.map((row) => {
    if ('internal' in row) return internalView(row.internal);
    if ('control' in row) return controlView(row.control);
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

type SellerRow = { readonly question: Approval } | { readonly review: ReviewRow };
type InboxRow = { readonly internal: InternalApproval } | { readonly control: ControlRequest } | SellerRow;

const parts = ['internal', 'control', 'question', 'review'] as const;

/** Reads a page of the inbox: the parts in turn, each from where the previous page ended. */
function inboxOf(
  { approvalPorts: ports, controls, clock }: ApprovalsDeps,
  caller: PrincipalCaller,
  query: z.output<typeof listQuery>,
) {
  const scope = scopeOf(caller);
  const { state, seller, sort } = query;
  const named = defined({ seller, sort });
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
      control: async (part) => {
        // They are of no seller, operation or buy.
        if (seller !== undefined || object.operationId !== undefined || object.mediaBuyId !== undefined)
          return [];
        const { clientId, brandDomain, campaignId } = object;
        const found = await controls.list(scope, {
          ...{ principalId: caller.principalId, seen: controlsSeen(caller), at: clock.now() },
          ...defined({ sort, state, clientId, brandDomain, campaignId }),
          ...timeFilter(query),
          ...part,
        });
        return found.map((control) => ({ control }));
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

function operationOf(row: SellerRow): string {
  return 'question' in row ? row.question.operationId : row.review.operationId;
}

function inboxKey(row: InboxRow): SortKey {
  if ('internal' in row) return ['internal', row.internal.requestedAt, row.internal.id];
  if ('control' in row) return ['control', row.control.requestedAt, row.control.id];
  if ('question' in row) return ['question', row.question.requestedAt, row.question.id];
  const { since, legId, creativeId = '' } = row.review;
  return ['review', since, legId, creativeId];
}

/** A question as it is shown after it was answered. */
async function oneQuestion(ports: DecidingPorts, caller: PrincipalCaller, stored: Approval) {
  const places = await ports.internal.places(scopeOf(caller), [stored.operationId]);
  return { ...questionView(stored, false), ...placeView(places.get(stored.operationId)) };
}

type ApprovalView = Immutable<z.output<typeof approval>>;

/** A request by its id: of a spending over a limit, a change of a control, or a question of a seller. */
async function show(
  { approvalPorts: ports, controls, clock }: ApprovalsDeps,
  caller: PrincipalCaller,
  id: string,
): Promise<Result<ApprovalView, AdminFailure>> {
  const scope = scopeOf(caller);
  const control = await controls.find(scope, id, clock.now());
  if (control !== undefined && seesControl(caller, control)) return ok(controlView(control));
  if (!authorize(caller, { access: 'credentials', area: 'media_buys', permission: 'read' }).ok)
    return err(unknownRequest);
  const internal = await ports.internal.find(scope, id, reachOf(caller, 'media_buys', 'read'));
  if (internal !== undefined) return ok(internalView(internal));
  const known = await ports.approvals.find(scope, id);
  const reach = known && reachFilter(caller, areaOfTask(known.task), 'read');
  const question = known && (await ports.approvals.find(scope, id, reach));
  return question === undefined ? err(unknownRequest) : ok(await oneQuestion(ports, caller, question));
}

async function decide(
  deps: ApprovalsDeps,
  caller: PrincipalCaller,
  state: 'approved' | 'denied',
  { id, reason }: { readonly id: string; readonly reason?: string },
): Promise<Result<ApprovalView, AdminFailure>> {
  const control = await decideControl(deps, caller, { id, state, ...defined({ reason }) });
  if (control !== undefined) return control.ok ? ok(controlView(control.value)) : control;
  const { approvalPorts: ports } = deps;
  const may = authorize(caller, { access: 'credentials', area: 'media_buys', permission: 'approve' });
  if (!may.ok) return err({ code: 'INSUFFICIENT_PERMISSIONS', message: may.error.message });
  if (caller.program !== undefined) return err(notByProgram);
  const reach = reachOf(caller, 'media_buys', 'approve');
  const decider = { scope: scopeOf(caller), principalId: caller.principalId, reach };
  const decided = await (state === 'approved' ? approveRequest : denyRequest)(ports, decider, id, reason);
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
      suggestion: anotherPerson('media_buys.approve'),
    };
  if (code === 'BUSY') return { code: 'CONFLICT', message, recovery: 'transient' };
  if (code === 'LIST_ENDED')
    return {
      code: 'CONFLICT',
      message,
      recovery: 'transient',
      suggestion: 'Approve it again in some minutes, when the list was read again, or deny it.',
    };
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

const notYours: AdminFailure = {
  code: 'NOT_FOUND',
  message: 'You have no open request of a change of a control with this id.',
};

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
