import { list } from '../core/list.js';
import { byCreation } from '../core/list-statement.js';

/** Clients. One is in reach by itself, or by one of its brands or campaigns. */
export const clientList = list({
  from: 'client c',
  id: 'client_id',
  fields: {
    client_id: { sql: 'c.id', kind: 'id' },
    name: { sql: 'c.name', kind: 'text' },
    status: { sql: 'c.status', kind: ['active', 'archived'], filter: 'eq' },
    codes: { sql: 'c.codes', kind: 'json' },
    sellers: {
      sql: 'case when c.limits_sellers then c.sellers end',
      kind: 'json',
      none: 'null',
      describe: 'The sellers that are allowed for it; null: all.',
    },
    created_at: { sql: 'c.created_at', kind: 'instant' },
    updated_at: { sql: 'c.updated_at', kind: 'instant' },
  },
  orders: { name: [{ column: 'c.name', type: 'text' }], ...byCreation('c') },
  reach: ({ clientIds, brandDomains, campaignIds }) => [
    `c.id = any(?::uuid[])
     or c.id in (select b.client_id from brand b where b.domain = any(?::text[]))
     or c.id in (select m.client_id from campaign m where m.id = any(?::uuid[]))`,
    clientIds,
    brandDomains,
    campaignIds,
  ],
});
