import { list } from '../core/list.js';
import { byCreation } from '../core/list-statement.js';

/** Where an organization is told. */
export const endpointList = list({
  from: 'notice_endpoint e',
  id: 'endpoint_id',
  fields: {
    endpoint_id: { sql: 'e.id', kind: 'id' },
    name: { sql: 'e.name', kind: 'text' },
    channel: {
      sql: 'e.channel',
      kind: 'text',
      filter: 'eq',
      describe: 'webhook, slack, teams, pagerduty, or that of a connector.',
    },
    origin: { sql: 'e.origin', kind: 'text', describe: 'Of its address; the rest is secret.' },
    kinds: { sql: 'to_jsonb(e.kinds)', kind: 'json' },
    state: {
      sql: 'e.state',
      kind: ['active', 'paused', 'off'],
      filter: 'eq',
      describe: 'paused keeps what waits for it; off: it failed for days.',
    },
    failing_since: { sql: 'e.failing_since', kind: 'instant', none: 'absent' },
    last_sent_at: { sql: 'e.last_sent_at', kind: 'instant', none: 'absent' },
    created_at: { sql: 'e.created_at', kind: 'instant' },
  },
  orders: byCreation('e'),
  reach: 'organization',
});
