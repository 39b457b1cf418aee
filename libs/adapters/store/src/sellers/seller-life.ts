import type { Micros } from '@switchyard/money';
import type { TenantScope } from '@switchyard/tenancy';
import type { Instant } from '@switchyard/values';
import type { Store } from '../core/open-store.js';
import { tenantsOf } from '../core/tenants-of.js';

/** What still runs at a seller. */
export interface LiveBuys {
  readonly count: number;
  /** The oldest of them. */
  readonly ids: readonly string[];
}

/** The changes that were sent to a seller on one day. */
export interface SellerDay {
  /** YYYY-MM-DD, in UTC. */
  readonly day: string;
  readonly calls: number;
  readonly failed: number;
  /** Median and 95th percentile of the answer time, in milliseconds; null if none was measured. */
  readonly medianMs: number | null;
  readonly slowestMs: number | null;
}

/** Performance of a seller since a time: the changes that were sent to it, and its newest webhooks. */
export interface SellerFigures {
  readonly calls: number;
  readonly failed: number;
  /** Median answer time in milliseconds; absent if none was measured. */
  readonly medianMs?: number;
  /** 95th percentile of the answer time, in milliseconds. */
  readonly slowestMs?: number;
  /** The changes of each day in UTC on which some were sent, oldest first. */
  readonly days: readonly SellerDay[];
  readonly lastError?: { readonly at: Instant; readonly code: string; readonly message: string };
  /** Number of its webhooks by state. */
  readonly events: Readonly<Record<string, number>>;
  readonly lastEventAt?: Instant;
  /** Milliseconds from a day's end to its first report of the day; absent if there was none. */
  readonly reportedAfter?: { readonly medianMs: number; readonly worstMs: number };
  /** Days of a buy whose spend has changed since the first report. */
  readonly restatedDays: number;
  /** What counts for those days now, less what was reported first, by currency. */
  readonly restated: readonly Amount[];
  /** Its buys that are not over. */
  readonly running: number;
  /** What is booked as its delivery of the days since then, by currency. */
  readonly delivered: readonly Amount[];
  /** Its first answers to disputes of the last year, by how long they took on average; absent where it has answered none. */
  readonly answeredDisputes?: { readonly count: number; readonly averageMs: number };
}

interface Amount {
  readonly currency: string;
  readonly amount: Micros;
}

/** The later states of a live seller: suspended, resumed, draining, removed. */
export interface SellerLife {
  /** Suspends it, or also removes it once its last buy is over. False if it is gone or already removed. */
  suspend(
    scope: TenantScope,
    id: string,
    why: { readonly reason: string; readonly drains: boolean },
    at: Instant,
  ): Promise<boolean>;
  /** The thresholds of scorecards that the organization has set, by measure, and over them those of a seller. */
  thresholds(scope: TenantScope, sellerId?: string): Promise<Readonly<Record<string, number>>>;
  /** Sets one of all sellers or of one; undefined: the next wider one holds again. */
  setThreshold(
    scope: TenantScope,
    threshold: { readonly measure: string; readonly value: number | undefined; readonly sellerId?: string },
  ): Promise<void>;
  /** Returns it to its earlier state. False if it is not suspended. */
  resume(scope: TenantScope, id: string, at: Instant): Promise<boolean>;
  /**
   * Removes it, in the statement that checks that nothing is live at it. False if something is, or if it is already
   * removed. Its row stays, because reports, entries and evidence reference it.
   */
  remove(scope: TenantScope, id: string, at: Instant): Promise<boolean>;
  liveBuys(scope: TenantScope, id: string): Promise<LiveBuys>;
  /**
   * The figures of these sellers by id, of the scope's own alone, in one statement. Reads the newest thousand webhooks and
   * the newest ten thousand daily figures of each.
   */
  figures(
    scope: TenantScope,
    ids: readonly string[],
    since: Instant,
  ): Promise<ReadonlyMap<string, SellerFigures>>;
  /** Every tenant with a seller that waits for its last buy to end. */
  drainingTenants(): Promise<readonly string[]>;
  /** Ids of a tenant's sellers that wait for their last buy to end. */
  draining(scope: TenantScope): Promise<readonly string[]>;
}

/** Limit of named live buys. */
const named = 10;

