import { list } from '../core/list.js';

/** Days until invoices of a seller are due. */
export const termList = list({
  from: 'payment_term t',
  id: 'seller',
  fields: {
    seller: { sql: 't.seller', kind: 'text' },
    days: { sql: 't.days', kind: 'count' },
    discount: {
      sql: 't.discount_hundredths',
      kind: 'hundredths',
      none: 'absent',
      describe: 'Percent that the seller allows for early payment, two decimals at most.',
    },
    discount_days: {
      sql: 't.discount_days',
      kind: 'count',
      none: 'absent',
      describe: 'Within how many days of the issue.',
    },
  },
  orders: { seller: [{ column: 't.seller', type: 'text' }] },
});
