import type { AttemptRecord } from '@switchyard/events';
import type { GetMediaBuysRequest, MediaBuyView } from '@switchyard/protocol';
import { isoOf, type JsonObject } from '@switchyard/values';
import type { HandledCall, HandlerDeps } from '../handler.js';

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
