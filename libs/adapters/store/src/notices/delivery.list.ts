import { list } from '../core/list.js';
import { byTime } from '../core/list-statement.js';

/** What an endpoint was sent, or is owed. */
export const deliveryList = list({
  from: 'notice_delivery d join notice n on n.organization_id = d.organization_id and n.id = d.notice_id',
  id: 'delivery_id',
  parent: 'd.recipient_id',
  fields: {
    delivery_id: { sql: 'd.id', kind: 'id', describe: 'The webhook-id, and the id of the event.' },
    kind: { sql: 'n.kind', kind: 'text' },
    object: { sql: "jsonb_build_object('kind', n.object_kind, 'id', n.object_id)", kind: 'json' },
    state: { sql: 'd.state', kind: ['waiting', 'sent', 'failed', 'dropped'] },
    attempts: { sql: 'd.attempts', kind: 'count' },
    reason: { sql: 'd.reason', kind: 'text', none: 'absent', describe: 'Why the last attempt failed.' },
    at: { sql: 'd.at', kind: 'instant' },
    ended_at: { sql: 'd.ended_at', kind: 'instant', none: 'absent' },
  },
  orders: { newest: byTime('d.at', { column: 'd.id', isDescending: true }) },
  where: ["d.channel not in ('console', 'mail')"],
  reach: 'organization',
});
