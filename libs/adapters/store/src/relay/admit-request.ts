import type { Operation, OperationDraft } from '@switchyard/buys';
import type { Admission, RelayLog } from '@switchyard/relay';
import type { TenantScope } from '@switchyard/tenancy';
import { err, ok } from '@switchyard/values';
import { beginOperation } from '../buys/begin-operation.js';
import { againAfterDeadlock } from '../core/again-after-deadlock.js';
import { run } from '../core/in-tenant.js';
import type { Store } from '../core/open-store.js';
import type { TenantClient } from '../core/tenant-client.js';
import { standingColumns, standingOf, uncountedColumns, type DelegationRow } from './delegation-row.js';
import { heldUncounted } from './held-delegations.js';
import { insertOpen, openColumns, openValues } from './insert-request.js';

/**
 * Admits a request under one of the delegations that its principal holds, which `decide` chooses. What changes or
 * commits anything is admitted in one transaction with the row of the request.
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
  // It takes the delegation first and a creative last, what is admitted as known the other way round.
  return againAfterDeadlock(() => store.inTenant(scope, (client) => admitHeld(client, admission, decide)));
}

async function admitHeld(
  client: TenantClient,
  { record, hold, durable, draft, nonce }: Admission,
  decide: Parameters<RelayLog['admit']>[2],
): ReturnType<RelayLog['admit']> {
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
  const begun = await beginSealed(client, draft);
  // Nothing was written: the account has become another tenant's too since the creatives were looked at.
  if (begun === 'taken') return err('RELAY_CREATIVE_NOT_FOUND');
  const operationId = begun?.id;
  const row = { ...record, delegationId: id, ...(operationId === undefined ? {} : { operationId }) };
  await insertOpen(client, row, micros, nonce ?? null);
  return ok({ delegation: delegation.value, ...(begun === undefined ? {} : { operation: begun }) });
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