export function sellerLife(store: Store): SellerLife {
  const changed = (scope: TenantScope, text: string, values: readonly unknown[]): Promise<boolean> =>
    store.inTenant(scope, async (client) => (await client.query(text, values)).rowCount === 1);
  return {
    suspend: (scope, id, { reason, drains }, at) =>
      changed(scope, suspend, [id, reason, drains, new Date(at)]),
    thresholds: (scope, sellerId) =>
      store.inTenant(scope, async (client) => {
        const { rows } = await client.query<{ scorecard: Record<string, number> }>(
          `select o.scorecard || coalesce(c.scorecard, '{}') as scorecard from organization o
           left join connection c on c.organization_id = o.id and c.id = $2 where o.id = $1`,
          [client.organizationId, sellerId ?? null],
        );
        return rows[0]?.scorecard ?? {};
      }),
    setThreshold: (scope, { measure, value, sellerId }) =>
      store.inTenant(scope, async (client) => {
        await client.query(sellerId === undefined ? setForAll : setForSeller, [
          client.organizationId,
          measure,
          value ?? null,
          ...(sellerId === undefined ? [] : [sellerId]),
        ]);
      }),
    resume: (scope, id, at) => changed(scope, resume, [id, new Date(at)]),
    remove: (scope, id, at) => changed(scope, remove, [id, new Date(at)]),
    liveBuys: (scope, id) =>
      store.inTenant(scope, async (client) => {
        const { rows } = await client.query<{ media_buy_id: string }>(
          `select b.media_buy_id from seller_buy b where b.connection_id = $1 and ${isRunning('b')}
           union
           select coalesce(m.id, o.media_buy_id, o.task_id) from leg l
             join operation o on o.id = l.operation_id
             left join media_buy m on m.operation_id = o.id
           where l.connection_id = $1 and ${isOpen('l')}
           order by 1`,
          [id],
        );
        return { count: rows.length, ids: rows.slice(0, named).map((row) => row.media_buy_id) };
      }),
    figures: (scope, ids, since) =>
      store.inTenant(scope, async (client) => {
        const { rows } = await client.query<FigureRow>(figuresOfSellers, [ids, new Date(since)]);
        return new Map(rows.map((row) => [row.id, figuresOf(row)]));
      }),
    drainingTenants: () => tenantsOf(store, 'tenants_with_draining_sellers'),
    draining: (scope) =>
      store.inTenantModels(scope, async ({ connection }) => {
        const rows = await connection.findMany({
          where: { draining_since: { not: null } },
          select: { id: true },
          orderBy: [{ draining_since: 'asc' }, { id: 'asc' }],
        });
        return rows.map(({ id }) => id);
      }),
  };
}

interface FigureRow {
  readonly id: string;
  readonly calls: number;
  readonly failed: number;
  readonly median_ms: number | null;
  readonly slowest_ms: number | null;
  readonly by_day: readonly SellerDay[] | null;
  readonly error_at: Date | null;
  readonly code: string | null;
  readonly message: string | null;
  readonly events: Readonly<Record<string, number>> | null;
  readonly last_event_at: Date | null;
  readonly median: number | null;
  readonly worst: number | null;
  readonly days: number;
  readonly moved: Readonly<Record<string, string>> | null;
  readonly running: number;
  readonly delivered: Readonly<Record<string, string>> | null;
  readonly disputes: number;
  readonly answered_after: number | null;
}

function figuresOf(row: FigureRow): SellerFigures {
  const { median, worst, median_ms: medianMs, slowest_ms: slowestMs, error_at: errorAt } = row;
  return {
    calls: row.calls,
    failed: row.failed,
    events: row.events ?? {},
    days: row.by_day ?? [],
    restatedDays: row.days,
    restated: amountsOf(row.moved),
    running: row.running,
    delivered: amountsOf(row.delivered),
    ...(row.answered_after !== null && {
      answeredDisputes: { count: row.disputes, averageMs: Math.round(row.answered_after * 1000) },
    }),
    ...(median !== null &&
      worst !== null && {
        reportedAfter: { medianMs: Math.round(median * 1000), worstMs: Math.round(worst * 1000) },
      }),
    ...(medianMs !== null && { medianMs: Math.round(medianMs) }),
    ...(slowestMs !== null && { slowestMs: Math.round(slowestMs) }),
    ...(row.last_event_at !== null && { lastEventAt: row.last_event_at.getTime() }),
    ...(errorAt !== null && {
      lastError: { at: errorAt.getTime(), code: row.code ?? '', message: row.message ?? '' },
    }),
  };
}

const amountsOf = (sums: Readonly<Record<string, string>> | null): readonly Amount[] =>
  Object.entries(sums ?? {}).map(([currency, micros]) => ({ currency, amount: BigInt(micros) }));

/** A buy at a seller that is not over. */
export const isRunning = (buy: string): string =>
  `${buy}.status not in ('completed', 'rejected', 'canceled')`;

