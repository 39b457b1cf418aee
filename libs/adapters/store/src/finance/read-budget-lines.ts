import type { AdvisedLine } from '@switchyard/ledger';
import type { TenantScope } from '@switchyard/tenancy';
import type { Store } from '../core/open-store.js';
import { present } from '../core/present.js';
import { dayIn, dayOf } from './read-pacing.js';
import type { media_buyModel, seller_buyModel } from '../generated/models.js';

/** A line of a campaign at its seller, with what advice on its budget needs. */
export interface BudgetLine extends AdvisedLine {
  readonly mediaBuyId: string;
  readonly buyerRef?: string;
  /** Of the buy: another one after each change. */
  readonly revision: number;
  readonly seller: string;
  readonly sellerPackageId: string;
  readonly productId: string;
  readonly currency: string;
  /** Of the buy at the seller. */
  readonly sellerStatus: string;
}

/** The most lines that are read of a campaign. */
export const budgetLinesAtMost = 500;

/**
 * The lines of a campaign that sellers have taken; one more than the most where there are more. Whoever may see the
 * campaign sees them: the caller has asked that before.
 */
export async function readBudgetLines(
  store: Store,
  scope: TenantScope,
  campaignId: string,
): Promise<readonly BudgetLine[]> {
  return store.inTenant(scope, async (client) => {
    const { rows } = await client.query<LineRow>(linesOf, [
      client.organizationId,
      campaignId,
      budgetLinesAtMost + 1,
    ]);
    return rows.map(lineOf);
  });
}

const linesOf = `
  select m.id as media_buy_id, m.buyer_ref, m.revision, m.created_at, s.seller, s.status, p.seller_package_id, p.product_id, p.currency,
    p.budget_micros::text as budget, p.paused, p.canceled_at is not null as is_canceled,
    coalesce(p.terms #>> '{reported,start_time}', p.terms #>> '{sent,start_time}', s.reported ->> 'startTime', m.start_time) as starts,
    coalesce(p.terms #>> '{reported,end_time}', p.terms #>> '{sent,end_time}', s.reported ->> 'endTime', m.end_time) as ends,
    d.days, r.reported_until, i.spend, i.impressions
  from media_buy m
  join seller_buy s on s.organization_id = $1 and s.media_buy_id = m.id and s.seller_media_buy_id is not null
  join buy_package p on p.organization_id = $1 and p.leg_id = s.leg_id and p.seller_package_id is not null
  cross join lateral (
    select json_agg(json_build_array(t.month || '-' || lpad(e.place::text, 2, '0'), e.amount::text)) as days
    from package_spend t cross join lateral unnest(t.days) with ordinality e(amount, place)
    where t.organization_id = $1 and t.seller_buy_id = s.id and t.package_ref = p.seller_package_id
      and t.currency = p.currency and e.amount is not null) d
  cross join lateral (
    select max(last.period_end) as reported_until
    from (select v.period_end from report_version v where v.seller_buy_id = s.id
          order by v.period_end desc limit 1) last) r
  cross join lateral (
    select sum(v.spend_micros)::text as spend,
      case when bool_and(v.impressions is not null) then sum(v.impressions)::text end as impressions
    from report_version v
    where v.organization_id = $1 and v.media_buy_id = m.id and v.is_current and v.seller = s.seller
      and v.package_ref = p.seller_package_id) i
  where m.organization_id = $1 and m.campaign_id = $2
  order by m.created_at, m.id, p.position limit $3`;

type LineRow = Pick<seller_buyModel, 'media_buy_id' | 'seller' | 'status'> &
  Pick<media_buyModel, 'buyer_ref' | 'revision' | 'created_at' | 'currency'> & {
    readonly seller_package_id: string;
    readonly product_id: string;
    readonly budget: string;
    readonly paused: boolean;
    readonly is_canceled: boolean;
    readonly starts: string;
    readonly ends: string;
    readonly days: readonly (readonly [day: string, amount: string])[] | null;
    readonly reported_until: Date | null;
    readonly spend: string | null;
    readonly impressions: string | null;
  };

const ended = new Set(['canceled', 'completed', 'rejected']);

function lineOf(row: LineRow): BudgetLine {
  const madeOn = dayOf(row.created_at.getTime());
  const impressions = BigInt(row.impressions ?? '0');
  const isOver = row.is_canceled || ended.has(row.status);
  return {
    mediaBuyId: row.media_buy_id,
    revision: row.revision,
    seller: row.seller,
    sellerPackageId: row.seller_package_id,
    productId: row.product_id,
    currency: row.currency,
    sellerStatus: row.status,
    // A line that begins as soon as possible began when it was made. It ends before the instant that it names.
    startsOn: dayIn(row.starts) ?? madeOn,
    endsOn: dayIn(row.ends, -1) ?? madeOn,
    budgetMicros: BigInt(row.budget),
    delivered: new Map((row.days ?? []).map(([day, amount]) => [day, BigInt(amount)])),
    state: isOver ? 'over' : row.paused || row.status === 'paused' ? 'held' : 'open',
    ...present({
      buyerRef: row.buyer_ref,
      reportedThrough: row.reported_until === null ? undefined : dayOf(row.reported_until.getTime() - 1),
      cpmMicros: impressions === 0n ? undefined : (BigInt(row.spend ?? '0') * 1_000n) / impressions,
    }),
  };
}
