import { list } from '../core/list.js';
import { byTime } from '../core/list-statement.js';

/** What needs a person's attention. */
export const alarmList = list({
  from: 'alarm a',
  id: 'alarm_id',
  fields: {
    alarm_id: { sql: 'a.id', kind: 'id' },
    kind: { sql: 'a.kind', kind: 'text', filter: 'eq' },
    subject: { sql: 'a.subject', kind: 'text' },
    detail: { sql: 'a.detail', kind: 'json' },
    first_at: { sql: 'a.first_at', kind: 'instant' },
    last_at: { sql: 'a.last_at', kind: 'instant' },
    count: { sql: 'a.count', kind: 'count' },
    acknowledged_at: { sql: 'a.acknowledged_at', kind: 'instant', none: 'absent' },
    acknowledged_by: { sql: 'a.acknowledged_by', kind: 'text', none: 'absent' },
    reason: { sql: 'a.reason', kind: 'text', none: 'absent' },
  },
  orders: {
    newest: byTime('a.last_at', { column: 'a.id', isDescending: false }),
    oldest: byTime('a.last_at', { column: 'a.id', isDescending: false }, 'oldest'),
  },
  filters: {
    state: {
      kind: ['open', 'acknowledged'],
      where: (state) => [`a.acknowledged_at is ${state === 'open' ? '' : 'not '}null`],
    },
  },
  time: 'a.last_at',
  reach: 'organization',
});
