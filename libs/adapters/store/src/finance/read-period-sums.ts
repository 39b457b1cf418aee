import { groupBy, shiftDay, type ReportVersion } from '@switchyard/ledger';
import { isoOf } from '@switchyard/values';
import { present } from '../core/present.js';
import type { TenantClient } from '../core/tenant-client.js';
import { readWholeGroups } from '../ledger/read-versions.js';
import { versionColumns, versionOf, type VersionRow } from '../ledger/version-rows.js';
import { sumsOf, type Days, type PackageSums, type SumsByPackage } from './period-sums.js';

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
  /** An array of days since 1970-01-01, and one of their amounts. */
  readonly days: string;
  readonly amounts: string;
  readonly evidence: string | null;
  /** Null where nothing counts in the period. */
  readonly is_final: boolean | null;
  /** Periods overlap, or there are several versions of one; null or false otherwise. */
  readonly overlap: boolean | null;
  /** A figure may be split between months; null or false otherwise. */
  readonly split: boolean | null;
  /** A stream ends in one of the versions. */
  readonly ends: boolean;
  /** One of them begins before the bounds or ends after them. */
  readonly reaches: boolean;
}

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
  const read = sumsReader();
  return new Map(
    buys.map(({ id, issuedBy }) => {
      const whole = judged.get(id);
      if (whole !== undefined) return [id, whole];
      const once = (rows.get(id) ?? []).filter((row) => !needsJudgement(row));
      const others = sumsOf(versions.get(id) ?? [], { ...days, issuedBy });
      return [id, new Map([...once.map((row) => [row.package_ref, read(row)] as const), ...others])];
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
  overlap === true || split === true || first !== last;

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
               array_agg(day)::text as days, array_agg(spend_micros)::text as amounts,
               array_agg(id) filter (where is_in)::text as evidence,
               bool_and(is_final is true) filter (where is_in) as is_final,
               bool_or(before_end > period_start) as overlap, bool_or(split) as split,
               bool_or(notification_type = 'final' and source = 'webhook') as ends,
               min(period_start) < $5::timestamptz or max(period_end) > $6::timestamptz as reaches
             from (
               select *, case when is_in then spend_micros else 0 end as micros,
                 case when is_in then coalesce(impressions, 0) else 0 end as units,
                 lag(period_end) over (partition by package_ref order by period_start, period_end) as before_end
               from (
                 select *, day >= $3::date - date '1970-01-01' and day < $4::date - date '1970-01-01' as is_in
                 from (
                   select v.id, v.package_ref, v.period_start, v.period_end, v.spend_micros, v.impressions, v.source,
                     v.received_at, v.measurement_window, v.notification_type, v.is_final,
                     left(v.first_day, 7) <> left(v.last_day, 7) as split,
                     coalesce(v.first_day::date, (v.period_start at time zone 'UTC')::date) - date '1970-01-01' as day
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

/** Reads a row as the sums of its package. Its days and evidence are needed only where something differs. */
function sumsReader(): (row: SumsRow) => PackageSums {
  const dayOf = rememberedDays();
  return (row) => {
    const micros = BigInt(row.micros);
    return {
      ...{ micros, units: BigInt(row.units), windows: new Map([[row.first_window, micros]]) },
      isFinal: row.is_final === true,
      ...present({ pushed: amountOf(row.pushed), pulled: amountOf(row.pulled), known: amountOf(row.known) }),
      get days() {
        const amounts = itemsOf(row.amounts);
        const days = new Map<string, bigint>();
        for (const [at, number] of itemsOf(row.days).entries()) {
          const day = dayOf(number);
          days.set(day, (days.get(day) ?? 0n) + BigInt(amounts[at] ?? 0));
        }
        return days;
      },
      get evidence() {
        return row.evidence === null ? [] : itemsOf(row.evidence).sort();
      },
    };
  };
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
