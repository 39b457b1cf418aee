import type { WebhookVerdict } from '@switchyard/events';
import type { TenantScope } from '@switchyard/tenancy';
import type { Instant } from '@switchyard/values';
import type { Store } from '../core/open-store.js';
import { present } from '../core/present.js';
import type { TenantClient } from '../core/tenant-client.js';
import {
  copyOf,
  decisionOf,
  loggedOf,
  type CopyRow,
  type DecisionRow,
  type EvidenceRow,
  type LoggedRow,
} from './event-log-row.js';
import { inboxStates, registrationsOf, type InboxState } from './inbox-work.js';

/** What became of a webhook, as people are told it. A duplicate is a copy whose key was used before. */
export type LoggedState = InboxState | 'duplicate';

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
  /** Of a duplicate: the event whose copy it is. */
  readonly copyOf?: string;
  /** Further copies that came; of a duplicate, how many came alike. */
  readonly copies: number;
}

export interface CopySeen {
  readonly bodyHash: string;
  readonly isSameBody: boolean;
  readonly copies: number;
  readonly firstSeenAt: Instant;
  readonly lastSeenAt: Instant;
}

export interface EventDecision {
  readonly decision: 'admitted' | 'dismissed';
  readonly reason: string;
  /** Why it had been put aside. */
  readonly was?: string;
  readonly principalId: string;
  readonly principalName: string;
  readonly decidedAt: Instant;
}

