import { partOf } from '../core/list-of-operations.js';
import { list } from '../core/list.js';
import { byCreation } from '../core/list-statement.js';
import { withinReach } from '../core/within-reach.js';

/** The open accounts of all principals. */
export const accountList = list({
  from: `principal_account a join principal p on p.id = a.principal_id
    cross join lateral (
      select a.principal_id, a.brand_domain, null::uuid as campaign_id,
        (select b.client_id from brand b where b.domain = a.brand_domain and b.brand_id = a.brand_id) as client_id) o`,
  id: 'account_id',
  fields: {
    account_id: { sql: 'a.id', kind: 'id' },
    principal_id: { sql: 'a.principal_id', kind: 'id', filter: 'eq' },
    principal: { sql: 'p.name', kind: 'text' },
    brand_domain: { sql: 'a.brand_domain', kind: 'text' },
    brand_id: { sql: 'a.brand_id', kind: 'text', none: 'absent' },
    operator: { sql: 'a.operator', kind: 'text' },
    sandbox: { sql: 'a.is_sandbox', kind: 'flag' },
    status: {
      sql: `coalesce(a.hold, 'active')`,
      kind: ['active', 'payment_required', 'suspended'],
      filter: 'eq',
    },
    reason: { sql: 'a.hold_reason', kind: 'text', none: 'absent' },
    held_at: { sql: 'a.held_at', kind: 'instant', none: 'absent' },
    created_at: { sql: 'a.created_at', kind: 'instant' },
  },
  orders: byCreation('a'),
  filters: {
    brand: {
      kind: 'text',
      describe: 'Domain of a brand.',
      where: (domain) => ['a.brand_domain = ?', domain],
    },
  },
  where: ['a.closed_at is null'],
  reach: (reach) => partOf(withinReach('o', reach, 1)),
});
