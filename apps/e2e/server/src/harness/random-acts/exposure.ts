import type { OwnerView } from '../database.js';
import { brandOf } from './rules.js';

/** One seller's part of a media buy, with what it may still cost. Amounts in micros. */
export interface Part {
  readonly key: string;
  readonly buyId: string;
  readonly seller: string;
  readonly currency: string;
  readonly principalId: string;
  readonly clientId: string | null;
  /** As stored, and as all its spellings mean it. */
  readonly storedBrand: string | null;
  readonly brand: string | null;
  readonly campaignId: string | null;
  /** What was agreed to and can still be spent: nothing before it is sent, and nothing after its end is known. */
  readonly agreed: bigint;
  /** What the ledger has booked for it. */
  readonly booked: bigint;
  /** Whether it ever went to its seller: from then on its brand has been bought for, whatever comes of it. */
  readonly wasSent: boolean;
  /** Whether others than its buyer have changed it. */
  readonly isChangedByOthers: boolean;
  /** Whether one program, or nobody but people and agents themselves, has made and changed it. */
  readonly isOfOneHand: boolean;
}

interface PartRow {
  readonly buy_id: string;
  readonly seller: string;
  readonly currency: string;
  readonly principal_id: string;
  readonly client_id: string | null;
  readonly brand_domain: string | null;
  readonly campaign_id: string | null;
  readonly leg_status: string;
  readonly status: string | null;
  readonly is_final: boolean;
  readonly is_early: boolean;
  readonly live: string;
  readonly booked: string;
  readonly was_sent: boolean;
  readonly by_others: boolean;
  readonly hands: number;
}

/** Reads the parts of an organization's buys, from the tables of buys and of the ledger alone. */
export async function partsOf(
  view: OwnerView,
  organizationId: string,
  before: ReadonlyMap<string, Part>,
): Promise<ReadonlyMap<string, Part>> {
  const rows = await view.rows<PartRow>(partRows, [organizationId]);
  return new Map(
    rows.map((row) => {
      const key = `${row.buy_id} ${row.seller}`;
      return [key, partOf(key, row, before.get(key))] as const;
    }),
  );
}

function partOf(key: string, row: PartRow, before: Part | undefined): Part {
  return {
    key,
    buyId: row.buy_id,
    seller: row.seller,
    currency: row.currency,
    principalId: row.principal_id,
    clientId: row.client_id,
    storedBrand: row.brand_domain,
    brand: row.brand_domain === null ? null : brandOf(row.brand_domain),
    campaignId: row.campaign_id,
    agreed: agreedOf(row, before),
    booked: BigInt(row.booked),
    wasSent: row.was_sent,
    isChangedByOthers: row.by_others,
    isOfOneHand: row.hands === 1,
  };
}

/** A canceled part may still be billed as agreed until its seller's final report, unless it ended before it began. */
function agreedOf(row: PartRow, before: Part | undefined): bigint {
  const live = BigInt(row.live);
  if (row.leg_status === 'held') return 0n;
  if (['failed', 'rejected', 'canceled'].includes(row.leg_status)) return 0n;
  if (row.leg_status !== 'completed') return live;
  if (row.status === 'rejected') return 0n;
  if (row.status !== 'canceled' && row.status !== 'completed') return live;
  return row.is_final || (row.status === 'canceled' && row.is_early) ? 0n : (before?.agreed ?? live);
}

/** What counts for a part: what it may cost, or what it has cost. */
export const exposureOf = ({ agreed, booked }: Part): bigint => (agreed > booked ? agreed : booked);

const partRows = `
  select b.id as buy_id, p.seller, p.currency, b.principal_id::text, b.client_id::text, b.brand_domain,
    b.campaign_id::text, l.status as leg_status, s.status,
    exists (select from report_version v where v.seller_buy_id = s.id and v.is_current
      having bool_and(coalesce(v.is_final, s.reporting_ended_at is not null))) as is_final,
    s.confirmed_at is null or s.status_as_of < coalesce(instant_of(coalesce(s.reported ->> 'startTime', b.start_time)),
      s.confirmed_at) as is_early,
    coalesce(sum(p.budget_micros) filter (where p.canceled_at is null), 0)::text as live,
    (select coalesce(sum(g.amount_micros), 0)::text from ledger_posting g
     where g.organization_id = b.organization_id and g.media_buy_id = b.id and g.seller = p.seller
       and g.account = 'media_spend') as booked,
    l.sent_at is not null as was_sent,
    exists (select from operation o where o.media_buy_id = b.id and o.principal_id <> b.principal_id) as by_others,
    (select count(distinct (o.principal_id, o.program))::int from operation o where o.media_buy_id = b.id) as hands
  from media_buy b
  join buy_package p on p.media_buy_id = b.id and p.organization_id = b.organization_id
  join leg l on l.id = p.leg_id
  left join seller_buy s on s.leg_id = l.id
  where b.organization_id = $1
  group by b.organization_id, b.id, p.seller, p.currency, b.principal_id, b.client_id, b.brand_domain,
    b.campaign_id, l.status, l.sent_at, s.id, b.start_time`;
