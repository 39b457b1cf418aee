import {
  billedKey,
  daysOfPeriod,
  type BilledCampaign,
  type BilledSum,
  type ClientFigure,
  type PackageFigures,
  type TaxCategory,
} from '@switchyard/ledger';
import { present } from '../core/present.js';
import type { TenantClient } from '../core/tenant-client.js';
import type { media_buyModel } from '../generated/models.js';

/** Thrown where a bill would be computed of a part of its figures only: no amount is ever silently too small. */
export class TooMuchToBill extends Error {
  constructor() {
    super('There are more figures than one bill is computed of.');
  }
}

const atMost = 50_000;

/** The rows of a statement that reads one row more than 50,000. Throws `TooMuchToBill` where that was reached. */
export function complete<Found>(rows: readonly Found[]): readonly Found[] {
  if (rows.length > atMost) throw new TooMuchToBill();
  return rows;
}

/** A client in a month. */
export interface ClientMonth {
  /** UUID. */
  readonly clientId: string;
  /** `YYYY-MM`. */
  readonly period: string;
}

/** The media buys of a client that have spent in a month. */
export async function buysOfMonth(
  client: TenantClient,
  { clientId, period }: ClientMonth,
): Promise<readonly string[]> {
  const { rows } = await client.query<{ id: string }>(
    `select m.id from media_buy m where m.organization_id = $1 and m.client_id = $2 and exists (
       select from package_spend s where s.organization_id = $1 and s.media_buy_id = m.id and s.month = $3)
     order by m.id limit 50001`,
    [client.organizationId, clientId, period],
  );
  return complete(rows).map(({ id }) => id);
}

interface Counted {
  readonly impressions: bigint;
  readonly thirdPartyMicros: bigint;
}

/** What a client's campaigns have at each seller in a month. `packages`: of its buys, where impressions or third parties count. */
export async function readClientFigures(
  client: TenantClient,
  month: ClientMonth,
  packages: readonly PackageFigures[],
): Promise<readonly ClientFigure[]> {
  const [delivered, invoiced, campaignOf] = await Promise.all([
    readDelivered(client, month),
    readInvoiced(client, month),
    campaignsOfBuys(client, month.clientId, packages),
  ]);
  const counted = new Map<string, Counted>();
  for (const one of packages) {
    const { seller, currency } = one;
    const key = keyOf({ campaign_id: campaignOf.get(one.mediaBuyId) ?? null, seller, currency });
    const known = counted.get(key) ?? { impressions: 0n, thirdPartyMicros: 0n };
    counted.set(key, {
      impressions: known.impressions + (one.units ?? 0n),
      thirdPartyMicros: known.thirdPartyMicros + (one.thirdPartyMicros ?? one.countedMicros),
    });
  }
  const figures = new Map<string, ClientFigure>();
  for (const { campaign_id: campaignId, seller, currency, amount, kind } of [
    ...delivered.map((row) => ({ ...row, kind: 'delivered' })),
    ...invoiced.map((row) => ({ ...row, kind: 'invoiced' })),
  ]) {
    const key = keyOf({ campaign_id: campaignId, seller, currency });
    const known = figures.get(key);
    const isDelivered = kind === 'delivered';
    const deliveredMicros = isDelivered ? BigInt(amount) : (known?.deliveredMicros ?? 0n);
    figures.set(key, {
      ...{ seller, currency, ...present({ campaignId }), deliveredMicros },
      invoicedMicros: isDelivered ? 0n : BigInt(amount),
      thirdPartyMicros: counted.get(key)?.thirdPartyMicros ?? deliveredMicros,
      impressions: counted.get(key)?.impressions ?? 0n,
    });
  }
  return [...figures.values()];
}

interface SumRow {
  readonly campaign_id: string | null;
  readonly seller: string;
  readonly currency: string;
  readonly amount: string;
}

const keyOf = ({ campaign_id: id, seller, currency }: Pick<SumRow, 'campaign_id' | 'seller' | 'currency'>) =>
  JSON.stringify([id, seller, currency]);

async function readDelivered(
  client: TenantClient,
  { clientId, period }: ClientMonth,
): Promise<readonly SumRow[]> {
  const { rows } = await client.query<SumRow>(
    `select m.campaign_id, s.seller, s.currency, sum(s.amount_micros)::text as amount
     from media_buy m join package_spend s on s.organization_id = m.organization_id and s.media_buy_id = m.id and s.month = $3
     where m.organization_id = $1 and m.client_id = $2
     group by m.campaign_id, s.seller, s.currency order by m.campaign_id, s.seller, s.currency limit 50001`,
    [client.organizationId, clientId, period],
  );
  return complete(rows);
}

