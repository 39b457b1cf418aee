import { list } from '../core/list.js';
import { byCreation } from '../core/list-statement.js';

/** Brands of clients. One is in reach by itself, or by its client or one of its campaigns. */
export const brandList = list({
  from: 'brand b join client c on c.id = b.client_id',
  id: 'brand_id',
  fields: {
    brand_id: {
      sql: 'b.id',
      kind: 'id',
      describe: 'The id of the brand here; requests name a brand by domain and wire_brand_id.',
    },
    client_id: { sql: 'b.client_id', kind: 'id', filter: 'eq' },
    client: { sql: 'c.name', kind: 'text' },
    domain: { sql: 'b.domain', kind: 'text', filter: 'eq' },
    wire_brand_id: {
      sql: 'b.brand_id',
      kind: 'text',
      none: 'null',
      describe: 'The brand_id that requests use; null if the domain has only one brand.',
    },
    name: { sql: 'b.name', kind: 'text' },
    created_at: { sql: 'b.created_at', kind: 'instant' },
    updated_at: { sql: 'b.updated_at', kind: 'instant' },
  },
  orders: {
    domain: [
      { column: 'b.domain', type: 'text' },
      { column: 'b.brand_id', type: 'text' },
    ],
    ...byCreation('b'),
  },
  reach: ({ clientIds, brandDomains, campaignIds }) => [
    `b.client_id = any(?::uuid[]) or b.domain = any(?::text[])
     or exists (select 1 from campaign m
                where m.id = any(?::uuid[]) and m.brand_domain = b.domain and m.brand_id in ('', b.brand_id))`,
    clientIds,
    brandDomains,
    campaignIds,
  ],
});
