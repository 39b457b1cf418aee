import {
  outboxHorizonMs,
  shownAddress,
  type AttemptRecord,
  type OutboxKind,
  type OutboxState,
} from '@switchyard/events';
import type { ListSort, ObjectFilter, TenantScope, TimeFilter } from '@switchyard/tenancy';
import { isUuid, type Instant, type PageRead } from '@switchyard/values';
import { isOperationInReach, listOfOperations } from '../core/list-of-operations.js';
import { byTime, given, within } from '../core/list-statement.js';
import type { Store } from '../core/open-store.js';
import { present } from '../core/present.js';
import type { TenantClient } from '../core/tenant-client.js';
import type {
  buyer_registrationModel,
  outbox_eventModel,
  webhook_attemptModel,
} from '../generated/models.js';

/** One outgoing webhook in a list. */
export interface OutgoingEvent {
  readonly id: string;
  readonly kind: OutboxKind;
  readonly notificationType?: string;
  readonly state: OutboxState;
  /** The receiver's last answer, or why nothing was sent. */
  readonly reason?: string;
  readonly attempts: number;
  /** When it is sent next; absent if it has ended. */
  readonly dueAt?: Instant;
  readonly createdAt: Instant;
  readonly endedAt?: Instant;
  readonly idempotencyKey: string;
  /** Without the parts that may be secret. */
  readonly url: string;
  readonly operationId: string;
  readonly mediaBuyId?: string;
  readonly principalId: string;
  readonly principalName?: string;
}

type OutgoingAttempt = Omit<AttemptRecord, 'payloadBytes' | 'idempotencyKey'>;

interface OutgoingDetail extends OutgoingEvent {
  readonly attemptsMade: readonly OutgoingAttempt[];
}

interface OutgoingFilter extends ObjectFilter, TimeFilter, PageRead {
  readonly state?: OutboxState;
  readonly kind?: OutboxKind;
  readonly principalId?: string;
  readonly sort?: ListSort;
}

/** Result of a request to send an event again. */
type Resent = 'due' | 'not_found' | 'too_old' | 'in_flight';

export interface OutboxLog {
  /** By the time they were written, newest first by default; the key is `[createdAt, id]`. */
  list(scope: TenantScope, filter: OutgoingFilter): Promise<readonly OutgoingEvent[]>;
  show(scope: TenantScope, id: string, of?: Pick<ObjectFilter, 'reach'>): Promise<OutgoingDetail | undefined>;
  /**
   * Makes an event due at once, with the same bytes and key, whether it waits or has ended. `too_old` a day after it
   * was written: the receiver has forgotten the key, and would treat it as a new event.
   */
  resend(scope: TenantScope, id: string, at: Instant, of?: Pick<ObjectFilter, 'reach'>): Promise<Resent>;
}

type Row = Omit<outbox_eventModel, 'body'> & {
  readonly url: buyer_registrationModel['url'] | null;
  readonly principal_name: string | null;
};

const columns = `
  e.id, e.kind, e.notification_type, e.state, e.reason, e.attempts, e.due_at, e.created_at, e.ended_at, e.idempotency_key,
  e.operation_id, e.media_buy_id, e.principal_id, r.url, p.name as principal_name`;

const beside = `
  left join buyer_registration r on r.id = e.registration_id
  left join principal p on p.id = e.principal_id`;

/** Webhooks to callers, sent and waiting. */
export function outboxLog(store: Store): OutboxLog {
  return {
    list: (scope, filter) =>
      store.inTenant(scope, async (client) => {
        const { state, kind, principalId, sort } = filter;
        const rows = await listOfOperations<Row>(
          client,
          {
            picked: 'e.id, e.created_at',
            from: 'outbox_event e',
            fromOne: 'outbox_event e where e.operation_id = one.id',
            operation: 'e.operation_id',
            where: [
              given('e.state = ?', state),
              given('e.kind = ?', kind),
              given('e.principal_id = ?', principalId),
              ...within('e.created_at', filter),
            ],
            order: byTime('e.created_at', { column: 'e.id', isDescending: true }, sort),
            columns,
            beside: `join outbox_event e on e.id = x.id ${beside}`,
          },
          [{ filter }],
          filter,
        );
        return rows.map(eventOf);
      }),
    show: (scope, id, of = {}) => store.inTenant(scope, (client) => show(client, id, of)),
    resend: (scope, id, at, of = {}) =>
      store.inTenant(scope, async (client) => {
        const found = await find(client, id, of);
        if (found === undefined) return 'not_found';
        if (found.created_at.getTime() <= at - outboxHorizonMs) return 'too_old';
        const { rowCount } = await client.query(
          `update outbox_event set state = 'waiting', due_at = $2, ended_at = null, lease_until = null, reason = 'sent again'
           where id = $1 and (lease_until is null or lease_until <= lease_now($2))`,
          [id, new Date(at)],
        );
        return rowCount > 0 ? 'due' : 'in_flight';
      }),
  };
}

async function find(
  client: TenantClient,
  id: string,
  of: Pick<ObjectFilter, 'reach'>,
): Promise<Row | undefined> {
  if (!isUuid(id)) return undefined;
  const { rows } = await client.query<Row>(
    `select ${columns} from outbox_event e ${beside} where e.id = $1`,
    [id],
  );
  const [row] = rows;
  return row !== undefined && (await isOperationInReach(client, row.operation_id, of)) ? row : undefined;
}

async function show(
  client: TenantClient,
  id: string,
  of: Pick<ObjectFilter, 'reach'>,
): Promise<OutgoingDetail | undefined> {
  const row = await find(client, id, of);
  if (row === undefined) return undefined;
  const { rows } = await client.query<webhook_attemptModel>(
    'select * from webhook_attempt where event_id = $1 order by attempt desc limit 100',
    [id],
  );
  return { ...eventOf(row), attemptsMade: rows.map(attemptOf) };
}

function eventOf(row: Row): OutgoingEvent {
  return {
    id: row.id,
    kind: row.kind as OutboxKind,
    state: row.state as OutboxState,
    attempts: row.attempts,
    createdAt: row.created_at.getTime(),
    idempotencyKey: row.idempotency_key,
    url: row.url === null ? '' : shownAddress(row.url),
    operationId: row.operation_id,
    principalId: row.principal_id,
    ...(row.state === 'waiting' && { dueAt: row.due_at.getTime() }),
    ...present({
      notificationType: row.notification_type,
      reason: row.reason,
      endedAt: row.ended_at?.getTime(),
      mediaBuyId: row.media_buy_id,
      principalName: row.principal_name,
    }),
  };
}

function attemptOf(row: webhook_attemptModel): OutgoingAttempt {
  return {
    attempt: row.attempt,
    status: row.status as AttemptRecord['status'],
    url: row.url,
    firedAt: row.fired_at.getTime(),
    ...present({
      completedAt: row.completed_at?.getTime(),
      httpStatus: row.http_status_code,
      responseMs: row.response_time_ms,
      message: row.error_message,
    }),
  };
}
