import type { NameReader, OutboxLog, OutgoingEvent, RowNames } from '@switchyard/store';
import { defined, err, isoOf, ok, type Clock, type Result } from '@switchyard/values';
import { z } from 'zod';
import type { AdminFailure } from '../../platform/failure.js';
import { scopeOf, type PrincipalCaller } from '../../platform/tasks/call/task-call.js';
import { whoseMembers, whoseOfRow } from '../../business/index.js';
import { instant, moment } from '../../platform/routes/fields.js';
import {
  objectFilter,
  objectQuery,
  reachFilter,
  sortQuery,
  timeFilter,
  timeQuery,
  uuidText,
} from '../../platform/routes/list-filters.js';
import { listPage, nextCursor, pageQuery } from '../../platform/routes/list-page.js';
import { routesOn } from '../../platform/routes/route.js';

interface OutgoingDeps {
  readonly outgoing: OutboxLog;
  readonly names: NameReader;
  readonly clock: Clock;
}

const state = z
  .enum(['waiting', 'delivered', 'refused', 'expired'])
  .describe('waiting: to be sent, or sent again. expired: a day passed.');
const kind = z.enum(['task', 'report', 'impairment', 'change']);

const outgoing = z.strictObject({
  event_id: z.string(),
  kind,
  notification_type: z.string().exactOptional(),
  state,
  reason: z.string().exactOptional().describe('What the receiver last answered, or why nothing was sent.'),
  attempts: z.int(),
  next_attempt_at: instant.exactOptional().describe('Of one that waits.'),
  created_at: instant,
  ended_at: instant.exactOptional(),
  url: z.string().describe('Where it goes, without the parts that may be secret.'),
  idempotency_key: z.string(),
  operation_id: z.string(),
  media_buy_id: z.string().exactOptional(),
  principal_id: z.string(),
  principal: z.string().exactOptional(),
  ...whoseMembers,
});
type OutgoingView = z.output<typeof outgoing>;

const detail = outgoing.extend({
  attempts_made: z
    .array(
      z.strictObject({
        attempt: z.int(),
        status: z.enum(['success', 'failed', 'timeout', 'connection_error', 'pending']),
        url: z.string(),
        fired_at: instant,
        completed_at: instant.exactOptional(),
        http_status: z.int().exactOptional(),
        response_time_ms: z.int().exactOptional(),
        message: z.string().exactOptional(),
      }),
    )
    .describe('The newest hundred, newest first.'),
});

const example = {
  event_id: '2b1d5c1e-6f2e-4d0a-8c53-6c1b0f6a7d11',
  kind: 'task',
  state: 'waiting',
  reason: 'The receiver answered 503.',
  attempts: 3,
  next_attempt_at: '2026-11-21T12:01:00.000Z',
  created_at: '2026-11-21T12:00:00.000Z',
  url: 'https://nova.example/news',
  idempotency_key: 'whk_6f2e4d0a8c53',
  operation_id: '7d0b4a3c-3a0e-4c7f-9a43-51b3f0a1c9d2',
  principal_id: '5a0e8a52-3f6d-4b1d-9d5a-0c5b8f1e2a77',
  principal: 'nova',
  client: 'Nova',
  client_id: '0d7c9f0a-55f5-4c0e-9d5b-0a3a54a2b0e1',
  brand: 'nova.example',
  brand_name: 'Nova',
  campaign: null,
  campaign_id: null,
} as const;

const route = routesOn<OutgoingDeps>();

