import { list } from '../core/list.js';
import { byCreation } from '../core/list-statement.js';

/** Plans: lines that are not bought yet. One is in reach by who made it, its campaign, its brand or that one's client. */
export const planList = list({
  from: `buy_plan p left join campaign m on m.id = p.campaign_id left join client c on c.id = m.client_id
    left join principal w on w.id = p.made_by left join principal l on l.id = p.changed_by`,
  id: 'plan_id',
  fields: {
    plan_id: { sql: 'p.id', kind: 'id' },
    name: { sql: 'p.name', kind: 'text' },
    state: {
      sql: "case when p.media_buy_id is null then 'draft' else 'bought' end",
      kind: ['draft', 'bought'],
      filter: 'eq',
    },
    brand: { sql: 'p.brand_domain', kind: 'text', none: 'null', describe: 'Its domain.' },
    campaign_id: { sql: 'p.campaign_id', kind: 'id', none: 'null', filter: 'eq' },
    campaign: { sql: 'm.name', kind: 'text', none: 'null' },
    client: { sql: 'c.name', kind: 'text', none: 'null' },
    totals: { sql: 'p.totals', kind: 'json' },
    sellers: { sql: 'to_jsonb(p.sellers)', kind: 'json' },
    lines: { sql: 'p.lines', kind: 'count' },
    shared: { sql: 'p.shared', kind: 'flag', describe: 'Whether others whose reach it is in see it.' },
    version: { sql: 'p.version', kind: 'count' },
    refused_in: {
      sql: 'p.refused_in',
      kind: 'text',
      none: 'null',
      describe: 'The buy whose refused parts it places elsewhere.',
    },
    media_buy_id: { sql: 'p.media_buy_id', kind: 'text', none: 'null', describe: 'The buy that it became.' },
    made_by: { sql: 'w.name', kind: 'text', none: 'null' },
    made_by_id: { sql: 'p.made_by', kind: 'id', filter: 'eq' },
    changed_by: { sql: 'l.name', kind: 'text', none: 'null' },
    created_at: { sql: 'p.created_at', kind: 'instant' },
    updated_at: { sql: 'p.updated_at', kind: 'instant' },
  },
  orders: byCreation('p'),
  reach: ({ principalId, clientIds, brandDomains, campaignIds }) => [
    `p.made_by = ?::uuid or p.campaign_id = any(?::uuid[]) or p.brand_domain = any(?::text[])
     or p.brand_domain in (select b.domain from brand b where b.client_id = any(?::uuid[]))`,
    principalId ?? null,
    campaignIds,
    brandDomains,
    clientIds,
  ],
  shownTo: (principalId) => ['p.shared or p.made_by = ?::uuid', principalId],
});
