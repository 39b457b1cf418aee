import { list } from '../core/list.js';
import { byTime } from '../core/list-statement.js';

/** Cases. An invoice bills all clients of a seller together, so they need reach on everything. */
export const disputeList = list({
  from: `dispute d join invoice i on i.id = d.invoice_id
    left join principal p on p.id = d.opened_by`,
  id: 'dispute_id',
  fields: {
    dispute_id: { sql: 'd.id', kind: 'id' },
    number: { sql: `'D-' || d.number`, kind: 'text', describe: 'Named in the letter and in every command.' },
    seller: { sql: 'd.seller', kind: 'text', filter: 'eq' },
    invoice_id: { sql: 'd.invoice_id', kind: 'id', filter: 'eq' },
    invoice: { sql: 'i.number', kind: 'text', describe: 'The number of the invoice.' },
    period: { sql: 'd.period', kind: 'text', filter: 'eq' },
    break_id: {
      sql: 'd.break_id',
      kind: 'id',
      none: 'absent',
      describe: 'The difference that it is about; absent where a person has named an amount.',
    },
    lines: { sql: 'to_jsonb(d.lines)', kind: 'json', describe: 'Lines of the invoice.' },
    currency: { sql: 'd.currency', kind: 'text' },
    amount: { sql: 'd.amount_micros', kind: 'micros' },
    held: {
      sql: `(select coalesce(sum(h.amount_micros), 0) from invoice_hold h
        where h.organization_id = d.organization_id and h.fingerprint = d.hold_key)`,
      kind: 'micros',
      describe: 'What is not paid of the invoice because of it.',
    },
    reason: { sql: 'd.reason', kind: 'text' },
    due_on: { sql: 'd.due_on', kind: 'text', describe: 'The seller is asked to answer by this day.' },
    state: { sql: 'd.state', kind: ['open', 'closed'], filter: 'eq' },
    outcome: {
      sql: 'd.outcome',
      kind: ['credited', 'accepted', 'partly', 'withdrawn'],
      none: 'absent',
    },
    credited: { sql: 'd.credited_micros', kind: 'micros', none: 'absent' },
    credit_id: { sql: 'd.credit_id', kind: 'id', none: 'absent', describe: 'The credit note for it.' },
    closing_note: { sql: 'd.closing_note', kind: 'text', none: 'absent' },
    opened_by: { sql: 'p.name', kind: 'text', none: 'absent' },
    opened_at: { sql: 'd.opened_at', kind: 'instant' },
    closed_at: { sql: 'd.closed_at', kind: 'instant', none: 'absent' },
  },
  orders: {
    newest: byTime('d.opened_at', { column: 'd.id', isDescending: true }),
    oldest: byTime('d.opened_at', { column: 'd.id', isDescending: true }, 'oldest'),
  },
  time: 'd.opened_at',
  reach: 'organization',
});
