import { daysOfPeriod, type OpenInvoice, type MarginParts } from '@switchyard/ledger';
import type { TenantScope } from '@switchyard/tenancy';
import type { Store } from '../core/open-store.js';
import { present } from '../core/present.js';
import type { TenantClient } from '../core/tenant-client.js';

/** What a client or a campaign brought in a month, in micros of one currency; costs are positive. */
export interface MarginRow extends MarginParts {
  /** UUID; absent for what no buy of a client is named for. */
  readonly clientId?: string;
  readonly client?: string;
  readonly campaignId?: string;
  readonly campaign?: string;
  readonly currency: string;
}

export interface MarginQuestion {
  readonly period: string;
  readonly by: 'client' | 'campaign';
  /** UUID. */
  readonly clientId?: string;
}

/** Margins of clients, and what they owe. */
export function clientReports(store: Store) {
  return {
    margins: (scope: TenantScope, question: MarginQuestion): Promise<readonly MarginRow[]> =>
      store.inTenant(scope, (client) => readMargins(client, question)),
    /** Issued documents with an open amount; what is open of a credit note is negative. */
    open: (scope: TenantScope): Promise<readonly OpenInvoice[]> => store.inTenant(scope, readOpen),
  };
}

export type ClientReports = ReturnType<typeof clientReports>;

const parts = ['media', 'markup', 'fee', 'commission', 'spend', 'seller_fee', 'difference'] as const;

async function readMargins(
  client: TenantClient,
  { period, by, clientId }: MarginQuestion,
): Promise<readonly MarginRow[]> {
  const { from, to } = daysOfPeriod(period);
  const sums = parts.map(
    (part) => `coalesce(sum(x.amount) filter (where x.part = '${part}'), 0)::text as ${part}`,
  );
  const { rows } = await client.query<
    Record<(typeof parts)[number], string> & {
      client_id: string | null;
      client: string | null;
      campaign_id: string | null;
      campaign: string | null;
      currency: string;
    }
  >(
    `with parts (client_id, campaign_id, currency, part, amount) as (
       select i.client_id, l.campaign_id, i.currency, l.type, l.net_micros
       from client_invoice i join client_invoice_line l on l.organization_id = i.organization_id and l.invoice_id = i.id
       where i.organization_id = $1 and i.period = $2 and i.state = 'issued'
       union all
       select m.client_id, m.campaign_id, s.currency, 'spend', s.amount_micros
       from package_spend s join media_buy m on m.id = s.media_buy_id where s.organization_id = $1 and s.month = $2
       union all
       select m.client_id, m.campaign_id, i.currency, case l.type when 'fee' then 'seller_fee' else 'commission' end,
         case l.type when 'fee' then l.amount_micros else -l.amount_micros end
       from invoice i join invoice_line l on l.organization_id = i.organization_id and l.invoice_id = i.id
         and l.type in ('fee', 'commission')
       left join lateral (
         select b.media_buy_id from seller_buy b where b.organization_id = i.organization_id
           and b.seller_media_buy_id = l.seller_media_buy_id and b.connection_id = i.connection_id limit 1) b on true
       left join media_buy m on m.id = b.media_buy_id
       where i.organization_id = $1 and i.period = $2 and i.voided_at is null
       union all
       select b.client_id, b.campaign_id, p.currency, 'difference', p.amount_micros
       from ledger_posting p join ledger_entry e on e.id = p.entry_id and e.kind = 'adjustment'
       left join reconciliation_break b on b.organization_id = p.organization_id and b.entry_id = p.entry_id
       where p.organization_id = $1 and p.day >= $3 and p.day < $4 and p.account in ('invoice_difference', 'write_off')
     )
     select x.client_id, c.name as client, x.campaign_id, k.name as campaign, x.currency, ${sums.join(', ')}
     from (select client_id, case when $6::boolean then campaign_id end as campaign_id, currency, part, amount from parts
           where $5::uuid is null or client_id = $5) x
     left join client c on c.id = x.client_id left join campaign k on k.id = x.campaign_id
     group by x.client_id, c.name, x.campaign_id, k.name, x.currency
     order by c.name, x.client_id, k.name, x.campaign_id, x.currency limit 10000`,
    [client.organizationId, period, from, to, clientId ?? null, by === 'campaign'],
  );
  return rows.map((row) => ({
    ...present({
      clientId: row.client_id,
      client: row.client,
      campaignId: row.campaign_id,
      campaign: row.campaign,
    }),
    currency: row.currency,
    billedMediaMicros: BigInt(row.media),
    markupMicros: BigInt(row.markup),
    feesMicros: BigInt(row.fee),
    commissionMicros: BigInt(row.commission),
    mediaSpendMicros: BigInt(row.spend),
    sellerFeesMicros: BigInt(row.seller_fee),
    differencesMicros: BigInt(row.difference),
  }));
}

async function readOpen(client: TenantClient): Promise<readonly OpenInvoice[]> {
  const { rows } = await client.query<{
    id: string;
    client_id: string;
    client: string;
    currency: string;
    due_on: string;
    open: string;
  }>(
    `select i.id, i.client_id, c.name as client, i.currency, i.due_on, (i.gross_micros - i.paid_micros)::text as open
     from client_invoice i join client c on c.id = i.client_id
     where i.organization_id = $1 and i.due_on is not null and i.settled_on is null order by i.due_on, i.id limit 50000`,
    [client.organizationId],
  );
  return rows.map(({ client_id: clientId, due_on: dueOn, open, ...row }) => ({
    ...{ ...row, clientId, dueOn, seller: '', openMicros: BigInt(open) },
  }));
}

/** The name of a client, or of a campaign with its client; empty for an unknown one. */
export async function clientNames(
  store: Store,
  scope: TenantScope,
  { kind, id }: { readonly kind: 'client' | 'campaign'; readonly id: string },
): Promise<string> {
  return store.inTenant(scope, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      kind === 'client'
        ? 'select name from client where organization_id = $1 and id = $2'
        : `select c.name || ', ' || k.name as name from campaign k join client c on c.id = k.client_id
           where k.organization_id = $1 and k.id = $2`,
      [client.organizationId, id],
    );
    return rows[0]?.name ?? '';
  });
}
