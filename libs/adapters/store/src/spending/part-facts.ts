import {
  cancellationFeeMicros,
  type Commitment,
  type MonthAmount,
  type PartFacts,
  type SpendState,
  type SpendTime,
} from '@switchyard/buys';
import type { MediaBuyStatus } from '@switchyard/protocol';
import type { Instant } from '@switchyard/values';
import type { TenantClient } from '../core/tenant-client.js';
import type { media_buyModel, spend_commitmentModel, spend_partModel } from '../generated/models.js';

/** Everything that decides what a seller's part of a buy commits. */
export interface StoredPart {
  readonly sellerBuyId: string;
  readonly mediaBuyId: string;
  /** Absent: it was never committed in a transaction that kept it. */
  readonly known?: SpendState;
  readonly facts: PartFacts;
  /** From the oldest; those that wait for an approval are left out. */
  readonly commitments: readonly Commitment[];
  readonly time: Omit<SpendTime, 'from'> & { readonly bookedIn: ReadonlyMap<string, bigint> };
}

/** Parts of buys with commitments. Read them in the organization's turn: see `lockSpend`. */
export async function readParts(
  client: TenantClient,
  mediaBuyIds: readonly string[],
): Promise<readonly StoredPart[]> {
  const { rows } = await client.query<PartRow>({
    name: 'spend_parts',
    text: parts,
    values: [client.organizationId, mediaBuyIds],
  });
  return rows.map(partOf);
}

const isOver = `s.status in ('canceled', 'completed', 'rejected')`;
const flight = (end: 'start' | 'end'): string => `coalesce(s.reported ->> '${end}Time', m.${end}_time)`;
const dayOf = (instant: string): string => `to_char(${instant} at time zone g.time_zone, 'YYYY-MM-DD')`;

/**
 * When a package `p` of a seller's part `s` of the buy `m` begins, as it is known last. `asap` means with the confirmation
 * of the buy; null without one.
 */
export const beginsAt = `case when s.confirmed_at is not null then coalesce(instant_of(coalesce(
  p.terms #>> '{reported,start_time}', p.terms #>> '{sent,start_time}', ${flight('start')})), s.confirmed_at) end`;

/** Whether a report that was made after the budget of a package `p` of a part `s` was lowered says what was spent until then. */
export const isReportedSince = `exists (
  select from report_version v where v.seller_buy_id = s.id and v.package_ref = p.seller_package_id and v.is_current
    and v.period_end >= p.kept_since and v.reported_at >= p.kept_since)`;

const parts = `
  select s.id as seller_buy_id, s.media_buy_id, s.status, k.state as known, k.ended_at is not null as is_ended,
    s.reporting_ended_at is not null as reporting_ended, s.reported -> 'cancellation' as cancellation,
    coalesce(instant_of(s.reported #>> '{cancellation,canceled_at}'), s.status_as_of, k.since, s.updated_at) as status_at,
    ${flight('start')} as start_time, instant_of(${flight('end')}) as ends_at,
    ${dayOf(`instant_of(${flight('start')})`)} as first_day, ${dayOf(`instant_of(${flight('end')})`)} as last_day,
    (select c.plan from campaign c where c.id = m.campaign_id) as plan,
    committed.list as commitments, accepted.list as packages, spent.list as spent, final.list as final,
    (select coalesce(sum(l.amount_micros), 0)::text from invoice_line l join invoice i on i.id = l.invoice_id
     where l.organization_id = $1 and l.seller_media_buy_id = s.seller_media_buy_id
       and i.connection_id = s.connection_id and i.currency = m.currency and i.voided_at is null) as invoiced
  from seller_buy s
  join media_buy m on m.id = s.media_buy_id
  join organization g on g.id = s.organization_id
  left join spend_part k on k.organization_id = s.organization_id and k.seller_buy_id = s.id
  cross join lateral (
    select json_agg(json_build_object('id', c.id, 'state', c.state, 'amount', c.amount_micros::text,
      'currency', c.currency, 'months', c.months, 'micros', c.month_micros::text[],
      'from', greatest(${dayOf('c.created_at')}, c.month || '-01')) order by c.created_at, c.id) as list
    from spend_commitment c
    where c.organization_id = $1 and c.media_buy_id = s.media_buy_id and c.seller = s.seller and c.state <> 'waiting'
  ) committed
  cross join lateral (
    select json_agg(json_build_object('ref', p.seller_package_id, 'budget', p.budget_micros::text,
      'kept', case when p.kept_since is not null and not ${isReportedSince} then p.kept_micros::text end,
      'begins_at', (extract(epoch from ${beginsAt}) * 1000)::bigint,
      'canceled_at', (extract(epoch from p.canceled_at) * 1000)::bigint,
      'canceled_by', p.terms #>> '{reported,cancellation,canceled_by}',
      'policy', case when ${isOver} or p.canceled_at is not null then p.terms #> '{quoted,cancellation_policy}' end,
      'start_time', coalesce(p.terms #>> '{reported,start_time}', p.terms #>> '{sent,start_time}')) order by p.position) as list
    from buy_package p join leg made on made.id = p.leg_id and made.status = 'completed'
    where p.organization_id = $1 and p.media_buy_id = s.media_buy_id and p.seller = s.seller
  ) accepted
  cross join lateral (
    select json_agg(json_build_object('ref', t.package_ref, 'month', t.month, 'currency', t.currency,
      'amount', t.amount_micros::text)) as list
    from package_spend t where t.organization_id = $1 and t.seller_buy_id = s.id
  ) spent
  cross join lateral (
    select json_agg(json_build_object('ref', v.package_ref, 'is_final', v.is_final, 'until', v.until)) as list
    from (
      select v.package_ref, bool_and(coalesce(v.is_final, s.reporting_ended_at is not null)) as is_final,
        (extract(epoch from max(v.period_end)) * 1000)::bigint as until
      from report_version v
      where v.organization_id = $1 and v.seller_buy_id = s.id and v.is_current and (${isOver} or exists (
        select from buy_package p
        where p.organization_id = $1 and p.media_buy_id = s.media_buy_id and p.seller = s.seller
          and p.canceled_at is not null))
      group by v.package_ref) v
  ) final
  where s.organization_id = $1 and s.media_buy_id = any($2::text[]) and committed.list is not null`;

