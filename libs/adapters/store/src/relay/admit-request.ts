import type { Operation, OperationDraft } from '@switchyard/buys';
import type { Admission, RelayLog } from '@switchyard/relay';
import type { TenantScope } from '@switchyard/tenancy';
import { err, isoOf, ok, type Instant } from '@switchyard/values';
import { beginOperation, CreativeTaken } from '../buys/begin-operation.js';
import { retryDeadlock } from '../core/retry-deadlock.js';
import { run } from '../core/tenant-transaction.js';
import type { Store } from '../core/open-store.js';
import { storableText } from '../core/storable.js';
import { NotWithinLimits } from '../spending/commit-spend.js';
import type { TenantClient } from '../core/tenant-client.js';
import {
  standingColumns,
  standingColumnsWithout,
  standingOf,
  uncountedColumns,
  uncountedDelegations,
  type DelegationRow,
} from './delegation-row.js';
import { holdsNothing, insertOpen, openColumns, openValues } from './insert-request.js';

/**
 * Admits a request under one of its principal's delegations, which `decide` chooses. A request that changes or commits
 * anything is admitted in one transaction with its row.
 */
export function admitRequest(
  store: Store,
  scope: TenantScope,
  admission: Admission,
  decide: Parameters<RelayLog['admit']>[2],
): ReturnType<RelayLog['admit']> {
  const { hold, durable, draft } = admission;
  if (!durable && hold === undefined && draft === undefined)
    return admitRead(store, scope, admission, decide);
  // It locks the delegation first and a creative last; `admitKnown` locks them in the other order.
  return retryDeadlock(() =>
    store.inTenant(scope, (client) => admitDelegated(client, admission, decide)),
  ).catch((error: unknown) => {
    // Without a rate a limit cannot be checked, so it refuses too.
    if (error instanceof NotWithinLimits) return err('SPENDING_LIMIT_EXCEEDED');
    if (error instanceof CreativeTaken) return err('RELAY_CREATIVE_NOT_FOUND');
    throw error;
  });
}

async function admitDelegated(
  client: TenantClient,
  { record, hold, durable, draft, nonce, repeatsSince }: Admission,
  decide: Parameters<RelayLog['admit']>[2],
): ReturnType<RelayLog['admit']> {
  const found = await client.query<DelegationRow & { readonly holds_it?: boolean }>({
    name: hold === undefined ? 'delegations_held' : 'delegations_held_locked',
    // This commit flushes what must not be lost; the row of a read is flushed with a later commit.
    text: `with flushing as materialized (select set_config('synchronous_commit', $4, true))
             select ${hold === undefined ? uncountedColumns : standingColumns} from delegation d, flushing
             where d.organization_id = $1 and d.principal_id = $2 and d.seller = $3
             ${hold === undefined ? '' : 'order by d.id for update of d'}`,
    values: [client.organizationId, record.principalId, record.seller, durable ? 'on' : 'off'],
  });
  const repeated = hold === undefined ? undefined : await repeatedBy(client, draft, repeatsSince);
  const ids = found.rows.map(({ id }) => id);
  const standings = hold === undefined ? found.rows : await countedAgain(client, ids, repeated);
  // Requests of one commitment stay under one delegation, if that still permits them.
  const own = decide(standings.filter((row) => row.holds_it === true).map(standingOf));
  const delegation = own.ok ? own : decide(standings.map(standingOf));
  if (!delegation.ok) return delegation;
  const { id, budget } = delegation.value;
  const micros = hold === undefined || budget === undefined ? null : hold.amount.toString();
  const begun = await beginSealed(client, draft);
  // Nothing was written: another tenant has joined the account since the creatives were checked.
  if (begun === 'taken') return err('RELAY_CREATIVE_NOT_FOUND');
  const operationId = begun?.id;
  const row = { ...record, delegationId: id, ...(operationId === undefined ? {} : { operationId }) };
  const isFirst = operationId === draft?.operation.id;
  const commitmentId = isFirst ? operationId : repeated;
  await insertOpen(
    client,
    row,
    { micros, commitmentId: (micros === null ? undefined : commitmentId) ?? null },
    nonce ?? null,
  );
  return ok({ delegation: delegation.value, ...(begun === undefined ? {} : { operation: begun }) });
}

/**
 * Admits a request that commits and changes nothing: one statement reads the delegations, one writes the row, without a
 * lock or a flush. A revocation applies to later reads.
 */
async function admitRead(
  store: Store,
  scope: TenantScope,
  { record, nonce }: Admission,
  decide: Parameters<RelayLog['admit']>[2],
): ReturnType<RelayLog['admit']> {
  const standings = await store.onceInTenant<DelegationRow>(
    scope,
    uncountedDelegations(record.principalId, record.seller),
  );
  const delegation = decide(standings.rows.map(standingOf));
  if (!delegation.ok) return delegation;
  await run(store.pool, {
    name: 'relay_request_open_unflushed',
    // The row takes its tenant from the result of set_config, so it is set before row-level security checks the row.
    text: `with scope as materialized (
             select set_config('switchyard.organization_id', $1, true)::uuid as organization_id,
                    set_config('synchronous_commit', 'off', true))
           insert into relay_request (organization_id, ${openColumns})
           select scope.organization_id, $2::uuid, $3::uuid, $4, $5, $6, $7::uuid, $8::uuid, $9, $10, $11, $12::bigint,
                  $13::uuid, 'open', $14, $15::timestamptz from scope`,
    values: openValues(
      scope.organizationId,
      { ...record, delegationId: delegation.value.id },
      holdsNothing,
      nonce ?? null,
    ),
  });
  return ok({ delegation: delegation.value });
}

/** Stores what the request will change. An address that an earlier request named stays with that one. */
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

/**
 * The commitment that a request retries: the operation with its key, if it was the same request and its seller must
 * remember it. Read under the lock of the delegations, under which every first copy is stored.
 */
async function repeatedBy(
  client: TenantClient,
  draft: OperationDraft | undefined,
  repeatsSince: Instant | undefined,
): Promise<string | undefined> {
  const operation = draft?.operation;
  if (operation?.idempotencyKey === undefined || repeatsSince === undefined) return undefined;
  const { rows } = await client.query<{ id: string }>({
    name: 'operation_repeated',
    text: `select id from operation
           where organization_id = $1 and principal_id = $2 and idempotency_key = $3 and request_hash = $4
             and created_at > $5`,
    values: [
      client.organizationId,
      operation.principalId,
      storableText(operation.idempotencyKey),
      operation.requestHash,
      isoOf(repeatsSince),
    ],
  });
  return rows[0]?.id;
}

/** The lock was waited for, so a separate statement is needed to see what others committed meanwhile. */
async function countedAgain(client: TenantClient, ids: readonly string[], without: string | undefined) {
  const { rows } = await client.query<DelegationRow & { readonly holds_it?: boolean }>(
    without === undefined
      ? {
          name: 'delegations_counted',
          text: `select ${standingColumns} from delegation d where d.organization_id = $1 and d.id = any($2::uuid[])`,
          values: [client.organizationId, ids],
        }
      : {
          name: 'delegations_counted_without',
          text: `select ${standingColumnsWithout('$3')} from delegation d
                 where d.organization_id = $1 and d.id = any($2::uuid[])`,
          values: [client.organizationId, ids, without],
        },
  );
  return rows;
}
