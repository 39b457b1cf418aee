import { list } from '../core/list.js';
import { byCreation } from '../core/list-statement.js';

/** Notes of people about campaigns. One is in reach by its campaign, or that one's brand or client. */
export const noteList = list({
  from: 'campaign_note n join campaign m on m.id = n.campaign_id left join principal w on w.id = n.written_by',
  id: 'note_id',
  fields: {
    note_id: { sql: 'n.id', kind: 'id' },
    campaign_id: { sql: 'n.campaign_id', kind: 'id', filter: 'eq' },
    campaign: { sql: 'm.name', kind: 'text' },
    text: { sql: 'n.text', kind: 'text' },
    written_by: { sql: 'w.name', kind: 'text', none: 'null' },
    written_by_id: { sql: 'n.written_by', kind: 'id' },
    created_at: { sql: 'n.created_at', kind: 'instant' },
    changed_at: {
      sql: 'n.changed_at',
      kind: 'instant',
      none: 'null',
      describe: 'Of the last change of its text; null if there was none.',
    },
  },
  orders: byCreation('n'),
  reach: ({ clientIds, brandDomains, campaignIds }) => [
    `n.campaign_id = any(?::uuid[]) or m.brand_domain = any(?::text[]) or m.client_id = any(?::uuid[])`,
    campaignIds,
    brandDomains,
    clientIds,
  ],
});
