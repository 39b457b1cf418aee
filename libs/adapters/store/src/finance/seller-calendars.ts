import {
  placeAnew,
  proposeZone,
  type LongPeriods,
  type PlacedAnew,
  type StoredVersion,
  type ZoneProposal,
} from '@switchyard/ledger';
import type { TenantScope } from '@switchyard/tenancy';
import type { Instant } from '@switchyard/values';
import type { Store } from '../core/open-store.js';
import { present } from '../core/present.js';
import { rowReader, type Row } from '../core/row-mapper.js';
import { storableText } from '../core/storable.js';
import type { TenantClient, TenantSession } from '../core/tenant-client.js';
import { appendBlock } from '../ledger/append-block.js';
import { openFrom } from '../ledger/open-from.js';
import { addToPackages } from '../ledger/package-spend.js';
import { calendarOf, zonesOf } from '../ledger/read-buys.js';
import { readWholeGroups } from '../ledger/read-versions.js';
import { lockHead } from '../ledger/stream-head.js';
import { timeOrderedId } from '../ledger/time-ordered-id.js';
import { insertVersions, moveMarks } from '../ledger/version-rows.js';
import { recommitBuys } from '../spending/recommit-parts.js';

/** How a seller's months of bills are cut: calendar months, broadcast months, or from a day of a month to the next. */
export type BillingCalendar = 'month' | 'broadcast' | 'issue_day';

/** What a person sets for a seller, or for every seller. */
export interface CalendarSetting {
  /** IANA name. */
  readonly zone?: string;
  /** Whether it holds before what the seller declares. */
  readonly overrides: boolean;
  readonly longPeriods?: LongPeriods;
  readonly billingCalendar?: BillingCalendar;
  /** 1 to 28; with `issue_day`. */
  readonly issueDay?: number;
  readonly reason?: string;
}

/** The calendar of a seller: what it declared, what its products did, and what a person set. */
export interface SellerCalendar extends CalendarSetting {
  readonly declaredZone?: string;
  readonly declaredAt?: Instant;
  readonly productZones: readonly string[];
  /** Name of the principal. */
  readonly setBy?: string;
  readonly setAt?: Instant;
}

/** What would move, or did, when figures stand on the days that are known now. */
export interface Restated {
  readonly buys: number;
  readonly figures: number;
  /** Ids of the entries; empty for a preview. */
  readonly entries: readonly string[];
  readonly months: readonly {
    readonly month: string;
    readonly currency: string;
    readonly amountMicros: bigint;
  }[];
  /** More buys of the seller wait: the same call goes on behind this one. */
  readonly next?: string;
}

/** The row of every seller. */
export const everySeller = '';

/** Buys of one transaction, and of one call. */
const buysAtOnce = 20;
const buysAtMost = 400;
/** Newest reports of which the bounds are looked at. */
const reportsSeen = 200;

export function sellerCalendars(store: Store) {
  return {
    show: (scope: TenantScope, seller: string): Promise<SellerCalendar> =>
      store.inTenant(scope, (client) => readCalendar(client, seller)),
    set: (
      scope: TenantScope,
      seller: string,
      setting: CalendarSetting,
      by: string,
      at: Instant,
    ): Promise<void> => store.inTenant(scope, (client) => writeSetting(client, seller, setting, by, at)),
    /** False if nothing was set. What the seller declared stays. */
    remove: (scope: TenantScope, seller: string): Promise<boolean> =>
      store.inTenantModels(scope, async ({ seller_calendar }) => {
        const nothing = { zone: null, long_periods: null, billing_calendar: null, issue_day: null };
        const { count } = await seller_calendar.updateMany({
          where: { organization_id: scope.organizationId, seller, set_at: { not: null } },
          data: { ...nothing, overrides: false, reason: null, set_by: null, set_at: null },
        });
        return count > 0;
      }),
    /** The zone that would explain the bounds of the seller's newest periods. */
    proposal: (scope: TenantScope, connectionId: string): Promise<ZoneProposal | undefined> =>
      store.inTenant(scope, (client) => readProposal(client, connectionId)),
    /** What would move if the seller's figures stood on the days that are known now. Changes nothing. */
    preview: (scope: TenantScope, connectionId: string, at: Instant): Promise<Restated> =>
      throughBuys('', (after) =>
        store.inTenant(scope, async (client) => {
          const buys = await nextBuys(client, connectionId, after);
          return placeBuys(client, buys, { by: '', reason: '', at });
        }),
      ),
    /** Books it: one entry for each buy of which something moves. */
    restate: (
      scope: TenantScope,
      connectionId: string,
      restating: { readonly by: string; readonly reason: string; readonly after?: string },
      at: Instant,
    ): Promise<Restated> =>
      throughBuys(restating.after ?? '', (after) =>
        store.inTenant(scope, async (client) => {
          const head = await lockHead(client);
          const buys = await nextBuys(client, connectionId, after);
          const placed = await placeBuys(client, buys, { ...restating, at });
          for (const { stored, anew } of placed.anew) await storePlaced(client, stored, anew);
          await appendBlock(
            client,
            head,
            placed.anew.map(({ anew }) => anew.entry),
            at,
          );
          await recommitBuys(client, [...new Set(placed.anew.map(({ anew }) => mediaBuyOf(anew)))], at);
          return { ...placed, isBooked: true };
        }),
      ),
  };
}

