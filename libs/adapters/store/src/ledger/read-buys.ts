import type { BookedBuy, BookedPackage, Observation, StreamEnd } from '@switchyard/ledger';
import { present } from '../core/present.js';
import type { TenantClient } from '../core/tenant-client.js';
import type { RowOf } from '../core/row-mapper.js';
import type { buy_packageModel, report_versionModel, seller_buyModel } from '../generated/models.js';
import type { WantedBuys } from './wanted-buys.js';

type BuyRow = Pick<
  seller_buyModel,
  'id' | 'leg_id' | 'media_buy_id' | 'connection_id' | 'seller' | 'reporting_ended_at'
> &
  Readonly<Record<'operation_id' | 'seller_media_buy_id' | 'currency', string>> & {
    readonly zones: readonly string[] | null;
    readonly long_periods: string | null;
  };

type PackageRow = Pick<
  RowOf<buy_packageModel>,
  'leg_id' | 'seller_package_id' | 'buyer_ref' | 'budget_micros'
>;

type EndRow = Pick<report_versionModel, 'seller_buy_id' | 'stream' | 'sequence_number' | 'reported_at'>;

/** The calendars of a seller's part of a buy, `c`, and of every seller, `every`. */
export const calendarOf = (part: string): string => `
  left join seller_calendar c on c.organization_id = ${part}.organization_id and c.seller = ${part}.seller
  left join seller_calendar every on every.organization_id = ${part}.organization_id and every.seller = ''`;

/**
 * The time zones of a part of a buy that were said, by weight: what a person set over all, what the seller says of our
 * account, what the products declared when they were bought, and what a person set for want of these
 * (docs/ledger.md#the-days-of-a-figure).
 */
export const zonesOf = (part: string): string => `array_remove(
  array[case when c.overrides then c.zone end, c.declared_zone] || array(
    select distinct p.reporting_zone from buy_package p where p.leg_id = ${part}.leg_id and p.reporting_zone is not null
    order by p.reporting_zone) || array[c.zone, every.zone], null)`;

const wantedRows = `unnest($1::uuid[], $2::text[]) w(connection_id, seller_media_buy_id)
  join seller_buy b using (connection_id, seller_media_buy_id)`;

/** Our buys that a batch names. */
export async function readBuys(client: TenantClient, wanted: WantedBuys): Promise<readonly BookedBuy[]> {
  const values = [wanted.connections, wanted.ids];
  const [{ rows }, packages] = await Promise.all([
    client.query<BuyRow>({
      name: 'ledger_read_buys',
      text: `select b.id, b.leg_id, b.media_buy_id, m.operation_id, b.connection_id, b.seller, b.seller_media_buy_id,
                    m.currency, b.reporting_ended_at, ${zonesOf('b')} as zones,
                    coalesce(c.long_periods, every.long_periods) as long_periods
             from ${wantedRows} join media_buy m on m.id = b.media_buy_id
             ${calendarOf('b')}`,
      values,
    }),
    readPackages(client, values),
  ]);
  const ends = await readEnds(
    client,
    rows.filter((row) => row.reporting_ended_at !== null).map((row) => row.id),
  );
  return rows.map((row) => ({
    sellerBuyId: row.id,
    mediaBuyId: row.media_buy_id,
    operationId: row.operation_id,
    connectionId: row.connection_id,
    seller: row.seller,
    sellerMediaBuyId: row.seller_media_buy_id,
    currency: row.currency,
    packages: packages.get(row.leg_id) ?? [],
    zones: [...new Set(row.zones)],
    ...(row.long_periods === 'hold' && { longPeriods: row.long_periods }),
    ended: endsOf(row, ends.get(row.id) ?? []),
  }));
}

/** Legs with reports in the batch whose seller has not named its buy yet. */
export async function readAwaitedLegs(
  client: TenantClient,
  batch: readonly Observation[],
): Promise<ReadonlySet<string>> {
  const legs = [...new Set(batch.flatMap(({ legId }) => legId ?? []))];
  if (legs.length === 0) return new Set();
  const { rows } = await client.query<{ leg_id: string }>({
    name: 'ledger_read_awaited',
    text: 'select leg_id from seller_buy where leg_id = any($1::uuid[]) and seller_media_buy_id is null',
    values: [legs],
  });
  return new Set(rows.map((row) => row.leg_id));
}

async function readPackages(
  client: TenantClient,
  values: readonly unknown[],
): Promise<ReadonlyMap<string, readonly BookedPackage[]>> {
  const { rows } = await client.query<PackageRow>({
    name: 'ledger_read_packages',
    // Packages are read leg by leg: a plan from before the tables were analyzed would compare each buy of the batch
    // with every package of the organization.
    text: `select p.leg_id, p.seller_package_id, p.buyer_ref, p.budget_micros
           from ${wantedRows} cross join lateral (
             select leg_id, seller_package_id, buyer_ref, budget_micros from buy_package
             where leg_id = b.leg_id offset 0) p`,
    values,
  });
  const packages = new Map<string, BookedPackage[]>();
  for (const row of rows) {
    const known = packages.get(row.leg_id) ?? [];
    const names = present({ ref: row.seller_package_id, buyerRef: row.buyer_ref });
    known.push({ ...names, budgetMicros: BigInt(row.budget_micros) });
    packages.set(row.leg_id, known);
  }
  return packages;
}

/** The streams of these seller buys that have ended, each by its first `final` report. Versions of ended buys alone are read. */
export async function readEnds(
  client: TenantClient,
  ids: readonly string[],
): Promise<ReadonlyMap<string, readonly StreamEnd[]>> {
  const ends = new Map<string, StreamEnd[]>();
  if (ids.length === 0) return ends;
  const { rows } = await client.query<EndRow>(
    `select seller_buy_id, stream, min(sequence_number) as sequence_number, min(reported_at) as reported_at
     from unnest($1::uuid[]) w(id) join seller_buy b on b.id = w.id and b.reporting_ended_at is not null
     cross join lateral (
       select seller_buy_id, stream, sequence_number, reported_at from report_version
       where seller_buy_id = b.id and period_end > '-infinity' and notification_type = 'final' and source = 'webhook' offset 0) v
     group by seller_buy_id, stream`,
    [ids],
  );
  for (const row of rows) {
    const known = ends.get(row.seller_buy_id) ?? [];
    const sequence = row.sequence_number === null ? {} : { sequenceNumber: row.sequence_number };
    known.push({ stream: row.stream, reportedAt: row.reported_at.getTime(), ...sequence });
    ends.set(row.seller_buy_id, known);
  }
  return ends;
}

/** A final report without figures stored no version: only its time is known, not its stream. */
function endsOf(row: BuyRow, ends: readonly StreamEnd[]): readonly StreamEnd[] {
  if (row.reporting_ended_at === null || ends.length > 0) return ends;
  return [{ reportedAt: row.reporting_ended_at.getTime() }];
}