/** Media that sellers have billed by naming a buy. */
async function readInvoiced(
  client: TenantClient,
  { clientId, period }: ClientMonth,
): Promise<readonly SumRow[]> {
  const { rows } = await client.query<SumRow>(
    `select m.campaign_id, i.seller, i.currency, sum(l.amount_micros)::text as amount
     from media_buy m
     join seller_buy b on b.organization_id = m.organization_id and b.media_buy_id = m.id and b.seller_media_buy_id is not null
     join invoice_line l on l.organization_id = m.organization_id and l.seller_media_buy_id = b.seller_media_buy_id
     join invoice i on i.id = l.invoice_id and i.connection_id = b.connection_id and i.period = $3 and i.voided_at is null
     where m.organization_id = $1 and m.client_id = $2 and coalesce(l.type, 'media') in ('media', 'credit', 'open')
     group by m.campaign_id, i.seller, i.currency order by m.campaign_id, i.seller, i.currency limit 50001`,
    [client.organizationId, clientId, period],
  );
  return complete(rows);
}

/** The ids are one parameter: a month may have more buys than a statement may have parameters. */
async function campaignsOfBuys(
  client: TenantClient,
  clientId: string,
  packages: readonly PackageFigures[],
): Promise<ReadonlyMap<string, string | null>> {
  if (packages.length === 0) return new Map();
  const { rows } = await client.query<Pick<media_buyModel, 'id' | 'campaign_id'>>(
    'select id, campaign_id from media_buy where organization_id = $1 and client_id = $2 and id = any($3)',
    [client.organizationId, clientId, [...new Set(packages.map(({ mediaBuyId }) => mediaBuyId))]],
  );
  return new Map(rows.map(({ id, campaign_id: campaignId }) => [id, campaignId]));
}

export async function readCampaigns(
  client: TenantClient,
  { clientId, period }: ClientMonth,
): Promise<readonly BilledCampaign[]> {
  const { from, to } = daysOfPeriod(period);
  const { rows } = await client.query<{
    id: string;
    name: string;
    currency: string;
    starts_on: string;
    ends_on: string;
    planned: string | null;
    budget: string | null;
  }>(
    `select id, name, currency, starts_on, ends_on, plan ->> $3 as planned, budget_micros::text as budget
     from campaign where organization_id = $1 and client_id = $2 and starts_on < $5 and (ends_on >= $4 or exists (
       select from media_buy m join package_spend s on s.organization_id = m.organization_id and s.media_buy_id = m.id
         and s.month = $3
       where m.organization_id = $1 and m.campaign_id = campaign.id))
     order by id limit 50001`,
    [client.organizationId, clientId, period, from, to],
  );
  return complete(rows).map(({ starts_on: startsOn, ends_on: endsOn, planned, budget, ...row }) => ({
    ...{ ...row, startsOn, endsOn, plannedMicros: BigInt(planned ?? 0) },
    ...present({ budgetMicros: budget === null ? null : BigInt(budget) }),
  }));
}

/** What issued documents have billed a client: of a month, and over all. */
export async function readBilled(
  client: TenantClient,
  { clientId, period }: ClientMonth,
): Promise<{
  readonly billed: ReadonlyMap<string, BilledSum>;
  readonly billedEver: ReadonlyMap<string, BilledSum>;
}> {
  const { rows } = await client.query<{
    currency: string;
    key: string;
    ever: string;
    of_month: string | null;
    tax_hundredths: number;
    tax_category: TaxCategory;
  }>(
    `select i.currency, l.key, sum(l.net_micros)::text as ever, (sum(l.net_micros) filter (where i.period = $3))::text as of_month,
       (array_agg(l.tax_hundredths order by i.issued_at desc))[1] as tax_hundredths,
       (array_agg(l.tax_category order by i.issued_at desc))[1] as tax_category
     from client_invoice i join client_invoice_line l on l.organization_id = i.organization_id and l.invoice_id = i.id
     where i.organization_id = $1 and i.client_id = $2 and i.state = 'issued'
     group by i.currency, l.key limit 50001`,
    [client.organizationId, clientId, period],
  );
  const billed = new Map<string, BilledSum>();
  const billedEver = new Map<string, BilledSum>();
  for (const { currency, key, ever, of_month: ofMonth, ...tax } of complete(rows)) {
    const rate = { taxHundredths: tax.tax_hundredths, taxCategory: tax.tax_category };
    billedEver.set(billedKey(currency, key), { amountMicros: BigInt(ever), tax: rate });
    if (ofMonth !== null) billed.set(billedKey(currency, key), { amountMicros: BigInt(ofMonth), tax: rate });
  }
  return { billed, billedEver };
}

/** The open differences of a client's buys in a month, by seller and currency: what it is billed may change. */
export async function openDifferences(
  client: TenantClient,
  { clientId, period }: ClientMonth,
): Promise<readonly { readonly seller: string; readonly currency: string; readonly amountMicros: bigint }[]> {
  const { rows } = await client.query<{ seller: string; currency: string; amount: string }>(
    `select seller, currency, sum(abs(difference_micros))::text as amount from reconciliation_break
     where organization_id = $1 and period = $2 and client_id = $3 and state in ('open', 'disputed')
     group by seller, currency order by seller, currency limit 50001`,
    [client.organizationId, period, clientId],
  );
  return complete(rows).map(({ amount, ...row }) => ({ ...row, amountMicros: BigInt(amount) }));
}
