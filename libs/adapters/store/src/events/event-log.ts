import type { WebhookVerdict } from '@switchyard/events';
import type { ListSort, ObjectFilter, TenantScope, TimeFilter } from '@switchyard/tenancy';
import { isUuid, type Instant, type PageRead } from '@switchyard/values';
import { fewOperationsOf, isOperationInReach, listOfOperations } from '../core/list-of-operations.js';
import { byTime, given, within, type Part } from '../core/list-statement.js';
import type { Store } from '../core/open-store.js';
import { present } from '../core/present.js';
import type { TenantClient, TenantSession } from '../core/tenant-client.js';
import { rowReader } from '../core/row-mapper.js';
import type { inbox_eventModel } from '../generated/models.js';
import { readSnapshot } from '../ledger/read-snapshot.js';
import type { InboxState } from './inbox-work.js';
import { ofPeriod } from './of-period.js';
import { messagesOf, type StoredMessage } from './walk-messages.js';

/** Result of a webhook, as people read it. A duplicate is a copy whose key was used before. */
type LoggedState = InboxState | 'duplicate';

/** One webhook in one line. */
export interface LoggedEvent {
  readonly id: string;
  readonly seller: string;
  readonly kind: string;
  readonly state: LoggedState;
  readonly reason?: string;
  readonly sender: string;
  readonly idempotencyKey?: string;
  readonly operationId?: string;
  readonly legId?: string;
  readonly registrationId: string;
  readonly connectionId: string;
  readonly receivedAt: Instant;
  readonly appliedAt?: Instant;
  /** Of a duplicate: the event that it is a copy of. */
  readonly copyOf?: string;
  /** Number of further copies; of a duplicate, how many equal ones came. */
  readonly copies: number;
}

interface CopySeen {
  readonly bodyHash: string;
  readonly isSameBody: boolean;
  readonly copies: number;
  readonly firstSeenAt: Instant;
  readonly lastSeenAt: Instant;
}

interface EventDecision {
  readonly decision: 'admitted' | 'dismissed';
  readonly reason: string;
  /** Why it was in quarantine. */
  readonly quarantineReason?: string;
  readonly principalId: string;
  readonly principalName: string;
  readonly decidedAt: Instant;
}

/** One webhook with everything. A duplicate has neither bytes nor a verdict: only the first copy is stored. */
export interface LoggedDetail extends LoggedEvent {
  readonly keyid?: string;
  readonly bodyHash: string;
  readonly verdict?: WebhookVerdict;
  readonly headers?: readonly (readonly [name: string, value: string])[];
  readonly body?: Buffer;
  readonly bodyPurgedAt?: Instant;
  /** Id of the sealed original bytes in the vault, if `body` has `[secret]` in place of a secret. */
  readonly sealedId?: string;
  readonly duplicates: readonly CopySeen[];
  readonly decision?: EventDecision;
}

export interface DecisionDraft extends EventDecision {
  readonly id: string;
  readonly eventId: string;
  readonly state: Exclude<InboxState, 'received' | 'quarantined'>;
  readonly stateReason?: string;
}

/** Which webhooks a list shows. */
interface EventFilter extends ObjectFilter, TimeFilter, PageRead {
  readonly state?: LoggedState;
  readonly seller?: string;
  readonly kind?: string;
  /** The first day of a month and the day after it: webhooks that the close of the month waits for while they are held back. */
  readonly period?: { readonly from: string; readonly to: string };
  readonly sort?: ListSort;
}