/** Of reports, only ended days count: a report of a day in progress is neither late nor restated. */
const figuresOfSellers = `
  select c.id, calls.*, daily.*, error.*, seen.*, reports.*, buys.running, spend.delivered, cases.*
  from connection c
  cross join lateral (
    select count(*)::int as calls, count(*) filter (where status = 'failed')::int as failed,
      percentile_cont(0.5) within group (order by elapsed_ms) as median_ms,
      percentile_cont(0.95) within group (order by elapsed_ms) as slowest_ms
    from leg where connection_id = c.id and attempts > 0 and created_at >= $2
  ) as calls
  cross join lateral (
    select json_agg(json_build_object('day', day, 'calls', calls, 'failed', failed,
      'medianMs', round(median), 'slowestMs', round(slowest)) order by day) as by_day
    from (
      select to_char(created_at at time zone 'UTC', 'YYYY-MM-DD') as day, count(*)::int as calls,
        count(*) filter (where status = 'failed')::int as failed,
        percentile_cont(0.5) within group (order by elapsed_ms) as median,
        percentile_cont(0.95) within group (order by elapsed_ms) as slowest
      from leg where connection_id = c.id and attempts > 0 and created_at >= $2 group by 1
    ) as each_day
  ) as daily
  left join lateral (
    select updated_at as error_at, errors->0->>'code' as code, errors->0->>'message' as message from leg
    where connection_id = c.id and created_at >= $2 and jsonb_typeof(errors) = 'array' and jsonb_array_length(errors) > 0
    order by updated_at desc limit 1
  ) as error on true
  cross join lateral (
    select json_object_agg(state, count) as events, max(newest) as last_event_at from (
      select state, count(*)::int as count, max(received_at) as newest from (
        select state, received_at from inbox_event where connection_id = c.id and received_at >= $2
        order by received_at desc, id desc limit 1000
      ) as latest group by state
    ) as by_state
  ) as seen
  cross join lateral (
    with latest as (
      select seller_buy_id, package_ref, period_start, period_end, granularity, version, is_current, received_at, currency,
        spend_micros
      from report_version where connection_id = c.id and period_end >= $2 order by period_end desc limit 10000
    ), day as (
      select seller_buy_id, period_start, min(currency) as currency,
        extract(epoch from min(received_at) - period_end)::float8 as late,
        max(spend_micros) filter (where is_current) - (array_agg(spend_micros order by received_at, version))[1] as moved
      from latest where granularity = 'daily' and received_at >= period_end
      group by seller_buy_id, package_ref, period_start, period_end
    )
    select percentile_cont(0.5) within group (order by late) as median, max(late) as worst,
      (count(distinct (seller_buy_id, period_start)) filter (where moved <> 0))::int as days,
      (select json_object_agg(currency, net) from (
        select currency, sum(moved)::text as net from day where moved <> 0 group by currency order by currency
      ) as by_currency) as moved
    from day
  ) as reports
  cross join lateral (
    select count(*)::int as running from seller_buy b
    where b.organization_id = c.organization_id and b.connection_id = c.id and ${isRunning('b')}
  ) as buys
  cross join lateral (
    select json_object_agg(currency, micros) as delivered from (
      select currency, sum(amount_micros)::text as micros from ledger_balance
      where organization_id = c.organization_id and account = 'media_spend' and seller = c.slug
        and day >= to_char($2::timestamptz at time zone 'UTC', 'YYYY-MM-DD')
      group by currency order by currency
    ) as by_currency
  ) as spend
  cross join lateral (
    select count(*)::int as disputes, avg(extract(epoch from answer.at - d.opened_at))::float8 as answered_after
    from dispute d cross join lateral (
      select min(at) as at from dispute_answer a
      where a.organization_id = d.organization_id and a.dispute_id = d.id and a.said_by = 'seller'
    ) as answer
    where d.organization_id = c.organization_id and d.seller = c.slug and d.opened_at >= $2::timestamptz - interval '335 days'
      and answer.at is not null
  ) as cases
  where c.id = any($1::uuid[])`;

const setForAll = `
  update organization set scorecard = case when $3::float8 is null then scorecard - $2::text
    else scorecard || jsonb_build_object($2::text, $3::float8) end where id = $1`;

const setForSeller = `
  update connection set scorecard = case when $3::float8 is null then scorecard - $2::text
    else scorecard || jsonb_build_object($2::text, $3::float8) end where organization_id = $1 and id = $4`;

/** A leg that may still get a result there. Reads do not delay the removal of a seller. */
const isOpen = (leg: string): string =>
  `${leg}.status not in ('completed', 'failed', 'canceled', 'rejected') and ${leg}.task not in ('get_products', 'get_signals')`;

const suspend = `
  update connection set
    suspended_from = case when state = 'suspended' then suspended_from else state end,
    suspended_from_reason = case when state = 'suspended' then suspended_from_reason else state_reason end,
    state = 'suspended', state_reason = $2, updated_at = $4,
    draining_since = case when $3 then coalesce(draining_since, $4) else draining_since end
  where id = $1 and state <> 'removed'`;

const resume = `
  update connection set state = coalesce(suspended_from, 'failed'), state_reason = suspended_from_reason,
    suspended_from = null, suspended_from_reason = null, draining_since = null, updated_at = $2
  where id = $1 and state = 'suspended'`;

const remove = `
  update connection set state = 'removed', state_reason = null, draining_since = null, suspended_from = null,
    suspended_from_reason = null, credential_id = null, key_credential_id = null, webhook_credential_id = null,
    updated_at = $2
  where id = $1 and state <> 'removed'
    and not exists (select from seller_buy b where b.connection_id = $1 and ${isRunning('b')})
    and not exists (select from leg l where l.connection_id = $1 and ${isOpen('l')})`;
