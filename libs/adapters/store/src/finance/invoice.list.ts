import { usualTermDays } from '@switchyard/ledger';
import { list } from '../core/list.js';
import { byTime } from '../core/list-statement.js';

/** Documents of sellers. Each bills all clients of a seller together, so a limited reach is shown none. */
export const invoiceList = list({
  from: 'invoice i',
  id: 'invoice_id',
  fields: {
    invoice_id: { sql: 'i.id', kind: 'id' },
    seller: { sql: 'i.seller', kind: 'text', filter: 'eq' },
    number: { sql: 'i.number', kind: 'text' },
    kind: { sql: 'i.kind', kind: ['invoice', 'credit_note'] },
    state: {
      sql: `case when i.voided_at is not null then 'voided' when i.held_at is not null then 'held'
        when i.settled_on is not null then 'paid' when i.paid_micros <> 0 then 'part_paid'
        when i.approved_at is null then 'imported' else 'approved' end`,
      kind: ['imported', 'approved', 'held', 'part_paid', 'paid', 'voided'],
      describe: 'part_paid and paid count credit notes that were applied. A held one is not paid.',
    },
    period: { sql: 'i.period', kind: 'text', filter: 'eq' },
    service_from: {
      sql: 'i.service_from',
      kind: 'text',
      none: 'absent',
      describe: 'First day that it bills.',
    },
    service_to: { sql: 'i.service_to', kind: 'text', none: 'absent' },
    issued_on: { sql: 'i.issued_on', kind: 'text' },
    currency: { sql: 'i.currency', kind: 'text' },
    net: { sql: 'i.net_micros', kind: 'micros', none: 'absent' },
    tax: { sql: 'i.tax_micros', kind: 'micros', none: 'absent' },
    total: { sql: 'i.total_micros', kind: 'micros', describe: 'With tax; negative for a credit note.' },
    refers_to: {
      sql: 'i.refers_to',
      kind: 'text',
      none: 'absent',
      describe: 'The number of the invoice that it corrects.',
    },
    hold_reason: { sql: 'i.hold_reason', kind: 'text', none: 'absent' },
    void_reason: { sql: 'i.void_reason', kind: 'text', none: 'absent' },
    file: { sql: 'i.file_name', kind: 'text' },
    original_sha256: { sql: 'i.original_hash', kind: 'text' },
    imported_at: { sql: 'i.imported_at', kind: 'instant' },
    due_on: {
      sql: `coalesce(i.due_on, to_char(i.issued_on::date + ${usualTermDays}, 'YYYY-MM-DD'))`,
      kind: 'text',
    },
    paid: { sql: 'i.paid_micros', kind: 'micros', describe: 'What is paid of the total.' },
    settled_on: {
      sql: 'i.settled_on',
      kind: 'text',
      none: 'absent',
      describe: 'Day of the payment that settled it.',
    },
  },
  orders: {
    newest: byTime('i.imported_at', { column: 'i.id', isDescending: true }),
    oldest: byTime('i.imported_at', { column: 'i.id', isDescending: true }, 'oldest'),
  },
  reach: () => ['false'],
});