/** One webhook whole. Of a duplicate there are neither bytes nor a verdict: only the first copy is kept. */
export interface LoggedDetail extends LoggedEvent {
  readonly keyid?: string;
  readonly bodyHash: string;
  readonly verdict?: WebhookVerdict;
  readonly headers?: readonly (readonly [name: string, value: string])[];
  readonly body?: Buffer;
  readonly bodyPurgedAt?: Instant;
  /** The vault's record of the bytes as they came, where `body` has `[secret]` in place of one. */
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

export interface EventLog {
  /** Newest first. With `principalId`: only what came for operations of this principal. */
  list(
    scope: TenantScope,
    filter: {
      readonly state?: LoggedState;
      readonly seller?: string;
      readonly principalId?: string;
      readonly limit: number;
    },
  ): Promise<readonly LoggedEvent[]>;
  show(
    scope: TenantScope,
    id: string,
    of?: { readonly principalId?: string },
  ): Promise<LoggedDetail | undefined>;
  /**
   * Writes down what a person decided and moves the event out of quarantine, in the caller's transaction. False where
   * the event does not stand in quarantine: then nothing was written.
   */
  decide(client: TenantClient, draft: DecisionDraft): Promise<boolean>;
}

const ofEvent = `
  e.id, e.kind, e.state, e.reason, e.sender, e.idempotency_key, e.registration_id, e.connection_id,
  e.received_at as seen_at, e.applied_at, null::uuid as copy_of, e.body_hash, null::int as copies`;

const ofDuplicate = `
  d.id, d.kind, 'duplicate', case when d.is_same_body then null else 'payload_changed' end, d.sender,
  d.idempotency_key, d.registration_id, d.connection_id, d.last_seen_at, null, d.event_id, d.body_hash, d.copies`;

/** Rows of `LoggedRow`; what is counted of each is counted once it is known to be shown. */
const shown = (rows: string): string => `
  select x.id, x.kind, x.state, x.reason, x.sender, x.idempotency_key, x.registration_id, x.connection_id, x.seen_at,
         x.applied_at, x.copy_of, x.body_hash, c.slug as seller, r.operation_id, r.leg_id,
         coalesce(x.copies, (select coalesce(sum(d.copies), 0)::int from inbox_duplicate d where d.event_id = x.id)) as copies
  from (${rows}) x
  join connection c on c.id = x.connection_id
  left join webhook_registration r on r.id = x.registration_id`;

/** The newest of each kind, by an index each: of everybody state by state, of one principal by its addresses. */
const newest = (isOwn: boolean): string => {
  const at = (alias: string): string =>
    `($3::text is null or ${alias}.connection_id in (select id from connection where slug = $3))`;
  const own = (alias: string): string =>
    isOwn ? `${alias}.registration_id in (${registrationsOf('$4')})` : 'true';
  const events = (state: string): string =>
    `select ${ofEvent} from inbox_event e where ${state} and ${at('e')} and ${own('e')}
     order by e.received_at desc, e.id desc limit $1`;
  const all = isOwn
    ? events('($2::text is null or e.state = $2)')
    : `select e.* from unnest(array[${inboxStates.map((state) => `'${state}'`).join(', ')}]) as one (state)
       cross join lateral (${events('e.state = one.state')}) e where $2::text is null or one.state = $2`;
  const copies = `select ${ofDuplicate} from inbox_duplicate d
     where ($2::text is null or $2 = 'duplicate') and ${at('d')} and ${own('d')}
     order by d.last_seen_at desc, d.id desc limit $1`;
  return `${shown(`select * from ((${all}) union all (${copies})) every order by seen_at desc, id desc limit $1`)}
    order by x.seen_at desc, x.id desc`;
};
const newestOfAll = newest(false);
const newestOwn = newest(true);

const one = `${shown(`
  select ${ofEvent} from inbox_event e where e.id = $1 union all select ${ofDuplicate} from inbox_duplicate d where d.id = $1`)}
  where $2::uuid is null
     or exists (select 1 from operation o where o.id = r.operation_id and o.principal_id = $2)`;

export function eventLog(store: Store): EventLog {
  return {
    list: (scope, { state, seller, principalId, limit }) =>
      store.inTenant(scope, async (client) => {
        const values = [limit, state ?? null, seller ?? null];
        const found =
          principalId === undefined
            ? await client.query<LoggedRow>(newestOfAll, values)
            : await client.query<LoggedRow>(newestOwn, [...values, principalId]);
        return found.rows.map(loggedOf);
      }),
    show: (scope, id, { principalId } = {}) =>
      store.inTenant(scope, (client) => show(client, id, principalId)),
    decide,
  };
}

async function show(
  client: TenantClient,
  id: string,
  principalId: string | undefined,
): Promise<LoggedDetail | undefined> {
  if (!/^[0-9a-f-]{36}$/.test(id)) return undefined;
  const found = await client.query<LoggedRow>(one, [id, principalId ?? null]);
  const [row] = found.rows;
  if (row === undefined) return undefined;
  const evidence = await client.query<EvidenceRow>(
    'select keyid, verdict, headers, body, body_purged_at, sealed_id from inbox_event where id = $1',
    [id],
  );
  const copies = await client.query<CopyRow>(
    'select * from inbox_duplicate where event_id = $1 order by first_seen_at',
    [id],
  );
  const decided = await client.query<DecisionRow>('select * from event_decision where event_id = $1', [id]);
  const [kept] = evidence.rows;
  const [decision] = decided.rows;
  return {
    ...loggedOf(row),
    bodyHash: row.body_hash,
    duplicates: copies.rows.map(copyOf),
    ...present({
      keyid: kept?.keyid,
      verdict: kept?.verdict,
      headers: kept?.headers,
      body: kept?.body,
      bodyPurgedAt: kept?.body_purged_at?.getTime(),
      sealedId: kept?.sealed_id,
      decision: decision === undefined ? undefined : decisionOf(decision),
    }),
  };
}

async function decide(client: TenantClient, draft: DecisionDraft): Promise<boolean> {
  const moved = await client.query<{ was: string | null }>(
    `update inbox_event e set state = $2, reason = $3,
       applied_at = case when $2 in ('applied', 'stale') then $4::timestamptz end
     from (select id, reason as was from inbox_event where id = $1 and state = 'quarantined' for update) before
     where e.id = before.id returning before.was`,
    [draft.eventId, draft.state, draft.stateReason ?? null, new Date(draft.decidedAt)],
  );
  const [before] = moved.rows;
  if (before === undefined) return false;
  await client.query(
    `insert into event_decision
       (id, organization_id, event_id, decision, reason, was, principal_id, principal_name, decided_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      draft.id,
      client.organizationId,
      draft.eventId,
      draft.decision,
      draft.reason,
      before.was,
      draft.principalId,
      draft.principalName,
      new Date(draft.decidedAt),
    ],
  );
  return true;
}
