import type { ListSort, Reach, TenantScope } from '@switchyard/tenancy';
import { isoOf, type Instant } from '@switchyard/values';
import type { Store } from '../core/open-store.js';
import { present } from '../core/present.js';
import { withinReach } from '../core/within-reach.js';
import type { campaignModel } from '../generated/models.js';
import type { OrNull } from '../core/row-mapper.js';

export interface PacingWanted {
  readonly by: 'campaign' | 'buy';
  readonly reach: Reach;
  /** UUIDs: only these campaigns, or their buys. */
  readonly campaignIds?: readonly string[];
  /** Only this buy, or the campaign that it is in. */
  readonly mediaBuyId?: string;
  /** Newest first unless set. */
  readonly sort?: ListSort;
  readonly after?: readonly (string | number)[];
  readonly limit: number;
}

/** Amounts in micros of one currency. */
export interface CurrencyFigures {
  pendingMicros: bigint;
  acceptedMicros: bigint;
  deliveredMicros: bigint;
}

/** A campaign or a media buy with its plan and its delivery in the ledger. Amounts are micros. */
export interface PacingFigures {
  readonly id: string;
  readonly name?: string;
  readonly client?: string;
  readonly brandDomain?: string;
  readonly currency: string;
  /** First and last UTC day. */
  readonly startsOn: string;
  readonly endsOn: string;
  readonly plan: ReadonlyMap<string, bigint>;
  readonly budgetMicros?: bigint;
  /** What waits at sellers, and what they have accepted, in its own currency: as limits count it. */
  readonly pendingMicros: bigint;
  readonly acceptedMicros: bigint;
  /** Of a campaign: what stands at its sellers now, in its own currency; of lines that are over what they delivered. */
  readonly orderedMicros?: bigint;
  /** By UTC day, in its own currency. */
  readonly delivered: ReadonlyMap<string, bigint>;
  /** What is in other currencies, not converted. */
  readonly elsewhere: ReadonlyMap<string, Readonly<CurrencyFigures>>;
  /** The last UTC day that a seller reported. */
  readonly reportedThrough?: string;
  /** Of all its reports that count; only where campaigns or a buy are named, and each of the reports tells them. */
  readonly impressions?: bigint;
  readonly changedAt: Instant;
}

/** Plan and delivery, one page of campaigns (by their last change) or media buys (by their creation). */
export async function readPacing(
  store: Store,
  scope: TenantScope,
  wanted: PacingWanted,
): Promise<readonly PacingFigures[]> {
  const isOfBuys = wanted.by === 'buy';
  const within = withinReach('o', isOfBuys ? wanted.reach : withoutOwn(wanted.reach), 7);
  const [at, id] = wanted.after ?? [];
  const text = isOfBuys ? ofBuys(within.text, wanted.sort) : ofCampaigns(within.text, wanted.sort);
  return store.inTenant(scope, async (client) => {
    const { rows } = await client.query<PacingRow>(text, [
      client.organizationId,
      wanted.campaignIds ?? null,
      at ?? null,
      id ?? null,
      wanted.limit,
      wanted.mediaBuyId ?? null,
      ...within.values,
    ]);
    return rows.map(figuresOf);
  });
}

/** Page key of a row in its list. */
export const pacingPlace = ({ changedAt, id }: PacingFigures) => [isoOf(changedAt), id] as const;

/** A campaign has no owner: it belongs to its client and its brand. */
function withoutOwn(reach: Reach): Reach {
  if (reach.kind === 'everything') return reach;
  const { principalId: _own, ...others } = reach;
  return others;
}

/** Delivery of the buys `b` in the ledger, by day and currency, and the last day that any of their sellers reported. */
const delivery = `
  cross join lateral (
    select json_agg(json_build_array(spent.day, spent.currency, spent.amount)) as days
    from (select p.month || '-' || lpad(d.place::text, 2, '0') as day, p.currency, sum(d.amount)::text as amount
          from unnest(o.buys) b(id)
          join package_spend p on p.organization_id = $1 and p.media_buy_id = b.id
          cross join lateral unnest(p.days) with ordinality d(amount, place)
          where d.amount is not null
          group by 1, p.currency) spent) d
  cross join lateral (
    select max(last.period_end) as reported_until
    from unnest(o.buys) b(id)
    join seller_buy s on s.organization_id = $1 and s.media_buy_id = b.id
    cross join lateral (select v.period_end from report_version v where v.seller_buy_id = s.id
                        order by v.period_end desc limit 1) last) r
  cross join lateral (
    select case when bool_and(v.impressions is not null) then sum(v.impressions)::text end as impressions
    from unnest(o.buys) b(id)
    join report_version v on v.organization_id = $1 and v.media_buy_id = b.id and v.is_current
    where $2::uuid[] is not null or $6::text is not null) i`;

/** The reverse order reads the same index backward. */
const orderBy = (time: string, sort?: ListSort): string =>
  sort === 'oldest' ? `${time}, o.id desc` : `${time} desc, o.id`;

const behind = (time: string, type: 'uuid' | 'text', sort?: ListSort): string =>
  sort === 'oldest'
    ? `${time} > $3 or (${time} = $3 and o.id < $4::${type})`
    : `${time} < $3 or (${time} = $3 and o.id > $4::${type})`;

