import type { Operation, OperationDraft } from '@switchyard/buys';
import {
  custodyEntry,
  type Admission,
  type CustodyRecord,
  type Ended,
  type RelayLog,
} from '@switchyard/relay';
import type { TenantScope } from '@switchyard/tenancy';
import { err, isoOf, ok, type JsonObject } from '@switchyard/values';
import { beginOperation } from '../buys/begin-operation.js';
import { run } from '../core/in-tenant.js';
import type { Store } from '../core/open-store.js';
import type { Statement, TenantClient } from '../core/tenant-client.js';
import { admitKnown, pathMark } from './admit-known.js';
import { appendCustody, readCustody } from './custody-chain.js';
import { standingColumns, standingOf, uncountedColumns, type DelegationRow } from './delegation-row.js';
import { unrecordedLegs } from './unrecorded-legs.js';
import { rowOf, type RelayRow } from './relay-row.js';

/** Relayed requests in PostgreSQL, and the chains that their records are sealed into. */
export function relayLog(store: Store): RelayLog {
  return {
    admit: (scope, admission, decide) => {
      const { record, hold, durable, draft } = admission;
      if (!durable && hold === undefined && draft === undefined)
        return admitRead(store, scope, admission, decide);
      return store.inTenant(scope, async (client) => {
        const held = await client.query<DelegationRow>({
          name: hold === undefined ? 'delegations_held' : 'delegations_held_locked',
          // What must not be lost is flushed by this commit; a read's row may lag behind, and is flushed with the next.
          text: `with flushing as materialized (select set_config('synchronous_commit', $4, true))
                 select ${hold === undefined ? uncountedColumns : standingColumns} from delegation d, flushing
                 where d.organization_id = $1 and d.principal_id = $2 and d.seller = $3
                 ${hold === undefined ? '' : 'order by d.id for update of d'}`,
          values: [client.organizationId, record.principalId, record.seller, durable ? 'on' : 'off'],
        });
        const standings =
          hold === undefined
            ? held.rows.map(standingOf)
            : await countedAgain(
                client,
                held.rows.map(({ id }) => id),
              );
        const delegation = decide(standings);
        if (!delegation.ok) return delegation;
        const { id, budget } = delegation.value;
        const micros = hold === undefined || budget === undefined ? null : hold.amount.toString();
        const begun = await beginSealed(client, admission.draft);
        // Nothing was written: the seller would take the brand's creative for a new version of somebody else's.
        if (begun === 'taken') return err('RELAY_CREATIVE_TAKEN');
        const operationId = begun?.id;
        const row = { ...record, delegationId: id, ...(operationId === undefined ? {} : { operationId }) };
        await insertOpen(client, row, micros, admission.nonce ?? null);
        return ok({ delegation: delegation.value, ...(begun === undefined ? {} : { operation: begun }) });
      });
    },
    pathMark: (scope, rows) => pathMark(store, scope, rows),
    held: async (scope, principalId, seller) => {
      const { rows } = await store.onceInTenant<DelegationRow>(scope, heldUncounted(principalId, seller));
      return rows.map((row) => standingOf(row).delegation);
    },
    admitKnown: admitKnown(store),
    refuse: (scope, refused) =>
      store.inTenant(scope, async (client) => {
        // Sent together: none of them waits for the one before it.
        await Promise.all(refused.map((record) => insertRefused(client, record)));
      }),
    seal: (scope, principalId, ended) =>
      store.inTenant(scope, (client) => sealAll(client, principalId, ended)),
    twin: (scope, principalId, keyid, nonce) =>
      store.inTenant(scope, async (client) => {
        const { rows } = await client.query<RelayRow>(
          `select * from relay_request
           where organization_id = $1 and principal_id = $2 and keyid = $3 and nonce = $4
           order by arrived_at limit 1`,
          [client.organizationId, principalId, keyid, nonce],
        );
        const [row] = rows;
        if (row === undefined) return undefined;
        const { outcome } = rowOf(row);
        return { recordId: row.id, bodyHash: row.body_hash, ...(outcome === undefined ? {} : { outcome }) };
      }),
    leftOpen: (scope, arrivedBefore, limit) =>
      store.inTenant(scope, async (client) => {
        const { rows } = await client.query<{ draft: string }>(
          `select draft from relay_request
           where organization_id = $1 and state = 'open' and draft is not null and arrived_at < $2
           order by arrived_at limit $3`,
          [client.organizationId, isoOf(arrivedBefore), limit],
        );
        return rows.map(({ draft }) => recordOf(JSON.parse(draft) as Omit<CustodyRecord, 'outcome'>));
      }),
    isShared: (scope, connectionId, principalId) =>
      store.inTenant(scope, async (client) => {
        const { rows } = await client.query<{ shared: boolean }>(
          `select exists (select from seller_buy s
             join media_buy m on m.organization_id = s.organization_id and m.id = s.media_buy_id
             where s.organization_id = $1 and s.connection_id = $2 and m.principal_id <> $3)
             or shares_account($2) as shared`,
          [client.organizationId, connectionId, principalId],
        );
        return rows[0]?.shared === true;
      }),
    unrecorded: (scope, limit) => store.inTenant(scope, (client) => unrecordedLegs(client, limit)),
    recorded: (scope, legIds, at) =>
      store.inTenant(scope, async (client) => {
        await client.query('update leg set custody_at = $2 where id = any($1::uuid[])', [legIds, isoOf(at)]);
      }),
    list: (scope, { principalId, seller, outcome, before, limit }) =>
      store.inTenant(scope, async (client) => {
        const { rows } = await client.query<RelayRow>(
          `select * from relay_request
           where organization_id = $1 and ($2::uuid is null or principal_id = $2) and ($3::text is null or seller = $3)
             and ($4::text is null or outcome = $4) and ($5::timestamptz is null or arrived_at < $5)
           order by arrived_at desc, id limit $6`,
          [
            client.organizationId,
            principalId ?? null,
            seller ?? null,
            outcome ?? null,
            before === undefined ? null : isoOf(before),
            limit,
          ],
        );
        return rows.map(rowOf);
      }),
    show: (scope, id) =>
      store.inTenant(scope, async (client) => {
        const { rows } = await client.query<{
          body: string;
          hash: string;
          block_number: string;
          principal_id: string;
        }>(
          `select e.body, e.hash, e.block_number, r.principal_id
           from custody_entry e
           join relay_request r on r.organization_id = e.organization_id and r.id = e.record_id
           where e.organization_id = $1 and e.record_id = $2`,
          [client.organizationId, id],
        );
        const [row] = rows;
        if (row === undefined) return undefined;
        return {
          principalId: row.principal_id,
          record: JSON.parse(row.body) as JsonObject,
          hash: row.hash,
          block: row.block_number,
        };
      }),
    chain: (scope, principalId) => store.inTenant(scope, (client) => readCustody(client, principalId)),
  };
}

