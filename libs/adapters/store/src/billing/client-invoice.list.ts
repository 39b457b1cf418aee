import { list } from '../core/list.js';
import { byTime } from '../core/list-statement.js';

/** Invoices and credit notes to clients, drafts among them. */
export const clientInvoiceList = list({
  from: `client_invoice i join client c on c.id = i.client_id
    join legal_entity e on e.organization_id = i.organization_id and e.id = i.entity_id
    left join client_invoice r on r.organization_id = i.organization_id and r.id = i.refers_to
    left join principal p on p.id = i.made_by left join principal a on a.id = i.issued_by`,
  id: 'client_invoice_id',
  fields: {
    client_invoice_id: { sql: 'i.id', kind: 'id' },
    number: { sql: 'i.number', kind: 'text', none: 'absent', describe: 'Absent: it is a draft.' },
    kind: { sql: 'i.kind', kind: ['invoice', 'credit_note'], filter: 'eq' },
    state: {
      sql: `case when i.state = 'draft' then 'draft' when i.settled_on is not null then 'paid'
        when i.paid_micros <> 0 then 'part_paid' else 'issued' end`,
      kind: ['draft', 'issued', 'part_paid', 'paid'],
      filter: 'eq',
    },
    client_id: { sql: 'i.client_id', kind: 'id', filter: 'eq' },
    client: { sql: 'c.name', kind: 'text' },
    entity: { sql: 'e.name', kind: 'text', describe: 'Who bills.' },
    period: { sql: 'i.period', kind: 'text', filter: 'eq' },
    currency: { sql: 'i.currency', kind: 'text' },
    net: { sql: 'i.net_micros', kind: 'micros', describe: 'Amounts of a credit note are negative.' },
    tax: { sql: 'i.tax_micros', kind: 'micros' },
    gross: { sql: 'i.gross_micros', kind: 'micros' },
    open: {
      sql: `case when i.state = 'draft' then 0 else i.gross_micros - i.paid_micros end`,
      kind: 'micros',
      describe: 'Issued and not paid.',
    },
    issued_on: { sql: 'i.issued_on', kind: 'text', none: 'absent' },
    due_on: { sql: 'i.due_on', kind: 'text', none: 'absent' },
    refers_to: { sql: 'r.number', kind: 'text', none: 'absent', describe: 'The invoice that it credits.' },
    reason: { sql: 'i.reason', kind: 'text', none: 'absent' },
    reminders: { sql: 'i.reminders', kind: 'count' },
    reminded_on: { sql: 'i.reminded_on', kind: 'text', none: 'absent' },
    made_by: { sql: 'p.name', kind: 'text', none: 'absent' },
    made_at: { sql: 'i.made_at', kind: 'instant' },
    issued_by: { sql: 'a.name', kind: 'text', none: 'absent' },
    issued_at: { sql: 'i.issued_at', kind: 'instant', none: 'absent' },
  },
  orders: {
    newest: byTime('i.made_at', { column: 'i.id', isDescending: true }),
    oldest: byTime('i.made_at', { column: 'i.id', isDescending: true }, 'oldest'),
  },
  time: 'i.made_at',
  reach: 'organization',
});
