import type { Statement } from '../core/tenant-client.js';
import { uncountedColumns } from './delegation-row.js';

/** A principal's delegations at a seller, without their committed sums. */
export function uncountedDelegations(principalId: string, seller: string): Statement {
  return {
    name: 'delegations_held_uncounted',
    text: `select ${uncountedColumns} from delegation d
           where d.organization_id = scope.organization_id and d.principal_id = $1 and d.seller = $2`,
    values: [principalId, seller],
  };
}
