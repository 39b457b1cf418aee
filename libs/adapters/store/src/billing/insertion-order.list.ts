import { list } from '../core/list.js';
import { byTime } from '../core/list-statement.js';

/** As `orderNumber` writes it, of a row `o`. */
export const orderNumberSql = `'IO-' || lpad(o.serial::text, greatest(5, length(o.serial::text)), '0')`;

/** Versions of insertion orders. One is in reach with its buy. */
export const insertionOrderList = list({
  from: `insertion_order o left join media_buy m on m.id = o.media_buy_id left join client c on c.id = m.client_id
    left join campaign k on k.id = m.campaign_id left join principal p on p.id = o.made_by`,
  id: 'insertion_order_id',
  fields: {
    insertion_order_id: { sql: 'o.id', kind: 'id' },
    number: {
      sql: orderNumberSql,
      kind: 'text',
      describe: 'The same for all versions. Invoices that name it are matched by it.',
    },
    version: { sql: 'o.version', kind: 'count' },
    media_buy_id: { sql: 'o.media_buy_id', kind: 'text', filter: 'eq' },
    seller: { sql: 'o.seller', kind: 'text', filter: 'eq' },
    client: { sql: 'c.name', kind: 'text', none: 'absent' },
    campaign: { sql: 'k.name', kind: 'text', none: 'absent' },
    currency: { sql: `o.document ->> 'currency'`, kind: 'text' },
    total: { sql: `((o.document ->> 'total')::numeric * 1000000)::bigint`, kind: 'micros' },
    changes: {
      sql: 'to_jsonb(o.changes)',
      kind: 'json',
      describe: 'What changed since the version before, a sentence for each.',
    },
    digest: { sql: 'o.digest', kind: 'text', describe: 'SHA-256 of the canonical text (RFC 8785).' },
    made_by: { sql: 'p.name', kind: 'text', none: 'absent' },
    made_at: { sql: 'o.made_at', kind: 'instant' },
  },
  orders: {
    newest: byTime('o.made_at', { column: 'o.id', isDescending: true }),
    oldest: byTime('o.made_at', { column: 'o.id', isDescending: true }, 'oldest'),
  },
  reach: ({ principalId, clientIds, brandDomains, campaignIds }) => [
    `m.principal_id = ?::uuid or m.campaign_id = any(?::uuid[]) or m.brand_domain = any(?::text[])
     or m.client_id = any(?::uuid[])`,
    principalId ?? null,
    campaignIds,
    brandDomains,
    clientIds,
  ],
});
