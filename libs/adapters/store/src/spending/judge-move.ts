import { verdictOn, type LimitKind, type SpendPart, type SpendVerdict } from '@switchyard/buys';
import type { Instant } from '@switchyard/values';
import type { TenantClient } from '../core/tenant-client.js';
import { campaignHere, standingsWith, type CampaignRow } from './campaign-use.js';
import { usesHere, usesOf, type UseRow } from './commit-spend.js';
import { lockSpend } from './lock-spend.js';

/** Commitments that would move; their amounts are counted, by seller, currency and month. */
export type MovedSpend =
  | { readonly mediaBuyId: string }
  | { readonly brand: { readonly domain: string; readonly brandId: string } };

/** Where they would come to; only what is another than before. */
export interface MoveTarget {
  readonly clientId?: string;
  readonly campaignId?: string;
}

/** A verdict, and the parts that it was made on. */
export interface MoveVerdict {
  readonly verdict: SpendVerdict;
  readonly parts: readonly SpendPart[];
}

/**
 * Judges the move of committed and pending amounts like a buy at its target: against the limits of the client and the
 * campaign where they would count and do not count yet, and the budget and flight of the campaign
 * (docs/protocol/media-buys.md#spending-limits). It takes the organization's turn until the end of the transaction.
 */
export async function judgeMove(
  client: TenantClient,
  moved: MovedSpend,
  { clientId, campaignId }: MoveTarget,
  at: Instant,
): Promise<MoveVerdict> {
  await lockSpend(client);
  const parts = partsOf(await amountsOf(client, moved));
  const { month, day } = await calendarOf(client, at);
  // Amounts of months that are over count in these months too.
  const from = [month, ...parts.flatMap(({ months = [] }) => months.map((share) => share.month))].sort()[0];
  const { rows } = await client.query<TargetRow>(target, [
    from,
    'mediaBuyId' in moved ? moved.mediaBuyId : null,
    [],
    clientId ?? null,
    campaignId ?? null,
    client.organizationId,
  ]);
  const { uses = null, campaign = null, flight = null } = rows[0] ?? {};
  const here = {
    day,
    uses: usesOf(uses ?? []).filter(({ limit }) => targeted.includes(limit.kind)),
    campaign,
  };
  const asked = {
    parts,
    at,
    ...(flight !== null && { flight: { startTime: flight.start, endTime: flight.end } }),
  };
  return { verdict: verdictOn(await standingsWith(client, asked, here)), parts };
}

interface TargetRow {
  readonly uses: readonly UseRow[] | null;
  readonly campaign: CampaignRow | null;
  readonly flight: { readonly start: string; readonly end: string } | null;
}

/** One part for each seller and currency, with what counts in each month. */
function partsOf(rows: readonly AmountRow[]): readonly SpendPart[] {
  const parts = new Map<string, { amount: bigint; months: { month: string; amount: bigint }[] }>();
  for (const { seller, currency, month, amount, share } of rows) {
    const key = `${currency} ${seller}`;
    const part = parts.get(key) ?? { amount: 0n, months: [] };
    part.amount += BigInt(amount);
    part.months.push({ month, amount: BigInt(share) });
    parts.set(key, part);
  }
  return [...parts].map(([key, part]) => ({
    legId: '',
    seller: key.slice(4),
    currency: key.slice(0, 3),
    ...part,
  }));
}

/** The limits that a move changes: those of the other kinds count the amounts already. */
const targeted: readonly LimitKind[] = ['client', 'campaign'];

interface AmountRow {
  readonly seller: string;
  readonly currency: string;
  readonly month: string;
  /** In all, in the first month of each commitment. */
  readonly amount: string;
  /** What counts in the month. */
  readonly share: string;
}

async function amountsOf(client: TenantClient, moved: MovedSpend): Promise<readonly AmountRow[]> {
  const { rows } = await ('mediaBuyId' in moved
    ? client.query<AmountRow>(ofBuy, [moved.mediaBuyId])
    : client.query<AmountRow>(ofBrand, [moved.brand.domain, moved.brand.brandId]));
  return rows;
}

const counted = `
  select s.seller, s.currency, m.month, sum(m.micros)::text as share,
    sum(case when m.at = 1 then s.amount_micros else 0 end)::text as amount`;
const monthsOfCommitment = `
  cross join lateral unnest(coalesce(nullif(s.months, '{}'), array[s.month]),
    coalesce(nullif(s.month_micros, '{}'), array[s.amount_micros])) with ordinality as m (month, micros, at)`;

const ofBuy = `
  ${counted} from spend_commitment s ${monthsOfCommitment}
  where s.media_buy_id = $1 and s.state in ('pending', 'committed') group by s.seller, s.currency, m.month`;

/** Buys of a brand without a client: `$1` is the domain and `$2` the brand's own id, empty for the whole domain. */
export const withoutClient = (buy: string): string => `
  ${buy}.brand_domain = $1 and ${buy}.client_id is null
  and (coalesce(${buy}.brand ->> 'brand_id', '') = $2
       or $2 = '' and not exists (select 1 from brand r
         where r.domain = $1 and r.brand_id = ${buy}.brand ->> 'brand_id'))`;

const ofBrand = `
  ${counted} from media_buy b join spend_commitment s on s.media_buy_id = b.id ${monthsOfCommitment}
  where s.client_id is null and ${withoutClient('b')} and s.state in ('pending', 'committed')
  group by s.seller, s.currency, m.month`;

async function calendarOf(client: TenantClient, at: Instant): Promise<{ month: string; day: string }> {
  const { rows } = await client.query<{ month: string; day: string }>(calendar, [
    client.organizationId,
    new Date(at),
  ]);
  if (rows[0] === undefined) throw new Error('The organization cannot be read.');
  return rows[0];
}

/** Month and day of `$2` where organization `$1` is. */
export const calendar = `
  select to_char($2::timestamptz at time zone g.time_zone, 'YYYY-MM') as month,
         to_char($2::timestamptz at time zone g.time_zone, 'YYYY-MM-DD') as day
  from organization g where g.id = $1`;

const target = `
  with here as (
    select null::uuid as principal_id, null::text as program, $4::uuid as client_id, null::text as brand_domain,
      $5::uuid as campaign_id, $1::text as month)
  select ${usesHere} as uses, ${campaignHere} as campaign,
    (select json_build_object('start', b.start_time, 'end', b.end_time) from media_buy b
     where b.organization_id = $6 and b.id = $2) as flight
  from here`;
