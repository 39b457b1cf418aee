import { groupBy, shiftDay, type ReportVersion } from '@switchyard/ledger';
import { isoOf } from '@switchyard/values';
import { present } from '../core/present.js';
import type { TenantClient } from '../core/tenant-client.js';
import { readWholeGroups } from '../ledger/read-versions.js';
import { versionColumns, versionOf, type VersionRow } from '../ledger/version-rows.js';
import { sumsOf, type Days, type PackageSums, type SumDetails, type SumsByPackage } from './period-sums.js';

/** A seller buy whose figures are added up. */
export interface SummedBuy {
  /** UUID. */
  readonly id: string;
  /** Its seller has sent a `final` report. */
  readonly isEnded: boolean;
  /** Figures that came before were known when its seller issued the invoice; absent without one. */
  readonly issuedBy: number | undefined;
}

/** Instants as text: versions that overlap them are read. */
type Bounds = readonly [start: string, end: string];

interface SumsRow {
  readonly seller_buy_id: string;
  readonly package_ref: string;
  readonly micros: string;
  readonly units: string;
  readonly pushed: string | null;
  readonly pulled: string | null;
  readonly known: string | null;
  /** Measurement windows, the first and the last one by name. */
  readonly first_window: string;
  readonly last_window: string;
  /** Null where nothing counts in the period. */
  readonly is_final: boolean | null;
  /** Periods overlap, or there are several versions of one. */
  readonly overlap: boolean;
  /** A figure may be split between months; null or false otherwise. */
  readonly split: boolean | null;
  /** A stream ends in one of the versions. */
  readonly ends: boolean;
  /** One of them begins before the bounds or ends after them. */
  readonly reaches: boolean;
}

/** Days from 1970-01-01 to the day on which a version `v` stands. */
const dayOfVersion = `coalesce(v.first_day::date, (v.period_start at time zone 'UTC')::date) - date '1970-01-01'`;

const covered = 'range_agg(tstzrange(period_start, greatest(period_start, period_end)))';

/**
 * Whether some of the periods of a group overlap: what they cover together is shorter than all of them, or one of them has no
 * length. Most follow each other without a hole, and then one subtraction says what they cover.
 */
export const periodsOverlap = `
  case when bool_or(period_end <= period_start) then true
    when multirange(range_merge(${covered})) = ${covered}
      then upper(${covered}) - lower(${covered}) < sum(period_end - period_start)
    else (select sum(upper(r) - lower(r)) from unnest(${covered}) r) < sum(period_end - period_start) end`;

/**
 * By seller buy and package: what the versions in a period add up to, as `sumsOf` says it. PostgreSQL adds up the packages
 * of which every version counts. The versions of others are read and judged, and those of a buy as a whole where one package
 * may decide about another one.
 */
export async function readPeriodSums(
  client: TenantClient,
  buys: readonly SummedBuy[],
  days: Days,
  bounds: Bounds,
): Promise<ReadonlyMap<string, SumsByPackage>> {
  if (buys.length === 0) return new Map();
  const rows = groupBy(await readSums(client, buys, days, bounds), (row) => row.seller_buy_id);
  const single = buys.filter((buy) => isSingle(buy, rows.get(buy.id) ?? []));
  const linked = await readLinked(
    client,
    single.filter(({ id }) => rows.get(id)?.some(({ reaches }) => reaches)),
    single.filter(({ isEnded }) => isEnded),
    bounds,
  );
  const summed = new Set(single.map(({ id }) => id).filter((id) => !linked.has(id)));
  const judged = await readJudgedSums(
    client,
    buys.filter(({ id }) => !summed.has(id)),
    days,
    bounds,
  );
  const repeated = [...summed].flatMap((id) => (rows.get(id) ?? []).filter(needsJudgement));
  const versions = await readOfPackages(client, repeated, bounds);
  return new Map(
    buys.map(({ id, issuedBy }) => {
      const whole = judged.get(id);
      if (whole !== undefined) return [id, whole];
      const once = (rows.get(id) ?? []).filter((row) => !needsJudgement(row));
      const others = sumsOf(versions.get(id) ?? [], { ...days, issuedBy });
      return [id, new Map([...once.map((row) => [row.package_ref, sumsOfRow(row)] as const), ...others])];
    }),
  );
}

