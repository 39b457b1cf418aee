import {
  outboxHorizonMs,
  shownAddress,
  type AttemptRecord,
  type OutboxKind,
  type OutboxState,
} from '@switchyard/events';
import type { ListSort, ObjectFilter, TenantScope, TimeFilter } from '@switchyard/tenancy';
import { defined, isUuid, type Instant, type PageRead } from '@switchyard/values';
import { isOperationInReach, listOfOperations } from '../core/list-of-operations.js';
import { byTime, given, within } from '../core/list-statement.js';
import type { Store } from '../core/open-store.js';
import type { TenantClient, TenantSession } from '../core/tenant-client.js';
import { rowReader, type Row } from '../core/row-mapper.js';
import type { outbox_eventModel } from '../generated/models.js';
import { attemptColumns } from './activity.js';

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
  /** Does the same for events that were refused or expired, oldest first, without those that are a day old. */
  resendFailed(scope: TenantScope, events: FailedEvents): Promise<FailedResent>;
}

/** Which failed events are sent again: those that ended at `since` or later. */
interface FailedEvents extends Pick<ObjectFilter, 'reach'> {
  readonly since: Instant;
  readonly at: Instant;
  readonly limit: number;
}

interface FailedResent {
  readonly resent: number;
  /** Whether more of them are left. */
  readonly hasMore: boolean;
}

type OutgoingRow = Row &
  Pick<outbox_eventModel, 'operation_id' | 'created_at'> & { readonly url: string | null };

const columns = `
  e.id, e.kind, e.notification_type, e.state, e.reason, e.attempts, e.due_at, e.created_at, e.ended_at, e.idempotency_key,
  e.operation_id, e.media_buy_id, e.principal_id, r.url, p.name as principal_name`;

const beside = `
  left join buyer_registration r on r.id = e.registration_id
  left join principal p on p.id = e.principal_id`;

const ofEvents = {
  picked: 'e.id, e.created_at',
  from: 'outbox_event e',
  fromOperation: 'outbox_event e where e.operation_id = listed.id',
  operation: 'e.operation_id',
} as const;

/** Webhooks to callers, sent and waiting. */
export function outboxLog(store: Store): OutboxLog {
  return {
    list: (scope, filter) =>
      store.inTenant(scope, async (client) => {
        const { state, kind, principalId, sort } = filter;
        const rows = await listOfOperations<OutgoingRow>(
          client,
          {
            ...ofEvents,
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
    resendFailed: (scope, events) => store.inTenant(scope, (client) => resendFailed(client, events)),
  };
}

async function resendFailed(
  client: TenantSession,
  { since, at, limit, reach }: FailedEvents,
): Promise<FailedResent> {
  const found = await listOfOperations<{ id: string }>(
    client,
    {
      ...ofEvents,
      where: [
        [`e.state in ('refused', 'expired')`],
        ['e.ended_at >= ?', new Date(since)],
        ['e.created_at > ?', new Date(at - outboxHorizonMs)],
      ],
      order: byTime('e.created_at', { column: 'e.id', isDescending: true }, 'oldest'),
      columns: 'x.id',
      beside: 'join outbox_event e on e.id = x.id',
    },
    [{ filter: defined({ reach }) }],
    { limit: limit + 1 },
  );
  const again = { state: 'waiting', ended_at: null, lease_until: null, reason: 'sent again' };
  const { count } = await client.models.outbox_event.updateMany({
    where: { id: { in: found.slice(0, limit).map(({ id }) => id) }, state: { in: ['refused', 'expired'] } },
    data: { ...again, due_at: new Date(at) },
  });
  return { resent: count, hasMore: found.length > limit };
}

async function find(
  client: TenantClient,
  id: string,
  of: Pick<ObjectFilter, 'reach'>,
): Promise<OutgoingRow | undefined> {
  if (!isUuid(id)) return undefined;
  const { rows } = await client.query<OutgoingRow>(
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
  const { rows } = await client.query<Row>(
    `select ${attemptColumns} from webhook_attempt w where w.event_id = $1 order by w.attempt desc limit 100`,
    [id],
  );
  return { ...eventOf(row), attemptsMade: rows.map(attemptOf) };
}

const readEvent = rowReader<Omit<OutgoingEvent, 'url' | 'dueAt'>>()(`
  id, kind, state, attempts, created_at, idempotency_key, operation_id, principal_id, notification_type, reason, ended_at,
  media_buy_id, principal_name`);
const readDue = rowReader<Pick<OutgoingEvent, 'dueAt'>>()('due_at');

function eventOf(row: OutgoingRow): OutgoingEvent {
  const event = readEvent(row);
  const url = row.url === null ? '' : shownAddress(row.url);
  return { ...event, url, ...(event.state === 'waiting' && readDue(row)) };
}

const attemptOf = rowReader<OutgoingAttempt>()(
  'attempt, status, url, fired_at, completed_at, http_status, response_ms, message',
);