export type SellerCalendars = ReturnType<typeof sellerCalendars>;

const calendarRow = rowReader<Omit<SellerCalendar, 'productZones' | 'billingCalendar'>>()(
  'declared_zone, declared_at, zone, overrides, long_periods, issue_day, reason, set_at',
);

async function readCalendar(client: TenantClient, seller: string): Promise<SellerCalendar> {
  const { rows } = await client.query<
    Row & { billing_calendar: BillingCalendar | null; set_by: string | null }
  >(
    `select c.declared_zone, c.declared_at, c.zone, c.overrides, c.long_periods, c.billing_calendar, c.issue_day, c.reason,
       c.set_at, p.name as set_by
     from seller_calendar c left join principal p on p.id = c.set_by
     where c.organization_id = $1 and c.seller = $2`,
    [client.organizationId, seller],
  );
  const products = await client.query<{ zone: string }>(
    `select distinct p.reporting_zone as zone from connection k join seller_buy b on b.connection_id = k.id
     join buy_package p on p.organization_id = b.organization_id and p.leg_id = b.leg_id
     where k.organization_id = $1 and k.slug = $2 and p.reporting_zone is not null order by zone`,
    [client.organizationId, seller],
  );
  const productZones = products.rows.map(({ zone }) => zone);
  const [row] = rows;
  if (row === undefined) return { overrides: false, productZones };
  const { billing_calendar: billingCalendar, set_by: setBy } = row;
  return { ...calendarRow(row), productZones, ...present({ billingCalendar, setBy }) };
}

async function writeSetting(
  client: TenantSession,
  seller: string,
  setting: CalendarSetting,
  by: string,
  at: Instant,
): Promise<void> {
  const key = { organization_id: client.organizationId, seller };
  const columns = {
    zone: setting.zone ?? null,
    overrides: setting.overrides,
    long_periods: setting.longPeriods ?? null,
    billing_calendar: setting.billingCalendar ?? null,
    issue_day: setting.issueDay ?? null,
    reason: setting.reason === undefined ? null : storableText(setting.reason),
    set_by: by,
    set_at: new Date(at),
  };
  await client.models.seller_calendar.upsert({
    where: { organization_id_seller: key },
    create: { ...key, ...columns },
    update: columns,
  });
}

async function readProposal(client: TenantSession, connectionId: string): Promise<ZoneProposal | undefined> {
  const { rows } = await client.query<{ period_start: Date; period_end: Date }>(
    `select period_start, period_end from report_version
     where connection_id = $1 and period_end - period_start >= interval '22.9 hours'
     order by period_end desc limit ${reportsSeen}`,
    [connectionId],
  );
  const own = await client.models.organization.findMany({ where: { id: client.organizationId } });
  const zones = own.map((row) => row.time_zone);
  const starts = rows.map((row) => row.period_start.getTime());
  return (
    proposeZone([...starts, ...rows.map((row) => row.period_end.getTime())], zones) ??
    // Totals to date end now: their starts alone are midnights.
    proposeZone(starts, zones)
  );
}

interface BuyToPlace {
  readonly id: string;
  readonly place: string;
  readonly zones: readonly string[];
}

