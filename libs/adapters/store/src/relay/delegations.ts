import type { DelegationStore } from '@switchyard/relay';
import type { Store } from '../core/open-store.js';
import { standingColumns, standingOf, type DelegationRow } from './delegation-row.js';

/** Delegations in PostgreSQL: granted, read with their committed sums, and revoked once. */
export function delegations(store: Store): DelegationStore {
  return {
    grant: (scope, delegation) =>
      store.inTenantModels(scope, async (models) => {
        await models.delegation.create({
          data: {
            organization_id: scope.organizationId,
            id: delegation.id,
            principal_id: delegation.principalId,
            seller: delegation.seller,
            tasks: [...delegation.tasks],
            granted_at: new Date(delegation.grantedAt),
            expires_at: new Date(delegation.until),
            budget_micros: delegation.budget?.ceiling ?? null,
            currency: delegation.budget?.currency ?? null,
            granted_by: delegation.grantedBy.principalId,
            evidence: delegation.grantedBy.evidence ?? null,
          },
        });
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
      store.inTenantModels(scope, async (models) => {
        const { count } = await models.delegation.updateMany({
          where: { id, revoked_at: null },
          data: { revoked_at: new Date(at), revoked_by: by, revoke_reason: reason ?? null },
        });
        return count === 1;
      }),
  };
}