const ofCampaigns = (within: string, sort?: ListSort): string => `
  select o.id::text, o.name, c.name as client, o.brand_domain, o.currency, o.starts_on, o.ends_on, o.plan,
    o.budget_micros::text as budget, o.updated_at as changed_at, d.days, r.reported_until, i.impressions, n.ordered,
    (select json_agg(json_build_array(t.currency, t.pending_micros::text, t.committed_micros::text))
     from spend_total t
     where t.organization_id = $1 and t.kind = 'campaign' and t.key = o.id::text and t.month = '') as committed
  from (select o.*, array(select m.id from media_buy m
                          where m.organization_id = $1 and m.campaign_id = o.id limit 10000) as buys
        from (select k.*, k.id as campaign_id from campaign k where k.organization_id = $1) o
        where ($2::uuid[] is null or o.id = any($2)) and ${within}
          and ($6::text is null or o.id = (select m.campaign_id from media_buy m where m.organization_id = $1 and m.id = $6))
          and ($3::timestamptz is null or ${behind('o.updated_at', 'uuid', sort)})
        order by ${orderBy('o.updated_at', sort)} limit $5) o
  left join client c on c.id = o.client_id ${delivery}
  cross join lateral (
    select sum(case when p.canceled_at is null and s.status not in ('rejected', 'canceled', 'completed') then p.budget_micros
      else (select coalesce(sum(t.amount_micros), 0) from package_spend t
            where t.organization_id = $1 and t.seller_buy_id = s.id and t.package_ref = p.seller_package_id
              and t.currency = o.currency) end)::text as ordered
    from unnest(o.buys) b(id)
    join seller_buy s on s.organization_id = $1 and s.media_buy_id = b.id
    join buy_package p on p.organization_id = $1 and p.leg_id = s.leg_id and p.currency = o.currency) n
  order by ${orderBy('o.updated_at', sort)}`;

const ofBuys = (within: string, sort?: ListSort): string => `
  select o.id, o.buyer_ref as name, c.name as client, o.brand_domain, o.currency, o.start_time as starts_on,
    o.end_time as ends_on, '{}'::jsonb as plan,
    (select sum(p.budget_micros)::text from buy_package p
     where p.organization_id = $1 and p.media_buy_id = o.id and p.canceled_at is null) as budget,
    o.created_at as changed_at, d.days, r.reported_until, i.impressions,
    (select json_agg(json_build_array(t.currency, t.pending::text, t.committed::text))
     from (select c.currency,
             coalesce(sum(c.amount_micros) filter (where c.state = 'pending'), 0) as pending,
             coalesce(sum(c.amount_micros) filter (where c.state = 'committed'), 0) as committed
           from spend_commitment c
           where c.organization_id = $1 and c.media_buy_id = o.id group by c.currency) t) as committed
  from (select o.*, array[o.id] as buys from media_buy o
        where o.organization_id = $1 and ($2::uuid[] is null or o.campaign_id = any($2)) and ${within}
          and ($6::text is null or o.id = $6)
          and ($3::timestamptz is null or ${behind('o.created_at', 'text', sort)})
        order by ${orderBy('o.created_at', sort)} limit $5) o
  left join client c on c.id = o.client_id ${delivery}
  order by ${orderBy('o.created_at', sort)}`;

type PacingRow = Pick<campaignModel, 'id' | 'currency' | 'starts_on' | 'ends_on'> &
  OrNull<Pick<campaignModel, 'name' | 'brand_domain'>> & {
    readonly client: string | null;
    readonly plan: Readonly<Record<string, string>>;
    readonly budget: string | null;
    readonly ordered?: string | null;
    readonly changed_at: Date;
    readonly days: readonly (readonly [day: string, currency: string, amount: string])[] | null;
    readonly reported_until: Date | null;
    readonly impressions: string | null;
    readonly committed: readonly (readonly [currency: string, pending: string, committed: string])[] | null;
  };

/** The UTC day of an instant. */
export const dayOf = (at: Instant): string => isoOf(at).slice(0, 10);

/** A day unchanged, or the UTC day of a time in the flight of a buy, `shiftMs` later; undefined for `asap`. */
export function dayIn(text: string, shiftMs = 0): string | undefined {
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return text;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : dayOf(at + shiftMs);
}

function figuresOf(row: PacingRow): PacingFigures {
  const delivered = new Map<string, bigint>();
  const byCurrency = new Map<string, CurrencyFigures>();
  const figuresIn = (currency: string): CurrencyFigures => {
    const figures = byCurrency.get(currency) ?? {
      pendingMicros: 0n,
      acceptedMicros: 0n,
      deliveredMicros: 0n,
    };
    byCurrency.set(currency, figures);
    return figures;
  };
  for (const [day, currency, amount] of row.days ?? [])
    if (currency === row.currency) delivered.set(day, BigInt(amount));
    else figuresIn(currency).deliveredMicros += BigInt(amount);
  for (const [currency, pending, accepted] of row.committed ?? []) {
    figuresIn(currency).pendingMicros = BigInt(pending);
    figuresIn(currency).acceptedMicros = BigInt(accepted);
  }
  const { pendingMicros, acceptedMicros } = figuresIn(row.currency);
  byCurrency.delete(row.currency);
  const changedAt = row.changed_at.getTime();
  return {
    id: row.id,
    currency: row.currency,
    // A buy that begins as soon as possible began when it was made. It ends before the instant that it names.
    startsOn: dayIn(row.starts_on) ?? dayOf(changedAt),
    endsOn: dayIn(row.ends_on, -1) ?? dayOf(changedAt),
    plan: new Map(Object.entries(row.plan).map(([month, amount]) => [month, BigInt(amount)])),
    pendingMicros,
    acceptedMicros,
    delivered,
    elsewhere: byCurrency,
    changedAt,
    ...present({
      name: row.name,
      client: row.client,
      brandDomain: row.brand_domain,
      budgetMicros: row.budget === null ? undefined : BigInt(row.budget),
      orderedMicros: row.ordered === undefined ? undefined : BigInt(row.ordered ?? '0'),
      reportedThrough: row.reported_until === null ? undefined : dayOf(row.reported_until.getTime() - 1),
      impressions: row.impressions === null ? undefined : BigInt(row.impressions),
    }),
  };
}
