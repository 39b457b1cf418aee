import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { InboxEventKind, RegistrationKind, RegistrationMode, WebhookVerdict } from '@switchyard/events';
import type { AlarmToRaise, ObjectFilter, TenantScope } from '@switchyard/tenancy';
import type { Instant } from '@switchyard/values';
import type { Store } from '../core/open-store.js';
import { conditionOf, fewOperationsOf, inOperation } from '../core/list-of-operations.js';
import { placed } from '../core/list-statement.js';
import { present } from '../core/present.js';
import type { TenantClient } from '../core/tenant-client.js';
import { raiseAlarm } from '../signing/alarm-repository.js';
import type { inbox_eventModel } from '../generated/models.js';

const inboxStates = ['received', 'applied', 'stale', 'quarantined', 'refused'] as const;
/** Limit of counted events per state: a full count would take longer with every event that was ever received. */
const countedAtMost = 10_000;
/** If many operations are in reach, only so many of the newest events of each state are counted. */
const countedInReach = 500;
export type InboxState = (typeof inboxStates)[number];

/** A stored webhook that waits, with the registration that is needed to apply it. */
export interface WaitingEvent {
  readonly id: string;
  readonly organizationId: string;
  readonly registrationId: string;
  readonly connectionId: string;
  /** Empty at an address of the kind `events`, which belongs to no request. */
  readonly legId: string;
  readonly operationId: string;
  readonly registrationKind: RegistrationKind;
  readonly registrationMode: RegistrationMode;
  readonly sellerOperationId: string;
  /** Empty for refused messages whose sender was not verified. */
  readonly sender: string;
  readonly keyid?: string;
  readonly idempotencyKey?: string;
  readonly kind: InboxEventKind;
  readonly body: Buffer;
  readonly bodyHash: string;
  readonly receivedAt: Instant;
  /** The trace in which it was accepted (W3C Trace Context), where that was recorded. */
  readonly traceParent?: string;
}

/** A stored webhook with everything that is known of it. */
export interface StoredEvent extends WaitingEvent {
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly verdict: WebhookVerdict;
  readonly state: InboxState;
  readonly reason?: string;
  readonly appliedAt?: Instant;
}

/** Position of a walk through the inbox. */
export type InboxPlace = Pick<WaitingEvent, 'id' | 'receivedAt'>;

/** Result of one event. */
export interface InboxMark {
  readonly id: string;
  readonly state: Exclude<InboxState, 'received'>;
  readonly reason?: string;
}

/** A seller's answer to our request for figures or content: stored beside webhooks, and for as long. */
export interface PulledAnswer {
  /** UUID: figures that were read from it reference it. */
  readonly id: string;
  readonly kind: 'pulled_report' | 'pulled_financials' | 'pulled_artifacts';
  readonly connectionId: string;
  readonly agentUrl: string;
  /** Name of the stream of its figures. */
  readonly stream: string;
  readonly body: Buffer;
  readonly bodyHash: string;
  readonly receivedAt: Instant;
}

/** The stream of figures that are pulled from one connection. */
export const pullStream = (connectionId: string): string => `pull:${connectionId}`;

/** A seller's answer, with the hash of its bytes. */
export function pulledAnswer(
  about: Pick<PulledAnswer, 'id' | 'kind' | 'receivedAt'>,
  connection: { readonly id: string; readonly agentUrl: string },
  text: string,
): PulledAnswer {
  const body = Buffer.from(text, 'utf8');
  return {
    ...about,
    connectionId: connection.id,
    agentUrl: connection.agentUrl,
    stream: pullStream(connection.id),
    body,
    bodyHash: createHash('sha256').update(body).digest('hex'),
  };
}

export interface InboxWork {
  /** The oldest waiting events, without a lock; with `after`, those after that place. */
  waiting(scope: TenantScope, limit: number, after?: InboxPlace): Promise<readonly WaitingEvent[]>;
  /**
   * Marks events inside the transaction that applies them, so that both commit or neither. Rejects if one of them no
   * longer waits, because another worker applied it: let the rejection roll the transaction back.
   */
  mark(client: TenantClient, marks: readonly InboxMark[], at: Instant): Promise<void>;
  /** The same for one event, in a transaction of its own, which raises the alarm as well if there is one. */
  markAlone(scope: TenantScope, mark: InboxMark, at: Instant, alarm?: AlarmToRaise): Promise<void>;
  /** Stores answers with reports, in the transaction that books them: as applied, and never applied again. */
  storePulled(client: TenantClient, pulled: readonly PulledAnswer[]): Promise<void>;
  /** The same in a transaction of its own, for an answer that changes nothing else. */
  keepPulled(scope: TenantScope, pulled: PulledAnswer): Promise<void>;
  find(scope: TenantScope, eventId: string): Promise<StoredEvent | undefined>;
  /** The bytes of an event or a pulled answer, without the secrets in them. */
  bodyOf(scope: TenantScope, eventId: string): Promise<Buffer | undefined>;
  /**
   * Counts by state, each up to {@link countedAtMost}. With a limited reach: events of operations in reach; if those
   * are many, only among the newest {@link countedInReach} events of each state.
   */
  count(scope: TenantScope, of?: Pick<ObjectFilter, 'reach'>): Promise<InboxCounts>;
}

