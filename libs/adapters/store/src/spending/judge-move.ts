import {
  standingsOf,
  verdictOn,
  type LimitKind,
  type LimitStanding,
  type LimitUse,
  type SpendPart,
  type SpendVerdict,
} from '@switchyard/buys';
import type { Instant } from '@switchyard/values';
import type { TenantClient } from '../core/tenant-client.js';
import { lockSpend, ratesFor, usesHere, usesOf, type UseRow } from './commit-spend.js';

/** Commitments that would move; their amounts are counted, by seller, currency and month. */
export type MovedSpend =
  { readonly mediaBuyId: string } | { readonly brand: { readonly domain: string; readonly brandId: string } };

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
 * campaign where they would count and do not count yet (docs/protocol/media-buys.md#spending-limits). An amount counts in
 * the month of its commitment. It takes the organization's turn until the end of the transaction.
 */
export async function judgeMove(
  client: TenantClient,
  moved: MovedSpend,
  { clientId, campaignId }: MoveTarget,
  at: Instant,
): Promise<MoveVerdict> {
  await lockSpend(client);
  const rows = await amountsOf(client, moved);
  const { month, day } = await calendarOf(client, at);
  const parts = rows.map(({ seller, currency, amount }): SpendPart => ({
    ...{ legId: '', seller, currency, amount: BigInt(amount) },
  }));
  const usesIn = async (of: string): Promise<readonly LimitUse[]> => {
    const values = [of, null, [], clientId ?? null, campaignId ?? null];
    const found = await client.query<{ uses: readonly UseRow[] | null }>(target, values);
    return usesOf(found.rows[0]?.uses ?? []).filter(({ limit }) => targeted.includes(limit.kind));
  };
  const now = await usesIn(month);
  const rates = await ratesFor(client, parts, now, day);
  const inAll = now.filter(({ limit }) => limit.per === undefined);
  const standings: LimitStanding[] = [];
  const found = standingsOf(parts, inAll, rates);
  if (found.kind === 'no_rate') return { verdict: found, parts };
  standings.push(...found.standings);
  const months = now.length > inAll.length ? [...new Set(rows.map((row) => row.month))] : [];
  for (const of of months) {
    const monthly = (of === month ? now : await usesIn(of)).filter(({ limit }) => limit.per !== undefined);
    const own = parts.filter((_, index) => rows[index]?.month === of);
    const stand = standingsOf(own, monthly, rates);
    if (stand.kind === 'no_rate') return { verdict: stand, parts };
    standings.push(...stand.standings);
  }
  return { verdict: verdictOn({ kind: 'known', standings }), parts };
}

/** The limits that a move changes: those of the other kinds count the amounts already. */
const targeted: readonly LimitKind[] = ['client', 'campaign'];

interface AmountRow {
  readonly seller: string;
  readonly currency: string;
  readonly month: string;
  readonly amount: string;
}

async function amountsOf(client: TenantClient, moved: MovedSpend): Promise<readonly AmountRow[]> {
  const { rows } = await ('mediaBuyId' in moved
    ? client.query<AmountRow>(ofBuy, [moved.mediaBuyId])
    : client.query<AmountRow>(ofBrand, [moved.brand.domain, moved.brand.brandId]));
  return rows;
}

const ofBuy = `
  select s.seller, s.currency, s.month, sum(s.amount_micros)::text as amount from spend_commitment s
  where s.media_buy_id = $1 and s.state in ('pending', 'committed') group by s.seller, s.currency, s.month`;

/** Buys of a brand without a client: `$1` is the domain and `$2` the brand's own id, empty for the whole domain. */
export const withoutClient = (buy: string): string => `
  ${buy}.brand_domain = $1 and ${buy}.client_id is null
  and (coalesce(${buy}.brand ->> 'brand_id', '') = $2
       or $2 = '' and not exists (select 1 from brand r
         where r.domain = $1 and r.brand_id = ${buy}.brand ->> 'brand_id'))`;

const ofBrand = `
  select s.seller, s.currency, s.month, sum(s.amount_micros)::text as amount
  from media_buy b join spend_commitment s on s.media_buy_id = b.id
  where s.client_id is null and ${withoutClient('b')} and s.state in ('pending', 'committed')
  group by s.seller, s.currency, s.month`;

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
    select null::uuid as principal_id, $4::uuid as client_id, null::text as brand_domain, $5::uuid as campaign_id,
      $1::text as month)
  select ${usesHere} as uses from here`;
