import {
  missingStatuses,
  outboxHorizonMs,
  shownAddress,
  type AttemptEnd,
  type ClaimedEvent,
  type OutboxStore,
} from '@switchyard/events';
import type { Instant } from '@switchyard/values';
import type { Store } from '../core/open-store.js';
import type { TenantClient } from '../core/tenant-client.js';
import { rowReader } from '../core/row-mapper.js';
import type { buyer_registrationModel, outbox_eventModel } from '../generated/models.js';
import { readActivity } from './activity.js';
import { registrationOf } from './registration-row.js';

/** Events that are owed to buyers, in PostgreSQL. */
export function outboxStore(store: Store): OutboxStore {
  return {
    claim: (scope, now, leaseUntil, limit) =>
      store.inTenant(scope, (client) => claim(client, now, leaseUntil, limit)),
    settle: (scope, end) => store.inTenant(scope, (client) => settle(client, end)),
    park: (scope, event, until) => store.inTenant(scope, (client) => park(client, event, until)),
    activity: (scope, request) => store.inTenant(scope, (client) => readActivity(client, request)),
  };
}

/** Under an emergency stop of everything, no event is taken, and none expires. */
const notStopped = `not exists (select from emergency_stop s where s.kind = 'all')`;

const expire = `
  update outbox_event set state = 'expired', reason = 'a day old', ended_at = $1, lease_until = null
  where state = 'waiting' and due_at <= $1 and created_at <= $2
    and (lease_until is null or lease_until <= lease_now($1)) and ${notStopped}`;

/** After so many attempts, later events no longer wait for this one: at-least-once delivery promises no order. */
const orderlyAttempts = 4;

/**
 * Takes one event of each stream, oldest first; an event that keeps failing does not block the others for hours.
 * Nothing may follow a `final` report, so it waits for all earlier reports, at any address of its media buy, and for
 * the impairments of its media buy.
 *
 * Events are selected in a step of their own: inside the join, a plan may repeat the selection for each row, skip its
 * own locked rows, and so take more than the limit.
 */
const take = `
  with chosen as materialized (
    select o.id from outbox_event o
    where o.state = 'waiting' and o.due_at <= $1 and (o.lease_until is null or o.lease_until <= lease_now($1))
      and ${notStopped}
      and not exists (
        select 1 from outbox_event p
        where p.stream = o.stream and p.state = 'waiting' and p.position < o.position
          and (p.attempts < ${orderlyAttempts} or p.lease_until > lease_now($1)))
      and (o.notification_type is distinct from 'final' or not exists (
        select 1 from outbox_event i
        where i.media_buy_id = o.media_buy_id and i.state = 'waiting'
          and (i.kind = 'impairment' or i.kind = 'report' and i.position < o.position)))
    order by o.due_at, o.position limit $3
    for update skip locked
  )
  update outbox_event e set attempts = e.attempts + 1,
    lease_until = lease_now($1) + ($2::timestamptz - $1::timestamptz)
  from chosen where e.id = chosen.id
  returning e.*`;

async function claim(
  client: TenantClient,
  now: Instant,
  leaseUntil: Instant,
  limit: number,
): Promise<readonly ClaimedEvent[]> {
  const at = new Date(now);
  await client.query(expire, [at, new Date(now - outboxHorizonMs)]);
  const { rows } = await client.query<outbox_eventModel>(take, [at, new Date(leaseUntil), limit]);
  if (rows.length === 0) return [];
  const found = await client.query<buyer_registrationModel>(
    'select * from buyer_registration where id = any($1::uuid[])',
    [rows.map((row) => row.registration_id)],
  );
  const registrations = new Map(found.rows.map((row) => [row.id, registrationOf(row)]));
  const missing = await missingSince(client, rows);
  const events = rows.flatMap((row) => {
    const registration = registrations.get(row.registration_id);
    const since = missing.get(row.id);
    return registration === undefined
      ? []
      : [
          {
            ...readEvent(row),
            registration,
            attempt: row.attempts,
            ...(since !== undefined && { missingSince: since.getTime() }),
          },
        ];
  });
  await openAttempts(client, events, at);
  return events;
}