export interface EventLog {
  /** By time of receipt, newest first by default; the key is `[receivedAt, id]`. */
  list(scope: TenantScope, filter: EventFilter): Promise<readonly LoggedEvent[]>;
  show(scope: TenantScope, id: string, of?: Pick<ObjectFilter, 'reach'>): Promise<LoggedDetail | undefined>;
  /** Passes the messages of a period to `read`, oldest first and page by page, from one snapshot of the database. */
  messages<T>(
    scope: TenantScope,
    time: { readonly since?: Instant; readonly until?: Instant },
    read: (messages: AsyncIterable<StoredMessage>) => Promise<T>,
  ): Promise<T>;
  /**
   * Stores a person's decision and moves the event out of quarantine, in the caller's transaction. False if the event
   * is not in quarantine: then nothing was written.
   */
  decide(client: TenantClient, draft: DecisionDraft): Promise<boolean>;
  /** The same in a transaction of its own. */
  decideAlone(scope: TenantScope, draft: DecisionDraft): Promise<boolean>;
}

const ofEvent = `
  e.id, e.kind, e.state, e.reason, e.sender, e.idempotency_key, e.registration_id, e.connection_id,
  e.received_at as seen_at, e.applied_at, null::uuid as copy_of, e.body_hash, c.slug as seller, r.operation_id, r.leg_id,
  (select coalesce(sum(d.copies), 0)::int from inbox_duplicate d where d.event_id = e.id) as copies`;

const ofDuplicate = `
  e.id, e.kind, 'duplicate' as state, case when e.is_same_body then null else 'payload_changed' end as reason, e.sender,
  e.idempotency_key, e.registration_id, e.connection_id, e.last_seen_at as seen_at, null::timestamptz as applied_at,
  e.event_id as copy_of, e.body_hash, c.slug as seller, r.operation_id, r.leg_id, e.copies`;

const beside = `join connection c on c.id = e.connection_id left join webhook_registration r on r.id = e.registration_id`;

/** Webhooks and their later copies are in two tables, each with an index in the order of the list. */
const sources = [
  {
    columns: ofEvent,
    table: 'inbox_event',
    at: 'e.received_at',
    has: (state: string) => state !== 'duplicate',
  },
  {
    columns: ofDuplicate,
    table: 'inbox_duplicate',
    at: 'e.last_seen_at',
    has: (state: string) => state === 'duplicate',
  },
] as const;

const shown = `
  select ${ofEvent} from inbox_event e ${beside} where e.id = $1
  union all select ${ofDuplicate} from inbox_duplicate e ${beside} where e.id = $1`;

export function eventLog(store: Store): EventLog {
  return {
    list: (scope, filter) =>
      store.inTenant(scope, async (client) => (await list(client, filter)).map(loggedOf)),
    show: (scope, id, of = {}) => store.inTenant(scope, (client) => show(client, id, of)),
    messages: (scope, time, read) => readSnapshot(store, scope, (client) => read(messagesOf(client, time))),
    decide,
    decideAlone: (scope, draft) => store.inTenant(scope, (client) => decide(client, draft)),
  };
}

async function list(client: TenantClient, filter: EventFilter): Promise<readonly LoggedRow[]> {
  const { state, seller, kind, period, sort } = filter;
  const few = fewOperationsOf(client, [{ filter }]);
  const found = await Promise.all(
    sources
      .filter(({ has }) => state === undefined || has(state))
      // Of a copy only the first one is stored: with it is the month.
      .filter(({ table }) => period === undefined || table === 'inbox_event')
      .map(({ columns, table, at }) =>
        listOfOperations<LoggedRow>(
          client,
          {
            picked: `e.id, ${at}`,
            from: `${table} e`,
            fromOperation: `webhook_registration w join ${table} e on e.registration_id = w.id where w.operation_id = listed.id`,
            operation: '(select w.operation_id from webhook_registration w where w.id = e.registration_id)',
            where: [
              given('e.state = ?', state === 'duplicate' ? undefined : state),
              given('e.connection_id = (select id from connection where slug = ?)', seller),
              given('e.kind = ?', kind),
              ...within(at, filter),
              period && monthly(period),
            ],
            order: byTime(at, { column: 'e.id', isDescending: true }, sort),
            columns,
            few,
            beside: `join ${table} e on e.id = x.id ${beside}`,
          },
          [{ filter }],
          filter,
        ),
      ),
  );
  const sign = sort === 'oldest' ? -1 : 1;
  return found
    .flat()
    .sort((a, b) => sign * (b.seen_at.getTime() - a.seen_at.getTime() || (a.id < b.id ? 1 : -1)))
    .slice(0, filter.limit);
}

