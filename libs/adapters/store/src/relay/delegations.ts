import type { DelegationStore } from '@switchyard/relay';
import { isoOf } from '@switchyard/values';
import type { Store } from '../core/open-store.js';
import { standingColumns, standingOf, type DelegationRow } from './delegation-row.js';

/** Delegations in PostgreSQL: granted, read with their committed sums, and revoked once. */
export function delegations(store: Store): DelegationStore {
  return {
    grant: (scope, delegation) =>
      store.inTenant(scope, async (client) => {
        await client.query(
          `insert into delegation (organization_id, id, principal_id, seller, tasks, granted_at, expires_at,
                                   budget_micros, currency, granted_by, evidence)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
          [
            scope.organizationId,
            delegation.id,
            delegation.principalId,
            delegation.seller,
            delegation.tasks,
            isoOf(delegation.grantedAt),
            isoOf(delegation.until),
            delegation.budget?.ceiling.toString() ?? null,
            delegation.budget?.currency ?? null,
            delegation.grantedBy.principalId,
            delegation.grantedBy.evidence ?? null,
          ],
        );
      }),
    list: (scope, { principalId }) =>
      store.inTenant(scope, async (client) => {
        const { rows } = await client.query<DelegationRow>(
          `select ${standingColumns} from delegation d
           where d.organization_id = $1 and ($2::uuid is null or d.principal_id = $2) order by d.granted_at desc, d.id`,
          [scope.organizationId, principalId ?? null],
        );
        return rows.map(standingOf);
      }),
    find: (scope, id) =>
      store.inTenant(scope, async (client) => {
        const { rows } = await client.query<DelegationRow>(
          `select ${standingColumns} from delegation d where d.organization_id = $1 and d.id = $2`,
          [scope.organizationId, id],
        );
        return rows[0] === undefined ? undefined : standingOf(rows[0]);
      }),
    revoke: (scope, id, { by, reason, at }) =>
      store.inTenant(scope, async (client) => {
        const { rowCount } = await client.query(
          `update delegation set revoked_at = $3, revoked_by = $4, revoke_reason = $5
           where organization_id = $1 and id = $2 and revoked_at is null`,
          [scope.organizationId, id, isoOf(at), by, reason ?? null],
        );
        return rowCount === 1;
      }),
  };
}