/** The same, with every version read and judged. */
export async function readJudgedSums(
  client: TenantClient,
  buys: readonly SummedBuy[],
  days: Days,
  [start, end]: Bounds,
): Promise<ReadonlyMap<string, SumsByPackage>> {
  if (buys.length === 0) return new Map();
  const window = { start: Date.parse(start), end: Date.parse(end) };
  const versions = await readWholeGroups(client, new Map(buys.map(({ id }) => [id, window])));
  return new Map(buys.map(({ id, issuedBy }) => [id, sumsOf(versions.get(id) ?? [], { ...days, issuedBy })]));
}

/** Whether no package decides about another one: none stands beside a figure of the whole buy, and no unknown end is in it. */
function isSingle({ isEnded }: SummedBuy, rows: readonly SumsRow[]): boolean {
  const besideWhole = rows.length > 1 && rows.some(({ package_ref: ref }) => ref === '');
  return !besideWhole && (isEnded || rows.every(({ ends }) => !ends));
}

/** Whether one version of a package may decide about another one, or a figure stands in several months. */
const needsJudgement = ({ overlap, split, first_window: first, last_window: last }: SumsRow): boolean =>
  overlap || split === true || first !== last;

async function readSums(
  client: TenantClient,
  buys: readonly SummedBuy[],
  { from, to }: Days,
  [start, end]: Bounds,
): Promise<readonly SumsRow[]> {
  const { rows } = await client.query<SumsRow>({
    name: 'finance_period_sums',
    text: `select w.id as seller_buy_id, p.*
           from unnest($1::uuid[], $2::timestamptz[]) w(id, issued_by)
           cross join lateral (
             select package_ref, sum(micros)::text as micros, sum(units)::text as units,
               sum(micros) filter (where source = 'webhook')::text as pushed,
               sum(micros) filter (where source = 'pull')::text as pulled,
               sum(micros) filter (where received_at < w.issued_by)::text as known,
               min(measurement_window) as first_window, max(measurement_window) as last_window,
               bool_and(is_final is true) filter (where is_in) as is_final,
               ${periodsOverlap} as overlap, bool_or(split) as split,
               bool_or(notification_type = 'final' and source = 'webhook') as ends,
               min(period_start) < $5::timestamptz or max(period_end) > $6::timestamptz as reaches
             from (
               select *, case when is_in then spend_micros else 0 end as micros,
                 case when is_in then coalesce(impressions, 0) else 0 end as units
               from (
                 select *, day >= $3::date - date '1970-01-01' and day < $4::date - date '1970-01-01' as is_in
                 from (
                   select v.package_ref, v.period_start, v.period_end, v.spend_micros, v.impressions, v.source,
                     v.received_at, v.measurement_window, v.notification_type, v.is_final,
                     left(v.first_day, 7) <> left(v.last_day, 7) as split, ${dayOfVersion} as day
                   from report_version v
                   where v.seller_buy_id = w.id and v.period_start < $6::timestamptz and v.period_end > $5::timestamptz
                   offset 0) v) v) v
             group by package_ref) p`,
    values: [
      buys.map(({ id }) => id),
      buys.map(({ issuedBy }) => (issuedBy === undefined ? null : isoOf(issuedBy))),
      ...[from, to, start, end],
    ],
  });
  return rows;
}

function sumsOfRow(row: SumsRow): PackageSums {
  const micros = BigInt(row.micros);
  return {
    ...{ micros, units: BigInt(row.units), windows: new Map([[row.first_window, micros]]) },
    ...{ isBeside: row.is_final === null, isFinal: row.is_final === true },
    ...present({ pushed: amountOf(row.pushed), pulled: amountOf(row.pulled), known: amountOf(row.known) }),
  };
}

/** A package of a seller buy, and its sums. */
export interface SummedPackage {
  /** UUID. */
  readonly sellerBuyId: string;
  readonly packageRef: string;
  readonly sums: PackageSums;
}

