import {
  countFacts,
  countFigures,
  firstDayOf,
  groupBy,
  sharesOf,
  type CountedFigure,
  type ReportVersion,
} from '@switchyard/ledger';
import { present } from '../core/present.js';

/** A half-open period, `YYYY-MM-DD`. */
export interface Days {
  readonly from: string;
  readonly to: string;
}

interface Cut extends Days {
  /** Figures that came before were known when the invoice was issued; absent without one. */
  readonly issuedBy: number | undefined;
}

/** What of the sums of a package is looked at only where something differs. */
export interface SumDetails {
  /** What counts by day, in the period and next to it. */
  readonly days: ReadonlyMap<string, bigint>;
  /** Ids of the versions that count in the period, in order. */
  readonly evidence: readonly string[];
}

/** What the versions of one package add up to in a period. */
export interface PackageSums {
  /** What counts in the period. */
  readonly micros: bigint;
  readonly units: bigint;
  /** Nothing counts in the period itself. */
  readonly isBeside: boolean;
  /** Absent until `readSumDetails` has read them. */
  details?: SumDetails;
  /** What would count with the pushed versions alone, and with the pulled ones; absent where there are none. */
  readonly pushed?: bigint;
  readonly pulled?: bigint;
  /** The same for reporting periods that came both ways; absent where there are none. */
  readonly bothWays?: BothWays;
  /** What counted when the invoice was issued; absent where nothing was known, or no invoice is. */
  readonly known?: bigint;
  /** What would count with each measurement window alone. */
  readonly windows: ReadonlyMap<string, bigint>;
  /** Something counts in the period, and all of it is final. */
  readonly isFinal: boolean;
}

interface BothWays {
  readonly reportedMicros: bigint;
  readonly polledMicros: bigint;
}

export type SumsByPackage = ReadonlyMap<string, PackageSums>;

/** By package: the sums of all versions of one seller buy. */
export function sumsOf(versions: readonly ReportVersion[], cut: Cut): SumsByPackage {
  const all = amounts(countFigures(versions).values(), cut);
  // Often one subset holds all versions: then the result is shared.
  const amountsOf = (some: readonly ReportVersion[]) =>
    some.length === versions.length ? all : amounts(countFigures(some).values(), cut);
  const pushed = amountsOf(versions.filter(({ source }) => source === 'webhook'));
  const pulled = amountsOf(versions.filter(({ source }) => source === 'pull'));
  const bothWays = pushed === all || pulled === all ? undefined : cameBothWays(versions, cut);
  const { issuedBy } = cut;
  const known =
    issuedBy === undefined
      ? undefined
      : amountsOf(versions.filter(({ receivedAt }) => receivedAt < issuedBy));
  const windows = [...groupBy(versions, ({ measurementWindow }) => measurementWindow)].map(
    ([window, of]) => [window, amountsOf(of)] as const,
  );
  return new Map(
    [...all].map(([packageRef, { micros, days, units, evidence, isFinal }]) => [
      packageRef,
      {
        ...{ micros, units, isBeside: evidence.length === 0, isFinal: evidence.length > 0 && isFinal },
        details: { days, evidence: evidence.toSorted() },
        ...present({
          pushed: pushed.get(packageRef)?.micros,
          pulled: pulled.get(packageRef)?.micros,
          bothWays: bothWays?.get(packageRef),
          known: known?.get(packageRef)?.micros,
        }),
        windows: new Map(
          windows.flatMap(([window, of]) => {
            const found = of.get(packageRef);
            return found === undefined ? [] : [[window, found.micros]];
          }),
        ),
      },
    ]),
  );
}

/** By package: pushed and pulled figures of the same reporting periods, as each source would count. */
function cameBothWays(versions: readonly ReportVersion[], { from, to }: Days) {
  const sums = new Map<string, { reportedMicros: bigint; polledMicros: bigint }>();
  const facts = groupBy(
    versions,
    (version) => `${version.packageRef}/${version.periodStart}/${version.periodEnd}`,
  );
  for (const ofFact of facts.values()) {
    const [pushed] = countFacts(ofFact.filter(({ source }) => source === 'webhook'));
    const [pulled] = countFacts(ofFact.filter(({ source }) => source === 'pull'));
    if (pushed === undefined || pulled === undefined) continue;
    const day = firstDayOf(pushed);
    if (day < from || day >= to) continue;
    const known = sums.get(pushed.packageRef) ?? { reportedMicros: 0n, polledMicros: 0n };
    sums.set(pushed.packageRef, {
      reportedMicros: known.reportedMicros + pushed.spendMicros,
      polledMicros: known.polledMicros + pulled.spendMicros,
    });
  }
  return sums;
}

interface Amounts {
  micros: bigint;
  units: bigint;
  readonly days: Map<string, bigint>;
  readonly evidence: string[];
  /** None of the evidence is not final. */
  isFinal: boolean;
}

/** By package: what counts in the period, and on each day in it and next to it. */
function amounts(counted: Iterable<CountedFigure>, { from, to }: Days): ReadonlyMap<string, Amounts> {
  const found = new Map<string, Amounts>();
  const isIn = (day: string): boolean => day >= from && day < to;
  for (const figure of counted) {
    const { version } = figure;
    const known = found.get(version.packageRef);
    const sums: Amounts = known ?? { micros: 0n, units: 0n, days: new Map(), evidence: [], isFinal: true };
    found.set(version.packageRef, sums);
    const shares = sharesOf(figure);
    for (const { day, micros } of shares) {
      sums.days.set(day, (sums.days.get(day) ?? 0n) + micros);
      if (isIn(day)) sums.micros += micros;
    }
    if (shares.some(({ day }) => isIn(day))) {
      sums.evidence.push(version.id);
      sums.isFinal &&= version.isFinal === true;
    }
    sums.units += unitsIn(version, isIn);
  }
  return found;
}

/** Units are split as the days are, without looking at what is known of single days. */
function unitsIn(version: ReportVersion, isIn: (day: string) => boolean): bigint {
  const units = version.impressions ?? 0n;
  const shares = sharesOf({ version: { ...version, spendMicros: units }, replaced: [] });
  return shares.reduce((sum, { day, micros }) => sum + (isIn(day) ? micros : 0n), 0n);
}
