import {
  nextPollAt,
  recordPoll,
  recordReport,
  type ReportPoll,
  type ReportSeen,
  type ReportWatch,
} from '@switchyard/events';
import type { ClientLogin } from '@switchyard/sellers';
import type { TenantScope } from '@switchyard/tenancy';
import type { Instant } from '@switchyard/values';
import type { Store } from '../core/open-store.js';
import { present } from '../core/present.js';
import type { TenantClient } from '../core/tenant-client.js';
import { rowReader } from '../core/row-mapper.js';
import type { report_watchModel } from '../generated/models.js';

/** A stream whose seller must be polled now, with its buy. */
export interface DueWatch {
  readonly legId: string;
  readonly connectionId: string;
  readonly sellerBuyId: string;
  readonly mediaBuyId: string;
  /** Owner of the buy, who signs the requests about it. */
  readonly principalId: string;
  readonly sellerMediaBuyId: string;
  /** The seller's id of the account that the buy is in; absent: that of the connection. */
  readonly accountId?: string;
  /** The login of its client that it was bought with; absent: that of the connection. */
  readonly login?: ClientLogin;
  readonly startTime: string;
  readonly endTime: string;
  readonly hasWebhooks: boolean;
  readonly watch: ReportWatch;
  /** When the request is due, and until when other workers may not take it. */
  readonly dueAt: Instant;
  readonly leaseUntil: Instant;
  /** The longest delay that the seller declared for the bought products, in milliseconds. */
  readonly expectedDelayMs?: number;
  /** Granularities of a pull that every product declares; empty if one declares none. */
  readonly granularities: readonly string[];
}

export interface ReportWatches {
  /** Starts to watch every buy that its seller has named since. The first poll is at `firstPollAt`. */
  open(scope: TenantScope, at: Instant, firstPollAt: Instant): Promise<number>;
  /** Adds received reports to their watches, in the caller's transaction. */
  note(
    client: TenantClient,
    seen: readonly (ReportSeen & { readonly legId: string })[],
    at: Instant,
  ): Promise<void>;
  /** Takes due watches, oldest first, and leases them until `leaseUntil`, by the database's clock. */
  take(scope: TenantScope, at: Instant, leaseUntil: Instant, limit: number): Promise<readonly DueWatch[]>;
  /** Stores the result of a poll, unless its lease ran out and another poll has begun. */
  recordPoll(scope: TenantScope, due: DueWatch, poll: EndedPoll): Promise<void>;
}

export interface EndedPoll extends Omit<ReportPoll, 'watch'> {
  readonly outcome: string;
  /** When the seller is polled next, given the watch after the poll; undefined: nothing more is expected. */
  readonly nextAt: (watch: ReportWatch) => Instant | undefined;
}

export function reportWatches(store: Store): ReportWatches {
  return {
    open: (scope, at, firstPollAt) =>
      store.inTenant(scope, async (client) => {
        const { rowCount } = await client.query(open, [
          client.organizationId,
          new Date(firstPollAt),
          new Date(at),
        ]);
        return rowCount;
      }),
    note,
    take: (scope, at, leaseUntil, limit) =>
      store.inTenant(scope, async (client) => {
        const { rows } = await client.query<DueRow>(take, [new Date(at), new Date(leaseUntil), limit]);
        return rows.map(dueOf);
      }),
    recordPoll: (scope, due, poll) => store.inTenant(scope, (client) => endPoll(client, due, poll)),
  };
}

/** Rows in one step: the next poll finds the rest. */
const openedAtOnce = 500;

const open = `
  with chosen as materialized (
    select id, leg_id, connection_id from seller_buy where seller_media_buy_id is not null and not is_watched
    order by created_at limit ${openedAtOnce} for no key update skip locked
  ), marked as (
    update seller_buy b set is_watched = true from chosen where b.id = chosen.id
  )
  insert into report_watch (leg_id, organization_id, connection_id, seller_buy_id, missing, due_at, created_at)
  select leg_id, $1, connection_id, id, '{}', $2, $3 from chosen
  on conflict do nothing`;

