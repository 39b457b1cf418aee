import { partOf } from '../core/list-of-operations.js';
import { list } from '../core/list.js';
import { byTime } from '../core/list-statement.js';
import { withinReach } from '../core/within-reach.js';
import { committedSum } from './delegation-row.js';

/** What brands allow the relay to forward. A reach of brands shows those of the brands' own agents. */
export const delegationList = list({
  from: `delegation d join principal p on p.id = d.principal_id
    cross join lateral (select d.principal_id, p.brand_domain, null::uuid as client_id, null::uuid as campaign_id) o`,
  id: 'delegation_id',
  fields: {
    delegation_id: { sql: 'd.id', kind: 'id' },
    principal_id: { sql: 'd.principal_id', kind: 'id', filter: 'eq' },
    seller: { sql: 'd.seller', kind: 'text', filter: 'eq' },
    tasks: { sql: 'd.tasks', kind: 'json' },
    state: {
      sql: `case when d.revoked_at <= :now then 'revoked' when d.expires_at <= :now then 'expired' else 'active' end`,
      kind: ['active', 'expired', 'revoked'],
      filter: 'eq',
    },
    granted_at: { sql: 'd.granted_at', kind: 'instant' },
    granted_by: { sql: 'd.granted_by', kind: 'id' },
    until: { sql: 'd.expires_at', kind: 'instant' },
    budget: { sql: 'd.budget_micros', kind: 'micros', none: 'null' },
    currency: { sql: 'd.currency', kind: 'text', none: 'null' },
    committed: {
      sql: `case when d.budget_micros is not null then ${committedSum} end`,
      kind: 'micros',
      none: 'null',
    },
    evidence: { sql: 'd.evidence', kind: 'text', none: 'null' },
    revoked_at: { sql: 'd.revoked_at', kind: 'instant', none: 'null' },
  },
  orders: {
    newest: byTime('d.granted_at', { column: 'd.id', isDescending: false }),
    oldest: byTime('d.granted_at', { column: 'd.id', isDescending: false }, 'oldest'),
  },
  reach: (reach) => partOf(withinReach('o', reach, 1)),
});