const monthly = ({ from, to }: { readonly from: string; readonly to: string }): Part => [
  ofPeriod('?', '?'),
  ...[from, to, to, from, from],
];

async function show(
  client: TenantSession,
  id: string,
  of: Pick<ObjectFilter, 'reach'>,
): Promise<LoggedDetail | undefined> {
  if (!isUuid(id)) return undefined;
  const found = await client.query<LoggedRow>(shown, [id]);
  const [row] = found.rows;
  if (row === undefined || !(await isOperationInReach(client, row.operation_id, of))) return undefined;
  const evidence = await client.query<EvidenceRow>(
    'select keyid, verdict, headers, body, body_purged_at, sealed_id from inbox_event where id = $1',
    [id],
  );
  const ofEvent = { event_id: id };
  const { event_decision, inbox_duplicate } = client.models;
  const copies = await inbox_duplicate.findMany({ where: ofEvent, orderBy: { first_seen_at: 'asc' } });
  const decision = await event_decision.findFirst({ where: ofEvent });
  const [stored] = evidence.rows;
  return {
    ...loggedOf(row),
    bodyHash: row.body_hash,
    duplicates: copies.map(copyOf),
    ...present({
      keyid: stored?.keyid,
      verdict: stored?.verdict,
      headers: stored?.headers,
      body: stored?.body,
      bodyPurgedAt: stored?.body_purged_at?.getTime(),
      sealedId: stored?.sealed_id,
      decision: decision === null ? undefined : decisionOf(decision),
    }),
  };
}

async function decide(client: TenantSession, draft: DecisionDraft): Promise<boolean> {
  const moved = await client.query<{ quarantine_reason: string | null }>(
    `update inbox_event e set state = $2, reason = $3,
       applied_at = case when $2 in ('applied', 'stale') then $4::timestamptz end
     from (select id, reason as quarantine_reason from inbox_event where id = $1 and state = 'quarantined' for update) before
     where e.id = before.id returning before.quarantine_reason`,
    [draft.eventId, draft.state, draft.stateReason ?? null, new Date(draft.decidedAt)],
  );
  const [before] = moved.rows;
  if (before === undefined) return false;
  await client.models.event_decision.create({
    data: {
      ...{ id: draft.id, organization_id: client.organizationId, event_id: draft.eventId },
      ...{ decision: draft.decision, reason: draft.reason, quarantine_reason: before.quarantine_reason },
      ...{ principal_id: draft.principalId, principal_name: draft.principalName },
      decided_at: new Date(draft.decidedAt),
    },
  });
  return true;
}

type LoggedRow = Pick<inbox_eventModel, 'id' | 'body_hash'> & {
  readonly operation_id: string | null;
  readonly seen_at: Date;
};

type EvidenceRow = Pick<inbox_eventModel, 'keyid' | 'body_purged_at'> & {
  readonly verdict: WebhookVerdict;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Buffer;
  readonly sealed_id: string | null;
};

const readLogged = rowReader<Omit<LoggedEvent, 'receivedAt'>>()(`
  id, seller, kind, state, sender, registration_id, connection_id, copies, reason, idempotency_key, operation_id, leg_id,
  applied_at, copy_of`);

function loggedOf(row: LoggedRow): LoggedEvent {
  return { ...readLogged(row), receivedAt: row.seen_at.getTime() };
}

const decisionOf = rowReader<EventDecision>()(
  'decision, reason, principal_id, principal_name, decided_at, quarantine_reason',
);

const copyOf = rowReader<CopySeen>()('body_hash, is_same_body, copies, first_seen_at, last_seen_at');