/** The slowest delay that the products of one seller's buy `b` declare. */
export const declaredDelay = `
  (select max((o.offer ->> 'expectedDelayMinutes')::float8) from buy_package p
   join offered_product o on o.connection_id = b.connection_id and o.product_id = p.product_id
   where p.leg_id = b.leg_id)`;

const declaredGranularities = `
  (select jsonb_agg(coalesce(o.offer -> 'windowedPullGranularities', '[]'::jsonb)) from buy_package p
   left join offered_product o on o.connection_id = b.connection_id and o.product_id = p.product_id
   where p.leg_id = b.leg_id)`;

const take = `
  with due as (
    select leg_id from report_watch where due_at <= $1 and (lease_until is null or lease_until <= lease_now($1))
    order by due_at limit $3 for update skip locked
  ), taken as (
    update report_watch w set lease_until = lease_now($1) + ($2::timestamptz - $1::timestamptz) from due where w.leg_id = due.leg_id returning w.*
  )
  select t.leg_id, t.connection_id, t.seller_buy_id, t.highest_sequence, t.missing, t.next_expected_at, t.figures_expected_at,
         t.due_at, t.lease_until, b.media_buy_id, b.seller_media_buy_id, b.account_id, b.login, m.start_time, m.end_time, m.principal_id,
         ${declaredDelay} as expected_delay, ${declaredGranularities} as granularities,
         exists (select 1 from webhook_registration r where r.leg_id = t.leg_id and r.kind = 'report') as has_webhooks
  from taken t join seller_buy b on b.id = t.seller_buy_id join media_buy m on m.id = b.media_buy_id`;

const known = `
  select leg_id, highest_sequence, missing, next_expected_at, figures_expected_at,
    coalesce(last_pulled_at, created_at) as looked_at
  from report_watch where leg_id = any($1::uuid[]) order by leg_id for update`;

const delays = `
  select b.leg_id, ${declaredDelay} as expected_delay from seller_buy b where b.leg_id = any($1::uuid[])`;

const keep = `
  insert into report_watch
    (leg_id, organization_id, connection_id, seller_buy_id, highest_sequence, missing, next_expected_at, last_report_at,
     due_at, created_at, figures_expected_at)
  select n.leg_id, $1, b.connection_id, b.id, n.highest, n.missing::int[], n.expected, $6, n.due, $6,
         n.figures::timestamptz[]
  from unnest($2::uuid[], $3::int[], $4::text[], $5::timestamptz[], $7::timestamptz[], $8::text[])
    as n (leg_id, highest, missing, expected, due, figures)
  join seller_buy b on b.leg_id = n.leg_id
  on conflict (leg_id) do update set highest_sequence = excluded.highest_sequence, missing = excluded.missing,
    next_expected_at = excluded.next_expected_at, last_report_at = excluded.last_report_at, due_at = excluded.due_at,
    figures_expected_at = excluded.figures_expected_at`;

const largest = 2 ** 31 - 1;

async function note(
  client: TenantClient,
  seen: readonly (ReportSeen & { readonly legId: string })[],
  at: Instant,
): Promise<void> {
  if (seen.length === 0) return;
  const watches = new Map<string, ReportWatch>();
  const ids = [...new Set(seen.map(({ legId }) => legId))];
  for (const id of ids) watches.set(id, { highestSequence: 0, missing: [], figuresExpectedAt: [] });
  const { rows } = await client.query<KnownRow>(known, [ids]);
  for (const row of rows) watches.set(row.leg_id, watchOf(row));
  const polledAt = new Map(rows.map((row) => [row.leg_id, row.looked_at.getTime()]));
  const declared = await client.query<{ leg_id: string; expected_delay: number | null }>(delays, [ids]);
  const delayOf = new Map(declared.rows.map((row) => [row.leg_id, delayMs(row.expected_delay)]));
  for (const { legId, sequenceNumber, nextExpectedAt, figuresExpectedAt } of seen) {
    const isUsable = sequenceNumber !== undefined && sequenceNumber <= largest;
    const before = watches.get(legId);
    if (before === undefined) continue;
    watches.set(
      legId,
      recordReport(before, {
        ...(isUsable ? { sequenceNumber } : {}),
        ...present({ nextExpectedAt, figuresExpectedAt }),
      }),
    );
  }
  const stored = [...watches];
  await client.query({
    name: 'report_watch_note',
    text: keep,
    values: [
      client.organizationId,
      stored.map(([legId]) => legId),
      stored.map(([, watch]) => watch.highestSequence),
      stored.map(([, watch]) => `{${watch.missing.join(',')}}`),
      stored.map(([, watch]) => (watch.nextExpectedAt === undefined ? null : new Date(watch.nextExpectedAt))),
      new Date(at),
      stored.map(([legId, watch]) => {
        const expectedDelayMs = delayOf.get(legId);
        const polled = present({ expectedDelayMs, polledAt: polledAt.get(legId) });
        return new Date(nextPollAt({ watch, hasWebhooks: true, at, ...polled }));
      }),
      stored.map(([, watch]) => timesText(watch.figuresExpectedAt)),
    ],
  });
}

