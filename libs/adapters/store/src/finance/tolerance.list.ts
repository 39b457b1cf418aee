import { list } from '../core/list.js';
import { byTime } from '../core/list-statement.js';

/** How much an invoice may differ. A limited reach is shown the tolerances of its clients, and those without a client. */
export const toleranceList = list({
  from: `tolerance t
    left join client c on c.id::text = t.client and t.client <> ''
    left join principal p on p.id = t.set_by`,
  id: 'tolerance_id',
  fields: {
    tolerance_id: { sql: 't.id', kind: 'id' },
    seller: { sql: 't.seller', kind: 'text', none: 'absent', describe: 'Absent: of every seller.' },
    client_id: { sql: 't.client', kind: 'id', none: 'absent', describe: 'Absent: of every client.' },
    client: { sql: 'c.name', kind: 'text', none: 'absent' },
    absolute: {
      sql: 't.absolute_micros',
      kind: 'micros',
      describe: 'In units of whatever currency is compared.',
    },
    percent: { sql: 't.percent_hundredths', kind: 'hundredths', describe: 'Of what was delivered.' },
    set_by: { sql: 'p.name', kind: 'text', none: 'absent' },
    set_at: { sql: 't.set_at', kind: 'instant' },
  },
  orders: {
    newest: byTime('t.set_at', { column: 't.id', isDescending: false }),
    oldest: byTime('t.set_at', { column: 't.id', isDescending: false }, 'oldest'),
  },
  reach: ({ clientIds }) => [`t.client = '' or t.client = any(?::text[])`, clientIds],
});
