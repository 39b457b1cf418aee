import { list } from '../core/list.js';
import type { KeyColumn } from '../core/list-statement.js';

const newest: readonly KeyColumn[] = [
  { column: 'r.date', type: 'text', isDescending: true },
  { column: 'r.from_currency', type: 'text' },
  { column: 'r.to_currency', type: 'text' },
];

/** Exchange rates, each the price of one unit of `from` in `to`, from its date until a newer one. */
export const rateList = list({
  from: 'exchange_rate r',
  fields: {
    from: { sql: 'r.from_currency', kind: 'text' },
    to: { sql: 'r.to_currency', kind: 'text' },
    rate: { sql: 'r.rate', kind: 'text', describe: 'Decimal text, exactly as entered.' },
    date: { sql: 'r.date', kind: 'text' },
    source: { sql: 'r.source', kind: 'text' },
  },
  orders: {
    newest,
    oldest: newest.map((column) => ({ ...column, isDescending: column.isDescending !== true })),
  },
});
