import { list } from '../core/list.js';
import type { KeyColumn } from '../core/list-statement.js';

const oldest: readonly KeyColumn[] = [
  { column: 's.stopped_at', type: 'timestamptz' },
  { column: 's.target', type: 'text' },
];

/** Emergency stops that are active, and that of an organization which is being removed. */
export const stopList = list({
  from: `(select organization_id, target, reason, stopped_by, stopped_at from emergency_stop
    union all select organization_id, 'organization', null, requested_by::text, closed_at
    from organization_deletion) s`,
  id: 'target',
  fields: {
    target: { sql: 's.target', kind: 'text' },
    reason: { sql: 's.reason', kind: 'text', none: 'absent' },
    stopped_by: { sql: 's.stopped_by', kind: 'text' },
    stopped_at: { sql: 's.stopped_at', kind: 'instant' },
  },
  orders: { oldest, newest: oldest.map((column) => ({ ...column, isDescending: true })) },
});