/**
 * Admits what commits nothing and changes nothing: one statement reads what is delegated, one writes the row, and
 * neither is locked or flushed. A revocation holds for what is read after it.
 */
async function admitRead(
  store: Store,
  scope: TenantScope,
  { record, nonce }: Admission,
  decide: Parameters<RelayLog['admit']>[2],
): ReturnType<RelayLog['admit']> {
  const held = await store.onceInTenant<DelegationRow>(
    scope,
    heldUncounted(record.principalId, record.seller),
  );
  const delegation = decide(held.rows.map(standingOf));
  if (!delegation.ok) return delegation;
  await run(store.pool, {
    name: 'relay_request_open_unflushed',
    // The row takes its tenant from the value that set_config answers: it is there before row-level security looks.
    text: `with scope as materialized (
             select set_config('switchyard.organization_id', $1, true)::uuid as organization_id,
                    set_config('synchronous_commit', 'off', true))
           insert into relay_request (organization_id, ${openColumns})
           select scope.organization_id, $2::uuid, $3::uuid, $4, $5, $6, $7::uuid, $8::uuid, $9, $10, $11, $12::bigint,
                  'open', $13, $14::timestamptz from scope`,
    values: openValues(
      scope.organizationId,
      { ...record, delegationId: delegation.value.id },
      null,
      nonce ?? null,
    ),
  });
  return ok({ delegation: delegation.value });
}

function heldUncounted(principalId: string, seller: string): Statement {
  return {
    name: 'delegations_held_uncounted',
    text: `select ${uncountedColumns} from delegation d
           where d.organization_id = scope.organization_id and d.principal_id = $1 and d.seller = $2`,
    values: [principalId, seller],
  };
}

const openColumns = `id, principal_id, seller, way, task, delegation_id, operation_id, keyid, nonce, body_hash,
  held_micros, state, draft, arrived_at`;

/** Stores what the request sets out to change. An address that an earlier request named stays that one's. */
async function beginSealed(
  client: TenantClient,
  draft: OperationDraft | undefined,
): Promise<Operation | 'taken' | undefined> {
  if (draft === undefined) return undefined;
  const registrations = await unregistered(client, draft.registrations);
  const begun = await beginOperation(client, { ...draft, registrations });
  if (begun.kind === 'taken') return 'taken';
  return begun.kind === 'exists' ? begun.operation : draft.operation;
}

