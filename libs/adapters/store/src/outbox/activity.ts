import type { ActivityRequest, AttemptRecord } from '@switchyard/events';
import { present } from '../core/present.js';
import type { TenantClient } from '../core/tenant-client.js';

interface ActivityRow {
  readonly media_buy_id: string;
  readonly idempotency_key: string;
  readonly notification_type: string | null;
  readonly notification_id: string | null;
  readonly sequence_number: number | null;
  readonly attempt: number;
  readonly status: string;
  readonly url: string;
  readonly fired_at: Date;
  readonly completed_at: Date | null;
  readonly http_status_code: number | null;
  readonly response_time_ms: number | null;
  readonly payload_bytes: number;
  readonly error_message: string | null;
}

/** Attempts to notify one principal about its media buys, newest first; only its own registrations. */
export async function readActivity(
  client: TenantClient,
  { principalId, mediaBuyIds, limit, withTasks }: ActivityRequest,
): Promise<readonly AttemptRecord[]> {
  const { rows } = await client.query<ActivityRow>(
    `select b.id as media_buy_id, a.* from unnest($2::text[]) b(id), lateral (
       select e.idempotency_key, e.notification_type, e.notification_id, e.sequence_number, w.attempt, w.status, w.url,
              w.fired_at, w.completed_at, w.http_status_code, w.response_time_ms, w.error_message,
              coalesce(w.payload_bytes, octet_length(e.body)) as payload_bytes
       from outbox_event e join webhook_attempt w on w.event_id = e.id
       where e.media_buy_id = b.id and e.principal_id = $1 and ($4 or e.notification_type is not null)
       order by w.fired_at desc, w.attempt desc limit $3) a
     order by a.fired_at desc, a.attempt desc`,
    [principalId, mediaBuyIds, limit, withTasks],
  );
  return rows.map((row) => ({
    mediaBuyId: row.media_buy_id,
    idempotencyKey: row.idempotency_key,
    attempt: row.attempt,
    status: row.status as AttemptRecord['status'],
    url: row.url,
    firedAt: row.fired_at.getTime(),
    payloadBytes: row.payload_bytes,
    ...present({
      notificationType: row.notification_type ?? undefined,
      notificationId: row.notification_id ?? undefined,
      sequenceNumber: row.sequence_number ?? undefined,
      completedAt: row.completed_at?.getTime(),
      httpStatus: row.http_status_code ?? undefined,
      responseMs: row.response_time_ms ?? undefined,
      message: row.error_message ?? undefined,
    }),
  }));
}