interface InboxCounts extends Readonly<Record<InboxState, number>> {
  /** Present if only so many of the newest events of each state were counted. */
  readonly newest?: number;
}

const ofRegistration = `
  r.leg_id, r.operation_id, r.kind as registration_kind, r.mode as registration_mode, r.seller_operation_id
  from inbox_event e join webhook_registration r on r.id = e.registration_id`;

/** Without headers and verdict: they are evidence for people, and as large as all other columns together. */
const waiting = `
  select e.id, e.organization_id, e.registration_id, e.connection_id, e.sender, e.keyid, e.idempotency_key, e.kind,
         e.body, e.body_hash, e.received_at, e.trace_parent, ${ofRegistration}
  where e.state = 'received' and (e.received_at, e.id) > ($2::timestamptz, $3::uuid)
  order by e.received_at, e.id limit $1`;

/** One select per state, so that each uses its best index and stops at the limit. */
const countOfAll = inboxStates
  .map(
    (state) => `select '${state}' as state, count(*)::int as events
        from (select from inbox_event e where e.state = '${state}' limit ${countedAtMost}) counted`,
  )
  .join(' union all ');

const fromTheStart = ['-infinity', '00000000-0000-0000-0000-000000000000'] as const;

interface CountRow {
  readonly state: InboxState;
  readonly events: number;
}

export function inboxWork(store: Store): InboxWork {
  const read = async (client: TenantClient, text: string, values: readonly unknown[]) =>
    (await client.query<EventRow>(`select e.*, ${ofRegistration} ${text}`, values)).rows.map(eventOf);
  return {
    waiting: (scope, limit, after) =>
      store.inTenant(scope, async (client) => {
        const from = after === undefined ? fromTheStart : [new Date(after.receivedAt), after.id];
        const { rows } = await client.query<WaitingRow>({
          name: 'inbox_waiting',
          text: waiting,
          values: [limit, ...from],
        });
        return rows.map(waitingOf);
      }),
    mark: markEvents,
    markAlone: (scope, mark, at, alarm) =>
      store.inTenant(scope, async (client) => {
        await markEvents(client, [mark], at);
        if (alarm !== undefined) await raiseAlarm(client, alarm, at);
      }),
    storePulled: async (client, pulled) => {
      await Promise.all(pulled.map((report) => storePulled(client, report)));
    },
    keepPulled: (scope, pulled) => store.inTenant(scope, (client) => storePulled(client, pulled)),
    find: (scope, id) =>
      store.inTenant(scope, async (client) => (await read(client, 'where e.id = $1', [id]))[0]),
    bodyOf: (scope, id) =>
      store.inTenant(scope, async (client) => {
        const { rows } = await client.query<Pick<inbox_eventModel, 'body'>>(
          'select body from inbox_event where id = $1',
          [id],
        );
        return rows[0] && Buffer.from(rows[0].body);
      }),
    count: (scope, of = {}) =>
      store.inTenant(scope, async (client) => {
        const counts = { received: 0, applied: 0, stale: 0, quarantined: 0, refused: 0 };
        const { rows, ...about } = await countRows(client, of);
        for (const { state, events } of rows) counts[state] = events;
        return { ...counts, ...about };
      }),
  };
}