/** Webhooks sent to callers: the state of each, and sending one again. */
export const outgoingRoutes = [
  route({
    method: 'get',
    path: '/v1/outgoing-events',
    id: 'list_outgoing_events',
    summary: 'Webhooks to callers, newest first: state, attempts, and when each is sent next',
    needs: 'reports.read',
    query: z.strictObject({
      state: state.exactOptional(),
      kind: kind.exactOptional(),
      principal_id: uuidText.exactOptional().describe('Whose webhook it is.'),
      ...objectQuery,
      ...timeQuery,
      ...sortQuery,
      ...pageQuery,
    }),
    answer: z.strictObject({ events: z.array(outgoing), next_cursor: nextCursor }),
    example: { events: [example] },
    handle: async ({ outgoing: log, names }, { caller, query }) => {
      const { state, kind, principal_id: principalId, sort } = query;
      const filter = {
        ...reachFilter(caller, 'reports', 'read'),
        ...objectFilter(query),
        ...timeFilter(query),
        ...defined({ state, kind, principalId, sort }),
      };
      const page = await listPage(
        { id: 'list_outgoing_events', caller, query },
        (read) => log.list(scopeOf(caller), { ...filter, ...read }),
        ({ createdAt, id }) => [createdAt, id],
      );
      if (!page.ok) return page;
      const { rows, next } = page.value;
      const known = await names.ofRows(scopeOf(caller), rows);
      return ok({ events: rows.map((row) => viewOf(row, known)), ...next });
    },
  }),
  route({
    method: 'get',
    path: '/v1/outgoing-events/{id}',
    id: 'show_outgoing_event',
    summary: 'One webhook to a caller, with every attempt at sending it',
    needs: 'reports.read',
    answer: detail,
    example: {
      ...example,
      attempts_made: [
        {
          attempt: 3,
          status: 'failed',
          url: 'https://nova.example/news',
          fired_at: '2026-11-21T12:00:20.000Z',
          http_status: 503,
        },
      ],
    },
    handle: (deps, { caller, params: { id } }) => show(deps, caller, id),
  }),
  route({
    method: 'post',
    path: '/v1/outgoing-events/{id}/resend',
    id: 'resend_outgoing_event',
    summary: 'Send a webhook to a caller again, now: the same bytes with the same key',
    needs: 'media_buys.write',
    answer: detail,
    handle: async (deps, { caller, params: { id } }) => {
      const now = deps.clock.now();
      const reach = reachFilter(caller, 'media_buys', 'write');
      const resent = await deps.outgoing.resend(scopeOf(caller), id, now, reach);
      return resent === 'due' ? show(deps, caller, id, reach) : err(refusals[resent]);
    },
  }),
  route({
    method: 'post',
    path: '/v1/outgoing-events/resend',
    id: 'resend_failed_events',
    summary:
      'Send webhooks that were refused or expired again, now: the oldest five hundred, without those that are a day old',
    needs: 'media_buys.write',
    body: z.strictObject({ since: moment.describe('Only those that ended at this time or later.') }),
    answer: z.strictObject({
      resent: z.int(),
      has_more: z.boolean().describe('Whether more are left: send the same request again.'),
    }),
    example: { resent: 12, has_more: false },
    handle: async ({ outgoing: log, clock }, { caller, body: { since } }) => {
      const reach = reachFilter(caller, 'media_buys', 'write');
      const events = { ...reach, since, at: clock.now(), limit: resentAtOnce };
      const { resent, hasMore } = await log.resendFailed(scopeOf(caller), events);
      return ok({ resent, has_more: hasMore });
    },
  }),
];

/** The most webhooks that one request sends again. */
const resentAtOnce = 500;

const notFound: AdminFailure = {
  code: 'NOT_FOUND',
  message: 'There is no webhook to a caller with this id.',
  field: 'id',
};

const refusals: Readonly<Record<'not_found' | 'too_old' | 'in_flight', AdminFailure>> = {
  not_found: notFound,
  too_old: {
    code: 'CONFLICT',
    message: 'It is more than a day old: its receiver no longer knows the key and would apply it again.',
    field: 'id',
    suggestion: 'Ask the receiver to read the state itself, by get_task or get_media_buys.',
  },
  in_flight: {
    code: 'CONFLICT',
    message: 'It is being sent now.',
    field: 'id',
    suggestion: 'Try again in a minute.',
    recovery: 'transient',
  },
};

async function show(
  { outgoing: log, names }: OutgoingDeps,
  caller: PrincipalCaller,
  id: string,
  reach = reachFilter(caller, 'reports', 'read'),
): Promise<Result<z.output<typeof detail>, AdminFailure>> {
  const found = await log.show(scopeOf(caller), id, reach);
  if (found === undefined) return err(notFound);
  const attempts = found.attemptsMade.map(({ attempt, status, url, firedAt, ...ended }) => ({
    attempt,
    status,
    url,
    fired_at: isoOf(firedAt),
    ...(ended.completedAt !== undefined && { completed_at: isoOf(ended.completedAt) }),
    ...defined({ http_status: ended.httpStatus, response_time_ms: ended.responseMs, message: ended.message }),
  }));
  const known = await names.ofRows(scopeOf(caller), [found]);
  return ok({ ...viewOf(found, known), attempts_made: attempts });
}

function viewOf(event: OutgoingEvent, names: RowNames): OutgoingView {
  const { notificationType, reason, dueAt, endedAt, mediaBuyId, principalName } = event;
  return {
    event_id: event.id,
    kind: event.kind,
    state: event.state,
    attempts: event.attempts,
    created_at: isoOf(event.createdAt),
    url: event.url,
    idempotency_key: event.idempotencyKey,
    operation_id: event.operationId,
    principal_id: event.principalId,
    ...whoseOfRow({ operationId: event.operationId }, names),
    ...defined({ notification_type: notificationType, reason }),
    ...(dueAt !== undefined && { next_attempt_at: isoOf(dueAt) }),
    ...(endedAt !== undefined && { ended_at: isoOf(endedAt) }),
    ...defined({ media_buy_id: mediaBuyId, principal: principalName }),
  };
}