interface PartRow
  extends Pick<spend_partModel, 'seller_buy_id' | 'media_buy_id'>, Pick<media_buyModel, 'start_time'> {
  readonly status: MediaBuyStatus;
  readonly known: SpendState | null;
  readonly is_ended: boolean;
  readonly reporting_ended: boolean;
  readonly cancellation: { readonly canceled_by?: unknown } | null;
  readonly status_at: Date;
  readonly ends_at: Date | null;
  readonly first_day: string | null;
  readonly last_day: string | null;
  readonly plan: Readonly<Record<string, unknown>> | null;
  readonly invoiced: string;
  readonly commitments: readonly CommitmentRow[];
  readonly packages: readonly PackageRow[] | null;
  readonly spent:
    | readonly {
        readonly ref: string;
        readonly month: string;
        readonly currency: string;
        readonly amount: string;
      }[]
    | null;
  readonly final:
    | readonly { readonly ref: string; readonly is_final: boolean; readonly until: number }[]
    | null;
}

interface CommitmentRow extends Pick<spend_commitmentModel, 'id' | 'currency'> {
  readonly state: Commitment['state'];
  readonly amount: string;
  readonly months: readonly string[] | null;
  readonly micros: readonly string[] | null;
  readonly from: string;
}

interface PackageRow {
  readonly ref: string | null;
  readonly budget: string;
  readonly kept: string | null;
  /** Milliseconds. */
  readonly begins_at: number | null;
  /** Milliseconds. */
  readonly canceled_at: number | null;
  readonly canceled_by: string | null;
  readonly policy: unknown;
  readonly start_time: string | null;
}

function partOf(row: PartRow): StoredPart {
  const currency = row.commitments[0]?.currency ?? '';
  const spent = (row.spent ?? []).filter((sum) => sum.currency === currency);
  const packages = row.packages ?? [];
  const bookedOf = (ref: string | null): bigint => sum(spent.filter((one) => one.ref === ref));
  const refs = new Set(packages.map(({ ref }) => ref));
  return {
    sellerBuyId: row.seller_buy_id,
    mediaBuyId: row.media_buy_id,
    ...(row.known !== null && { known: row.known }),
    facts: {
      status: row.status,
      isEnded: row.is_ended,
      packages: packages.map((item) => packageOf(row, item, bookedOf(item.ref))),
      bookedElsewhere: sum(spent.filter(({ ref }) => !refs.has(ref))),
      invoiced: BigInt(row.invoiced),
    },
    commitments: row.commitments.map(commitmentOf),
    time: {
      bookedIn: sumsByMonth(spent),
      ...(row.first_day !== null &&
        row.last_day !== null && { flight: { first: row.first_day, last: row.last_day } }),
      ...(row.plan !== null && { plan: planOf(row.plan) }),
    },
  };
}

function packageOf(row: PartRow, item: PackageRow, booked: bigint): PartFacts['packages'][number] {
  const budget = BigInt(item.budget);
  const isCanceled = item.canceled_at !== null || row.status === 'canceled';
  // What its seller has completed has run, whatever its times say.
  const hasRun = row.status === 'completed' && item.canceled_at === null;
  const canceledAt: Instant = item.canceled_at ?? row.status_at.getTime();
  const endsAt = Math.min(canceledAt, row.ends_at?.getTime() ?? canceledAt);
  const final = row.final?.find(({ ref }) => ref === item.ref);
  const by = item.canceled_by ?? row.cancellation?.canceled_by;
  const startTime = item.start_time ?? row.start_time;
  return {
    budget,
    kept: BigInt(item.kept ?? '0'),
    booked,
    isCanceled,
    isMade: item.ref !== null || item.canceled_at === null,
    isFinal: final?.is_final === true && (row.reporting_ended || final.until >= endsAt),
    hasBegun: hasRun || (item.begins_at !== null && item.begins_at <= canceledAt),
    fee:
      isCanceled && by !== 'seller'
        ? cancellationFeeMicros(item.policy, { budget, booked, startTime, canceledAt })
        : 0n,
  };
}

function commitmentOf({ months, micros, amount, ...row }: CommitmentRow): Commitment {
  return {
    id: row.id,
    state: row.state,
    from: row.from,
    amount: BigInt(amount),
    months: (months ?? []).map((month, at): MonthAmount => ({ month, amount: BigInt(micros?.[at] ?? '0') })),
  };
}

/** The plan of a campaign, as its row has it. */
export function planOf(stored: Readonly<Record<string, unknown>>): ReadonlyMap<string, bigint> {
  return new Map(
    Object.entries(stored).flatMap(([month, micros]) =>
      typeof micros === 'string' ? [[month, BigInt(micros)] as const] : [],
    ),
  );
}

const sum = (rows: readonly { readonly amount: string }[]): bigint =>
  rows.reduce((all, { amount }) => all + BigInt(amount), 0n);

function sumsByMonth(
  rows: readonly { readonly month: string; readonly amount: string }[],
): ReadonlyMap<string, bigint> {
  const sums = new Map<string, bigint>();
  for (const { month, amount } of rows) sums.set(month, (sums.get(month) ?? 0n) + BigInt(amount));
  return sums;
}
