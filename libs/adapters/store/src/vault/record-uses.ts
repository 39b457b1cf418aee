import type { TenantScope } from '@switchyard/tenancy';
import type { CredentialUse } from '@switchyard/vault';
import type { Store } from '../core/open-store.js';
import { run } from '../core/in-tenant.js';

/**
 * Writes the audit rows of one lease in one statement, which is its own transaction on its own connection: they are
 * committed when this resolves, whatever happens to the work.
 *
 * The statement sets its tenant itself: every row takes its organization from the result of set_config, so the setting
 * is there before row-level security checks the first row.
 */
export async function recordUses(
  store: Store,
  scope: TenantScope,
  uses: readonly CredentialUse[],
  flushes = true,
): Promise<void> {
  if (uses.length === 0) return;
  const { rowCount } = await run(store.pool, {
    name: flushes ? 'credential_use_insert' : 'credential_use_insert_unflushed',
    text: `
      with scope as materialized (
        select set_config('switchyard.organization_id', $1, true)::uuid as organization_id
        ${flushes ? '' : ", set_config('synchronous_commit', 'off', true)"}
      )
      insert into credential_use
        (organization_id, credential_id, credential_version, operation_id, purpose, actor, used_at)
      select scope.organization_id, use.credential_id, use.version, use.operation_id, use.purpose, use.actor, use.used_at
      from scope cross join unnest($2::uuid[], $3::int[], $4::uuid[], $5::text[], $6::text[], $7::timestamptz[])
        as use (credential_id, version, operation_id, purpose, actor, used_at)`,
    values: [
      scope.organizationId,
      uses.map((use) => use.credentialId),
      uses.map((use) => use.credentialVersion),
      uses.map((use) => use.operationId ?? null),
      uses.map((use) => use.purpose),
      uses.map((use) => use.actor),
      uses.map((use) => new Date(use.usedAt)),
    ],
  });
  if (rowCount !== uses.length) throw new Error('Not every use of a credential could be recorded.');
}