const underWay = `
  select highest_sequence, missing, next_expected_at, figures_expected_at, due_at
  from report_watch where leg_id = $1 and lease_until = $2 for update`;

const end = `
  update report_watch set last_pulled_at = $2, last_outcome = $3, due_at = $4, lease_until = null,
    missing = $5::int[], figures_expected_at = $6::timestamptz[]
  where leg_id = $1`;

async function endPoll(client: TenantClient, due: DueWatch, poll: EndedPoll): Promise<void> {
  const { rows } = await client.query<UnderWayRow>(underWay, [due.legId, new Date(due.leaseUntil)]);
  const [row] = rows;
  if (row === undefined) return;
  const watch = recordPoll(watchOf(row), { ...poll, watch: due.watch });
  await client.query(end, [
    due.legId,
    new Date(poll.at),
    poll.outcome,
    dueAfter(due, row.due_at?.getTime(), poll.nextAt(watch)),
    `{${watch.missing.join(',')}}`,
    timesText(watch.figuresExpectedAt),
  ]);
}

/** A report that came during the poll has set its own time, and the poll may have been sent before it. */
function dueAfter(due: DueWatch, standing: Instant | undefined, next: Instant | undefined): Date | null {
  const times = [standing === due.dueAt ? undefined : standing, next].filter((time) => time !== undefined);
  return times.length === 0 ? null : new Date(Math.min(...times));
}

type WatchRow = Pick<
  report_watchModel,
  'leg_id' | 'highest_sequence' | 'missing' | 'next_expected_at' | 'figures_expected_at'
>;

type KnownRow = WatchRow & { readonly looked_at: Date };

type UnderWayRow = WatchRow & Pick<report_watchModel, 'due_at'>;

interface DueRow extends WatchRow {
  readonly expected_delay: number | null;
  readonly granularities: readonly (readonly string[])[] | null;
}

function watchOf(row: WatchRow): ReportWatch {
  return {
    highestSequence: row.highest_sequence,
    missing: row.missing,
    figuresExpectedAt: row.figures_expected_at.map((time) => time.getTime()),
    ...present({ nextExpectedAt: row.next_expected_at?.getTime() }),
  };
}

/** An array as PostgreSQL reads it from text. */
function timesText(times: readonly Instant[]): string {
  return `{${times.map((time) => `"${new Date(time).toISOString()}"`).join(',')}}`;
}

function delayMs(minutes: number | null): number | undefined {
  return minutes === null ? undefined : minutes * 60_000;
}

function commonOf([first = [], ...others]: readonly (readonly string[])[]): readonly string[] {
  return first.filter((reference) => others.every((list) => list.includes(reference)));
}

const readDue = rowReader<Omit<DueWatch, 'watch' | 'granularities'>>()(`
  leg_id, connection_id, seller_buy_id, media_buy_id, seller_media_buy_id, account_id, login, start_time, end_time, has_webhooks,
  principal_id, due_at, lease_until`);

function dueOf(row: DueRow): DueWatch {
  return {
    ...readDue(row),
    granularities: commonOf(row.granularities ?? []),
    watch: watchOf(row),
    ...present({ expectedDelayMs: delayMs(row.expected_delay) }),
  };
}
