import { list } from '../core/list.js';
import { byTime } from '../core/list-statement.js';

/** What was agreed with sellers about how they bill. */
export const agreementList = list({
  from: 'agreement a left join principal p on p.id = a.set_by',
  id: 'agreement_id',
  fields: {
    agreement_id: { sql: 'a.id', kind: 'id' },
    seller: { sql: 'a.seller', kind: 'text', filter: 'eq' },
    media_buy_id: {
      sql: 'a.media_buy_id',
      kind: 'text',
      none: 'absent',
      describe: 'Absent: of every buy at the seller.',
    },
    insertion_order: { sql: 'a.insertion_order', kind: 'text', none: 'absent' },
    commission: {
      sql: 'a.commission_hundredths',
      kind: 'hundredths',
      none: 'absent',
      describe: 'Of the agency, in percent.',
    },
    bills: {
      sql: 'a.bills',
      kind: ['gross', 'net'],
      none: 'absent',
      describe: 'With the commission, or without.',
    },
    capped: {
      sql: 'a.is_capped',
      kind: 'flag',
      none: 'absent',
      describe: 'Nothing above the order is owed.',
    },
    fees: {
      sql: 'a.fee_hundredths',
      kind: 'hundredths',
      none: 'absent',
      describe: 'Up to this percentage of the media of a document.',
    },
    counted_by: {
      sql: 'a.counted_by',
      kind: ['seller', 'third_party'],
      none: 'absent',
      describe: 'Whose count is owed; absent: as the terms of the package say.',
    },
    variance: {
      sql: 'a.variance_hundredths',
      kind: 'hundredths',
      none: 'absent',
      describe: 'How far two counts may differ, in percent.',
    },
    first_month: { sql: 'a.first_month', kind: 'text', describe: 'First month that it holds.' },
    last_month: { sql: 'a.last_month', kind: 'text', none: 'absent', describe: 'Last month that it holds.' },
    reason: { sql: 'a.reason', kind: 'text', none: 'absent' },
    set_by: { sql: 'p.name', kind: 'text', none: 'absent' },
    set_at: { sql: 'a.set_at', kind: 'instant' },
  },
  orders: {
    newest: byTime('a.set_at', { column: 'a.id', isDescending: false }),
    oldest: byTime('a.set_at', { column: 'a.id', isDescending: false }, 'oldest'),
  },
  reach: 'organization',
});