/** For few operations, their events are counted; for many, those of the newest events that are in reach. */
async function countRows(
  client: TenantClient,
  filter: Pick<ObjectFilter, 'reach'>,
): Promise<{ readonly rows: readonly CountRow[]; readonly newest?: number }> {
  const condition = conditionOf(filter);
  if (condition === undefined) return { rows: (await client.query<CountRow>(countOfAll)).rows };
  const few = await fewOperationsOf(client, [{ filter }]);
  const [text, ...values] = few ?? inOperation(operationOfEvent, condition);
  const found =
    few === undefined
      ? inboxStates
          .map(
            (state) => `(select '${state}' as state from (
               select e.registration_id from inbox_event e where e.state = '${state}'
               order by e.received_at desc limit ${countedInReach}) e where ${text})`,
          )
          .join(' union all ')
      : `select e.state from (${text}) listed cross join lateral (
           select e.state from webhook_registration w join inbox_event e on e.registration_id = w.id
           where w.operation_id = listed.id offset 0) e`;
  const repeated = few === undefined ? inboxStates.flatMap(() => values) : values;
  const { rows } = await client.query<CountRow>(
    placed(
      `select state, least(count(*), ${countedAtMost})::int as events from (${found}) counted group by state`,
    ),
    repeated,
  );
  return { rows, ...(few === undefined && { newest: countedInReach }) };
}

const operationOfEvent = '(select w.operation_id from webhook_registration w where w.id = e.registration_id)';

async function markEvents(client: TenantClient, marks: readonly InboxMark[], at: Instant): Promise<void> {
  if (marks.length === 0) return;
  const { rowCount } = await client.query({
    name: 'inbox_mark',
    text: `
      update inbox_event set state = mark.state, reason = mark.reason,
        applied_at = case when mark.state in ('applied', 'stale') then $4::timestamptz end
      from unnest($1::uuid[], $2::text[], $3::text[]) as mark (id, state, reason)
      where inbox_event.id = mark.id and inbox_event.state = 'received'
        -- No partition of a month before the oldest one that waits.
        and inbox_event.received_at >= (
          select received_at from inbox_event where organization_id = $5 and state = 'received' order by received_at limit 1)`,
    values: [
      marks.map((mark) => mark.id),
      marks.map((mark) => mark.state),
      marks.map((mark) => mark.reason ?? null),
      new Date(at),
      client.organizationId,
    ],
  });
  if (rowCount !== marks.length) throw new Error('Another worker applied some of these events.');
}

interface RegistrationColumns {
  readonly leg_id: string | null;
  readonly operation_id: string | null;
  readonly registration_kind: string;
  readonly registration_mode: string;
  readonly seller_operation_id: string;
}

type EventRow = Omit<inbox_eventModel, 'headers' | 'verdict'> &
  Pick<StoredEvent, 'headers' | 'verdict'> &
  RegistrationColumns;
type WaitingRow = Omit<EventRow, 'headers' | 'verdict' | 'state' | 'reason' | 'applied_at'>;

function waitingOf(row: WaitingRow): WaitingEvent {
  return {
    id: row.id,
    organizationId: row.organization_id,
    registrationId: row.registration_id,
    connectionId: row.connection_id,
    legId: row.leg_id ?? '',
    operationId: row.operation_id ?? '',
    registrationKind: row.registration_kind as RegistrationKind,
    registrationMode: row.registration_mode as RegistrationMode,
    sellerOperationId: row.seller_operation_id,
    sender: row.sender,
    kind: row.kind as InboxEventKind,
    body: Buffer.from(row.body),
    bodyHash: row.body_hash,
    receivedAt: row.received_at.getTime(),
    ...present({ keyid: row.keyid, idempotencyKey: row.idempotency_key, traceParent: row.trace_parent }),
  };
}

function eventOf(row: EventRow): StoredEvent {
  return {
    ...waitingOf(row),
    headers: row.headers,
    verdict: row.verdict,
    state: row.state as InboxState,
    ...present({ reason: row.reason, appliedAt: row.applied_at?.getTime() }),
  };
}

/** Stores one answer, in the caller's transaction. */
export async function storePulled(
  client: TenantClient,
  { id, kind, connectionId, agentUrl, stream, body, bodyHash, receivedAt }: PulledAnswer,
): Promise<void> {
  const verdict = { method: 'POST', url: agentUrl, steps: [] };
  await client.query({
    name: 'inbox_keep_pulled',
    text: `insert into inbox_event (id, organization_id, registration_id, connection_id, sender, kind, headers, body,
             body_hash, verdict, state, received_at, applied_at)
           values ($1, $2, $3, $4, $5, $10, '[]', $6, $7, $8, 'applied', $9, $9)`,
    values: [
      id,
      client.organizationId,
      stream,
      connectionId,
      agentUrl,
      body,
      bodyHash,
      JSON.stringify(verdict),
      new Date(receivedAt),
      kind,
    ],
  });
}