async function unregistered(
  client: TenantClient,
  drafts: OperationDraft['registrations'],
): Promise<OperationDraft['registrations']> {
  if (drafts.length === 0) return drafts;
  const { rows } = await client.query<{ id: string }>(
    'select id from webhook_registration where id = any($1::text[])',
    [drafts.map(({ id }) => id)],
  );
  const known = new Set(rows.map(({ id }) => id));
  return drafts.filter(({ id }) => !known.has(id));
}

/** The lock was waited for: what others committed meanwhile is seen by a statement of its own. */
async function countedAgain(client: TenantClient, ids: readonly string[]) {
  const { rows } = await client.query<DelegationRow>({
    name: 'delegations_counted',
    text: `select ${standingColumns} from delegation d where d.organization_id = $1 and d.id = any($2::uuid[])`,
    values: [client.organizationId, ids],
  });
  return rows.map(standingOf);
}

async function insertOpen(
  client: TenantClient,
  record: Omit<CustodyRecord, 'outcome'>,
  heldMicros: string | null,
  nonce: string | null,
): Promise<void> {
  await client.lastQuery({
    name: 'relay_request_open',
    text: `insert into relay_request (organization_id, ${openColumns})
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, 'open', $13, $14)`,
    values: openValues(client.organizationId, record, heldMicros, nonce),
  });
}

function openValues(
  organizationId: string,
  record: Omit<CustodyRecord, 'outcome'>,
  heldMicros: string | null,
  nonce: string | null,
): readonly unknown[] {
  return [
    ...common(organizationId, record),
    nonce,
    record.arrived.bodyHash,
    heldMicros,
    record,
    isoOf(record.arrived.at),
  ];
}

async function insertRefused(client: TenantClient, record: CustodyRecord): Promise<void> {
  await client.query({
    name: 'relay_request_refused',
    text: `insert into relay_request (organization_id, id, principal_id, seller, way, task, delegation_id, operation_id,
             keyid, body_hash, state, outcome, code, draft, arrived_at, ended_at)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 'open', $11, $12, $13, $14, $14)
           on conflict (id) do nothing`,
    values: [
      ...common(client.organizationId, record),
      record.arrived.bodyHash,
      record.outcome,
      record.code ?? null,
      record,
      isoOf(record.arrived.at),
    ],
  });
}

function common(organizationId: string, record: Omit<CustodyRecord, 'outcome'>): readonly unknown[] {
  return [
    organizationId,
    record.id,
    record.principalId,
    record.seller,
    record.way,
    record.task ?? null,
    record.delegationId ?? null,
    record.operationId ?? null,
    record.arrived.keyid ?? null,
  ];
}

async function sealAll(client: TenantClient, principalId: string, ended: readonly Ended[]): Promise<void> {
  const { rows } = await client.query<{ id: string }>({
    name: 'relay_request_ended',
    text: `update relay_request r
           set state = 'sealed', draft = null, outcome = e.outcome, code = e.code, ended_at = e.ended_at,
               operation_id = coalesce(r.operation_id, e.operation_id),
               held_micros = case when e.releases then null else r.held_micros end
           from unnest($2::uuid[], $3::text[], $4::text[], $5::timestamptz[], $6::uuid[], $7::boolean[])
             as e(id, outcome, code, ended_at, operation_id, releases)
           where r.organization_id = $1 and r.id = e.id and r.state = 'open' and r.principal_id = $8
           returning r.id`,
    values: [
      client.organizationId,
      ended.map(({ record }) => record.id),
      ended.map(({ record }) => record.outcome),
      ended.map(({ record }) => record.code ?? null),
      ended.map(({ at }) => isoOf(at)),
      ended.map(({ record }) => record.operationId ?? null),
      ended.map(({ releases }) => releases),
      principalId,
    ],
  });
  const taken = new Set(rows.map(({ id }) => id));
  const links = ended
    .filter(({ record }) => taken.has(record.id))
    .map(({ record }) => ({ ...custodyEntry(record), recordId: record.id }));
  const last = ended.at(-1);
  if (links.length > 0 && last !== undefined) await appendCustody(client, principalId, links, last.at);
}

/** A draft is a record without its end: a process that died left it, so what became of it is not known. */
function recordOf(draft: Omit<CustodyRecord, 'outcome'> & Partial<CustodyRecord>): CustodyRecord {
  return { ...draft, outcome: draft.outcome ?? 'unknown' };
}