/** When each repeated event first got the answer of a missing receiver. */
async function missingSince(
  client: TenantClient,
  events: readonly Pick<outbox_eventModel, 'id' | 'attempts'>[],
): Promise<ReadonlyMap<string, Date>> {
  const repeated = events.filter(({ attempts }) => attempts > 1).map(({ id }) => id);
  if (repeated.length === 0) return new Map();
  const { rows } = await client.query<{ event_id: string; since: Date }>(
    `select event_id, min(completed_at) as since from webhook_attempt
     where event_id = any($1::uuid[]) and http_status_code = any($2::int[]) group by event_id`,
    [repeated, [...missingStatuses]],
  );
  return new Map(rows.map((row) => [row.event_id, row.since]));
}

/** The attempt is stored before anything is sent; if a crash leaves it open, the next attempt closes it. */
async function openAttempts(client: TenantClient, events: readonly ClaimedEvent[], at: Date): Promise<void> {
  const ids = events.map((event) => event.id);
  await client.query(
    `update webhook_attempt set status = 'connection_error', completed_at = $2, error_message = 'interrupted'
     where event_id = any($1::uuid[]) and status = 'pending'`,
    [ids, at],
  );
  await client.query(
    `insert into webhook_attempt (event_id, attempt, organization_id, url, fired_at, status)
     select a.event_id, a.attempt, $4, a.url, $5, 'pending'
     from unnest($1::uuid[], $2::int[], $3::text[]) a(event_id, attempt, url)`,
    [
      ids,
      events.map((event) => event.attempt),
      events.map((event) => shownAddress(event.registration.url)),
      client.organizationId,
      at,
    ],
  );
}

async function settle(client: TenantClient, end: AttemptEnd): Promise<void> {
  const { judgement } = end;
  const completedAt = new Date(end.completedAt);
  await client.query(
    `update webhook_attempt set status = $3, completed_at = $4, http_status_code = $5, response_time_ms = $6,
       error_message = $7, payload_bytes = $8
     where event_id = $1 and attempt = $2 and status = 'pending'`,
    [
      end.eventId,
      end.attempt,
      judgement.status,
      completedAt,
      judgement.httpStatus ?? null,
      judgement.httpStatus === undefined ? null : end.responseMs,
      judgement.message ?? null,
      end.payloadBytes ?? null,
    ],
  );
  await client.query(
    `update outbox_event set state = $3, due_at = coalesce($4, due_at), lease_until = null, reason = $5,
       ended_at = case when $3 = 'waiting' then null else $6::timestamptz end
     where id = $1 and attempts = $2 and state = 'waiting'`,
    [
      end.eventId,
      end.attempt,
      end.state,
      end.dueAt === undefined ? null : new Date(end.dueAt),
      judgement.message ?? null,
      completedAt,
    ],
  );
}

async function park(
  client: TenantClient,
  event: Pick<ClaimedEvent, 'id' | 'attempt'>,
  until: Instant,
): Promise<void> {
  const given = await client.query(
    `update outbox_event set attempts = attempts - 1, due_at = $3, lease_until = null, reason = 'parked'
     where id = $1 and attempts = $2 and state = 'waiting'`,
    [event.id, event.attempt, new Date(until)],
  );
  if (given.rowCount > 0)
    await client.query(
      `delete from webhook_attempt where event_id = $1 and attempt = $2 and status = 'pending'`,
      [event.id, event.attempt],
    );
}

const readEvent = rowReader<Omit<ClaimedEvent, 'registration' | 'attempt'>>()(`
  id, registration_id, principal_id, operation_id, stream, kind, idempotency_key, body, created_at, media_buy_id,
  notification_type, notification_id, sequence_number, trace_parent`);