/** Buys of a seller in the order of its own ids, with the zones that hold for each. */
async function nextBuys(
  client: TenantClient,
  connectionId: string,
  after: string,
): Promise<readonly BuyToPlace[]> {
  const { rows } = await client.query<BuyToPlace>(
    `select b.id, b.seller_media_buy_id as place, ${zonesOf('b')} as zones
     from (select * from seller_buy where connection_id = $1 and seller_media_buy_id > $2
           order by seller_media_buy_id limit ${buysAtOnce}) b
     ${calendarOf('b')}
     order by b.seller_media_buy_id`,
    [connectionId, after],
  );
  return rows;
}

interface PlacedBuys {
  /** The last buy that was looked at; absent if there was none. */
  readonly last?: string;
  readonly anew: readonly { readonly anew: PlacedAnew; readonly stored: readonly StoredVersion[] }[];
  readonly isBooked?: boolean;
}

const everything = { start: 0, end: Date.UTC(9999, 11, 31) };

async function placeBuys(
  client: TenantClient,
  buys: readonly BuyToPlace[],
  { by, reason, at }: { readonly by: string; readonly reason: string; readonly at: Instant },
): Promise<PlacedBuys> {
  const last = buys.at(-1)?.place;
  const open = await openFrom(client);
  const versions = await readWholeGroups(client, new Map(buys.map(({ id }) => [id, everything])));
  const anew = buys.flatMap(({ id, zones }) => {
    const stored = versions.get(id) ?? [];
    const newId = () => timeOrderedId(at);
    const placed = placeAnew(stored, { zones, openFrom: open, by, reason: storableText(reason), at, newId });
    return placed === undefined ? [] : [{ anew: placed, stored }];
  });
  return { anew, ...(last !== undefined && { last }) };
}

async function storePlaced(
  client: TenantClient,
  stored: readonly StoredVersion[],
  { versions, moves, isCounted }: PlacedAnew,
): Promise<void> {
  await insertVersions(client, versions, isCounted);
  await moveMarks(
    client,
    stored.map((version) => ({ version, isCurrent: version.isCurrent })),
    isCounted,
  );
  await addToPackages(client, moves);
}

const mediaBuyOf = ({ versions }: PlacedAnew): string => versions[0]?.mediaBuyId ?? '';

async function throughBuys(first: string, step: (after: string) => Promise<PlacedBuys>): Promise<Restated> {
  const months = new Map<string, { month: string; currency: string; amountMicros: bigint }>();
  const entries: string[] = [];
  let [buys, figures, after] = [0, 0, first];
  for (let seen = 0; ; seen += buysAtOnce) {
    const { anew, last, isBooked } = await step(after);
    for (const { anew: placed } of anew) {
      buys += 1;
      figures += placed.versions.length;
      if (isBooked === true) entries.push(placed.entry.id);
      for (const { day, micros, version } of placed.shifts) {
        const key = `${day.slice(0, 7)} ${version.currency}`;
        const sum = months.get(key) ?? {
          month: day.slice(0, 7),
          currency: version.currency,
          amountMicros: 0n,
        };
        sum.amountMicros += micros;
        months.set(key, sum);
      }
    }
    const isOver = last === undefined;
    if (!isOver) after = last;
    if (!isOver && seen + buysAtOnce < buysAtMost) continue;
    return {
      buys,
      figures,
      entries,
      months: [...months]
        .filter(([, { amountMicros }]) => amountMicros !== 0n)
        .toSorted(([one], [other]) => (one < other ? -1 : 1))
        .map(([, sum]) => sum),
      ...(!isOver && { next: after }),
    };
  }
}

/** The zones of days that are in use beside UTC; of products one row of the index is read for each zone. */
export async function readZonesInUse(client: TenantClient): Promise<readonly string[]> {
  const { rows } = await client.query<{ zone: string }>(
    `with recursive bought (zone) as (
       (select reporting_zone from buy_package where organization_id = $1 and reporting_zone is not null
        order by reporting_zone limit 1)
       union all
       select (select p.reporting_zone from buy_package p
               where p.organization_id = $1 and p.reporting_zone > b.zone order by p.reporting_zone limit 1)
       from bought b where b.zone is not null
     )
     select distinct zone from (
       select zone from bought
       union all select zone from seller_calendar where organization_id = $1
       union all select declared_zone from seller_calendar where organization_id = $1) said
     where zone <> 'UTC' order by zone`,
    [client.organizationId],
  );
  return rows.map(({ zone }) => zone);
}
