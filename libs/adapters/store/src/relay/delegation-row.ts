import type { Delegation, DelegationStanding } from '@switchyard/relay';
import type { Statement } from '../core/tenant-client.js';
import type { RowOf } from '../core/row-mapper.js';
import type { delegationModel } from '../generated/models.js';

export type DelegationRow = Omit<RowOf<delegationModel>, 'revoked_by' | 'revoke_reason'> & {
  readonly committed: string;
};

/** A delegation with the sum that requests hold under it. A request and its retries count once, with the largest. */
export const committedSum = committedBut('');
export const standingColumns = columnsWith(committedSum);

/** The same without one commitment, and whether that holds anything under the delegation. */
export function standingColumnsWithout(commitment: string): string {
  return `${columnsWith(committedBut(`and r.commitment_id is distinct from ${commitment}`))},
  exists (select from relay_request r where r.organization_id = d.organization_id and r.delegation_id = d.id
            and r.held_micros is not null and r.commitment_id = ${commitment}) as holds_it`;
}

function committedBut(condition: string): string {
  return `(select coalesce(sum(commitment.held), 0) from (
     select max(r.held_micros) as held from relay_request r
     where r.organization_id = d.organization_id and r.delegation_id = d.id and r.held_micros is not null ${condition}
     group by coalesce(r.commitment_id, r.id)) commitment)`;
}

/** The same if nothing is to be committed: without a sum, so the cost does not grow with the number of requests. */
export const uncountedColumns = columnsWith('0::bigint');

function columnsWith(committed: string): string {
  return `d.id, d.organization_id, d.principal_id, d.seller, d.tasks, d.granted_at, d.expires_at,
  d.budget_micros, d.currency, d.granted_by, d.evidence, d.revoked_at,
  ${committed} as committed`;
}

export function standingOf(row: DelegationRow): DelegationStanding {
  const delegation: Delegation = {
    id: row.id,
    organizationId: row.organization_id,
    principalId: row.principal_id,
    seller: row.seller,
    tasks: row.tasks,
    grantedAt: row.granted_at.getTime(),
    until: row.expires_at.getTime(),
    grantedBy: {
      principalId: row.granted_by,
      ...(row.evidence === null ? {} : { evidence: row.evidence }),
    },
    ...(row.budget_micros === null || row.currency === null
      ? {}
      : { budget: { ceiling: BigInt(row.budget_micros), currency: row.currency } }),
    ...(row.revoked_at === null ? {} : { revokedAt: row.revoked_at.getTime() }),
  };
  return { delegation, committed: BigInt(row.committed) };
}

/** A principal's delegations at a seller, without their committed sums. */
export function uncountedDelegations(principalId: string, seller: string): Statement {
  return {
    name: 'delegations_held_uncounted',
    text: `select ${uncountedColumns} from delegation d
           where d.organization_id = scope.organization_id and d.principal_id = $1 and d.seller = $2`,
    values: [principalId, seller],
  };
}
