import type { DelegationFilter, DelegationStore } from '@switchyard/relay';
import { isoOf } from '@switchyard/values';
import { partOf } from '../core/list-of-operations.js';
import { byTime, given, listStatement, type Part } from '../core/list-statement.js';
import type { Store } from '../core/open-store.js';
import { withinReach } from '../core/within-reach.js';
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
    list: (scope, { principalId, seller, state, reach = everything, sort, ...page }) =>
      store.inTenant(scope, async (client) => {
        const shown = {
          columns: standingColumns,
          from: `delegation d join principal p on p.id = d.principal_id
            cross join lateral (select d.principal_id, p.brand_domain, null::uuid as client_id, null::uuid as campaign_id) o`,
          where: [
            partOf(withinReach('o', reach, 1)),
            given('d.principal_id = ?', principalId),
            given('d.seller = ?', seller),
            state === undefined ? undefined : standing(state),
          ],
          order: byTime('d.granted_at', { column: 'd.id', isDescending: false }, sort),
        };
        const statement = listStatement(shown, { limit: most, ...page });
        return (await client.query<DelegationRow>(statement)).rows.map(standingOf);
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

const everything = { kind: 'everything' } as const;
/** Rows of a list without a limit. The number of delegations grows with people and sellers, not with buys. */
const most = 100_000;

function standing({ is, now }: NonNullable<DelegationFilter['state']>): Part {
  const at = new Date(now);
  if (is === 'revoked') return ['d.revoked_at <= ?', at];
  const isPast = is === 'expired' ? 'd.expires_at <= ?' : 'd.expires_at > ?';
  return [`(d.revoked_at is null or d.revoked_at > ?) and ${isPast}`, at, at];
}