/** Reads the days and the evidence of packages that were not judged: all their versions count. */
export async function readSumDetails(
  client: TenantClient,
  packages: readonly SummedPackage[],
  { from, to }: Days,
  [start, end]: Bounds,
): Promise<void> {
  const wanted = packages.filter(({ sums }) => sums.details === undefined);
  if (wanted.length === 0) return;
  const { rows } = await client.query<{
    place: number;
    days: string;
    amounts: string;
    evidence: string | null;
  }>({
    name: 'finance_sum_details',
    text: `select w.place::int as place, array_agg(day)::text as days, array_agg(spend_micros)::text as amounts,
             array_agg(v.id) filter (where day >= $3::date - date '1970-01-01' and day < $4::date - date '1970-01-01')::text
               as evidence
           from unnest($1::uuid[], $2::text[]) with ordinality w(seller_buy_id, package_ref, place)
           cross join lateral (
             select v.id, v.spend_micros, ${dayOfVersion} as day from report_version v
             where v.seller_buy_id = w.seller_buy_id and v.package_ref = w.package_ref
               and v.period_start < $6::timestamptz and v.period_end > $5::timestamptz offset 0) v
           group by w.place`,
    values: [
      wanted.map(({ sellerBuyId }) => sellerBuyId),
      wanted.map(({ packageRef }) => packageRef),
      ...[from, to, start, end],
    ],
  });
  const dayOf = rememberedDays();
  for (const { place, days, amounts, evidence } of rows) {
    const of = wanted[place - 1];
    if (of !== undefined)
      of.sums.details = {
        days: sumsByDay(itemsOf(days).map(dayOf), itemsOf(amounts)),
        evidence: evidence === null ? [] : itemsOf(evidence).sort(),
      };
  }
}

function sumsByDay(days: readonly string[], amounts: readonly string[]): SumDetails['days'] {
  const sums = new Map<string, bigint>();
  for (const [at, day] of days.entries()) sums.set(day, (sums.get(day) ?? 0n) + BigInt(amounts[at] ?? 0));
  return sums;
}

const amountOf = (text: string | null): bigint | undefined => (text === null ? undefined : BigInt(text));

/** The items of an array of PostgreSQL whose items need no quotes. */
const itemsOf = (text: string): string[] => text.slice(1, -1).split(',');

/** `YYYY-MM-DD` of days since 1970-01-01. A month has few, each many times. */
function rememberedDays(): (number: string) => string {
  const known = new Map<string, string>();
  return (number) => {
    const day = known.get(number) ?? shiftDay('1970-01-01', Number(number));
    known.set(number, day);
    return day;
  };
}

/**
 * Of these buys those in which versions outside of the bounds may decide: where a version reaches beyond the bounds and
 * overlaps further ones, or where one was sent after the end of its stream.
 */
async function readLinked(
  client: TenantClient,
  reaching: readonly SummedBuy[],
  ended: readonly SummedBuy[],
  [start, end]: Bounds,
): Promise<ReadonlySet<string>> {
  if (reaching.length + ended.length === 0) return new Set();
  const { rows } = await client.query<{ id: string }>({
    name: 'finance_linked_buys',
    text: `select w.id from unnest($1::uuid[]) w(id)
           cross join lateral (
             select min(v.period_start) as first, max(v.period_end) as last from report_version v
             where v.seller_buy_id = w.id and v.period_start < $4::timestamptz and v.period_end > $3::timestamptz) reach
           where exists (
             select from report_version v
             where v.seller_buy_id = w.id and v.period_start < reach.last and v.period_end > reach.first
               and (v.period_end <= $3::timestamptz or v.period_start >= $4::timestamptz))
           union all
           select w.id from unnest($2::uuid[]) w(id)
           where exists (
             select from (
               select v.stream, min(v.sequence_number) as sequence_number, min(v.reported_at) as reported_at
               from report_version v
               where v.seller_buy_id = w.id and v.period_end > '-infinity' and v.notification_type = 'final'
                 and v.source = 'webhook'
               group by v.stream) last
             join report_version v on v.seller_buy_id = w.id and v.stream = last.stream and v.source = 'webhook'
               and v.period_start < $4::timestamptz and v.period_end > $3::timestamptz
               and (v.sequence_number > last.sequence_number or v.reported_at > last.reported_at))`,
    values: [reaching.map(({ id }) => id), ended.map(({ id }) => id), start, end],
  });
  return new Set(rows.map(({ id }) => id));
}

/** By seller buy: the versions of some packages. */
async function readOfPackages(
  client: TenantClient,
  packages: readonly SumsRow[],
  [start, end]: Bounds,
): Promise<ReadonlyMap<string, readonly ReportVersion[]>> {
  if (packages.length === 0) return new Map();
  const { rows } = await client.query<VersionRow>({
    name: 'finance_versions_of_packages',
    text: `select ${versionColumns} from unnest($1::uuid[], $2::text[]) w(seller_buy_id, package_ref)
           cross join lateral (
             select * from report_version v
             where v.seller_buy_id = w.seller_buy_id and v.package_ref = w.package_ref
               and v.period_start < $4::timestamptz and v.period_end > $3::timestamptz offset 0) v`,
    values: [packages.map((row) => row.seller_buy_id), packages.map((row) => row.package_ref), start, end],
  });
  return groupBy(rows.map(versionOf), ({ sellerBuyId }) => sellerBuyId);
}
