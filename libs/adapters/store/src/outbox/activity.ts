import type { ActivityRequest, AttemptRecord } from '@switchyard/events';
import type { TenantClient } from '../core/tenant-client.js';
import { rowReader, type Row } from '../core/row-mapper.js';

/** The columns of an attempt `w`, named as its members. */
export const attemptColumns = `w.attempt, w.status, w.url, w.fired_at, w.completed_at, w.http_status_code as http_status,
  w.response_time_ms as response_ms, w.error_message as message`;

const recordOf = rowReader<AttemptRecord>()(`
  media_buy_id, idempotency_key, attempt, status, url, fired_at, payload_bytes, notification_type, notification_id,
  sequence_number, completed_at, http_status, response_ms, message`);

/** Attempts to notify one principal about its media buys, newest first; only its own registrations. */
export async function readActivity(
  client: TenantClient,
  { principalId, mediaBuyIds, limit, withTasks }: ActivityRequest,
): Promise<readonly AttemptRecord[]> {
  const { rows } = await client.query<Row>(
    `select b.id as media_buy_id, a.* from unnest($2::text[]) b(id), lateral (
       select e.idempotency_key, e.notification_type, e.notification_id, e.sequence_number, ${attemptColumns},
              coalesce(w.payload_bytes, octet_length(e.body)) as payload_bytes
       from outbox_event e join webhook_attempt w on w.event_id = e.id
       where e.media_buy_id = b.id and e.principal_id = $1 and ($4 or e.notification_type is not null)
       order by w.fired_at desc, w.attempt desc limit $3) a
     order by a.fired_at desc, a.attempt desc`,
    [principalId, mediaBuyIds, limit, withTasks],
  );
  return rows.map(recordOf);
}
