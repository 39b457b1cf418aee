import { buysAtMost, readMediaBuys, type BuyerAccount, type BuysPage } from '@switchyard/buys';
import {
  getMediaBuys as task,
  type GetMediaBuysRequest,
  hasFeature,
  type TaskError,
  type MediaBuyView,
} from '@switchyard/protocol';
import { ok, type Result, isoOf, type JsonObject } from '@switchyard/values';
import type { AttemptRecord } from '@switchyard/events';
import { whoseInAnswer } from '../../business/index.js';
import { buysRequestOf } from '../../platform/tasks/gates/read-request.js';
import { readPage, writePage, type Page, type Walk } from '../../platform/tasks/answer/page-cursor.js';
import type { Handled, HandledCall, HandlerDeps } from '../../platform/tasks/call/handler.js';
import { sellerErrors, writeAnswer } from '../../platform/tasks/answer/write-answer.js';
import { withOurs, withErrors } from '../../platform/tasks/answer/extend-answer.js';

/** Records per media buy unless the caller sets a limit (docs/protocol/webhooks-out.md#activity). */
const usualLimit = 50;

/**
 * Adds the webhook attempts to each of the caller's media buys: one record per attempt, newest first, of its own
 * registrations. Only on request: an absent member means nothing, an empty one that nothing was sent.
 */
export async function withWebhookActivity(
  deps: Pick<HandlerDeps, 'outbox'>,
  handled: HandledCall<GetMediaBuysRequest>,
  mediaBuys: readonly MediaBuyView[],
): Promise<readonly MediaBuyView[]> {
  const { request, principal, scope, version } = handled;
  if (request.includeWebhookActivity !== true || principal === undefined) return mediaBuys;
  const records = await deps.outbox.activity(scope, {
    principalId: principal.principalId,
    mediaBuyIds: mediaBuys.map((buy) => buy.mediaBuyId),
    limit: request.webhookActivityLimit ?? usualLimit,
    // A record of 3.x names a notification type, and its list has none for task webhooks.
    withTasks: version.profile.form === 'service',
  });
  return mediaBuys.map((buy) => ({
    ...buy,
    webhookActivity: records.filter((record) => record.mediaBuyId === buy.mediaBuyId).map(projectAttempt),
  }));
}

export async function getMediaBuys(
  deps: HandlerDeps,
  handled: HandledCall<GetMediaBuysRequest>,
): Promise<Handled> {
  const query = await buysRequestOf(deps, handled);
  if (!query.ok) return { kind: 'failed', errors: [query.error] };
  const walk = walkOf(handled, query.value.account);
  const page = pageOf(deps, handled.request, walk);
  if (!page.ok) return { kind: 'failed', errors: [page.error] };
  const read = await readMediaBuys(deps.ports, query.value, handled.request, page.value);
  const { profile } = handled.version;
  if (read.errors.length > 0 && read.mediaBuys.length === 0) return { kind: 'failed', errors: read.errors };
  const mediaBuys = await withWebhookActivity(deps, handled, read.mediaBuys);
  const names = await deps.names?.ofBuys(handled.scope, mediaBuys);
  const whose = mediaBuys.map(({ mediaBuyId }) => ({
    media_buy_id: mediaBuyId,
    ...whoseInAnswer({ mediaBuyId }, names),
  }));
  const cursor =
    read.next === undefined
      ? undefined
      : writePage({ offset: 0, asOf: read.next.madeAt, after: read.next.id }, walk);
  const isPaged =
    hasFeature(profile.form, 'pagesInEveryAnswer') ||
    cursor !== undefined ||
    handled.request.maxResults !== undefined;
  const shown = writeAnswer(
    task,
    { mediaBuys, ...(isPaged ? { page: cursor === undefined ? {} : { cursor } } : {}) },
    profile,
  );
  return {
    kind: 'done',
    status: 'completed',
    payload: withOurs(
      withErrors(shown, read.errors, profile),
      {
        seller_errors: sellerErrors(read.refusals, profile),
        whose: whose.filter((mediaBuy) => Object.keys(mediaBuy).length > 1),
      },
      profile,
    ),
    sellers: read.rows,
    operationId: deps.ports.ids.uuid(),
  };
}

/** More than one request can name: named buys are all shown, without pages. */
const namedAtMost = 1_000;

function walkOf(
  { scope, principal, request }: HandledCall<GetMediaBuysRequest>,
  account: BuyerAccount | undefined,
): Walk {
  const { mediaBuyIds, buyerRefs, statusFilter } = request;
  return {
    ...scope,
    principalId: principal?.principalId ?? '',
    task: task.name,
    question: { mediaBuyIds, buyerRefs, statusFilter, account },
  };
}

function pageOf(
  { ports }: HandlerDeps,
  { mediaBuyIds, buyerRefs, maxResults, cursor }: GetMediaBuysRequest,
  walk: Walk,
): Result<BuysPage, TaskError> {
  const isNamed = mediaBuyIds !== undefined || buyerRefs !== undefined;
  const size = isNamed ? namedAtMost : (maxResults ?? buysAtMost);
  const begun: Page = { offset: 0, asOf: ports.clock.now() };
  const page = cursor === undefined ? ok(begun) : readPage(cursor, walk);
  if (!page.ok) return page;
  const { asOf: madeAt, after: id } = page.value;
  return ok({ size, ...(id === undefined ? {} : { after: { madeAt, id } }) });
}

function projectAttempt(record: AttemptRecord): JsonObject {
  return {
    idempotency_key: record.idempotencyKey,
    ...(record.notificationType === undefined ? {} : { notification_type: record.notificationType }),
    ...(record.sequenceNumber === undefined ? {} : { sequence_number: record.sequenceNumber }),
    attempt: record.attempt,
    status: record.status,
    url: record.url,
    fired_at: isoOf(record.firedAt),
    completed_at: record.completedAt === undefined ? null : isoOf(record.completedAt),
    http_status_code: record.httpStatus ?? null,
    response_time_ms: record.responseMs ?? null,
    payload_size_bytes: record.payloadBytes,
    error_message: record.message ?? null,
    // The published record has no member for it.
    ...(record.notificationId === undefined
      ? {}
      : { ext: { switchyard: { notification_id: record.notificationId } } }),
  };
}
