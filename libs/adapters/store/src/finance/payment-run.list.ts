import { list } from '../core/list.js';
import { byTime } from '../core/list-statement.js';

/** Proposals of payments. A transfer pays all clients of a seller together, so they need reach on everything. */
export const paymentRunList = list({
  from: `payment_run r left join principal p on p.id = r.proposed_by left join principal a on a.id = r.approved_by`,
  id: 'payment_run_id',
  fields: {
    payment_run_id: { sql: 'r.id', kind: 'id' },
    number: { sql: `'P-' || r.number`, kind: 'text' },
    due_until: { sql: 'r.due_until', kind: 'text' },
    pay_on: { sql: 'r.pay_on', kind: 'text' },
    state: { sql: 'r.state', kind: ['proposed', 'approved', 'exported', 'withdrawn'] },
    transfers: {
      sql: `(select count(*)::int from payment_order o
        where o.organization_id = r.organization_id and o.run_id = r.id)`,
      kind: 'count',
    },
    amounts: {
      sql: `coalesce((
        select jsonb_object_agg(s.currency, trim_scale(s.amount / 1000000)::text order by s.currency)
        from (select o.currency, sum(o.amount_micros) as amount from payment_order o
              where o.organization_id = r.organization_id and o.run_id = r.id group by o.currency) s), '{}')`,
      kind: 'json',
      describe: 'By currency.',
    },
    proposed_by: { sql: 'p.name', kind: 'text', none: 'absent' },
    proposed_at: { sql: 'r.proposed_at', kind: 'instant' },
    approved_by: { sql: 'a.name', kind: 'text', none: 'absent' },
    approved_at: { sql: 'r.approved_at', kind: 'instant', none: 'absent' },
    exported_at: { sql: 'r.exported_at', kind: 'instant', none: 'absent' },
    format: { sql: 'r.format', kind: 'text', none: 'absent' },
  },
  orders: {
    newest: byTime('r.proposed_at', { column: 'r.id', isDescending: true }),
    oldest: byTime('r.proposed_at', { column: 'r.id', isDescending: true }, 'oldest'),
  },
  time: 'r.proposed_at',
  reach: 'organization',
});
