import { groupBy } from '../group-by.js';
import type { StreamEnd } from './booked-buy.js';
import { sentInTime } from './judge-order.js';
import { currentOf } from './precedence.js';
import type { ReportVersion } from './report-version.js';

/** A figure that counts, with the shorter ones in whose place it counts, because they leave a hole in its period. */
export interface CountedFigure<V = ReportVersion> {
  readonly version: V;
  readonly replaced: readonly CountedFigure<V>[];
}

type CountedFigures<V> = ReadonlyMap<V, CountedFigure<V>>;

/**
 * Returns the versions of one seller buy that count in its sums, so that no delivery counts twice. A pure
 * function of the set: the order of arrival does not matter.
 *
 * For each package and period one version counts (`currentOf`). Periods may overlap: sellers send days and
 * also totals to date. Where shorter periods fill a longer one completely, they count and the longer one is
 * only a check (docs/ledger.md#periods-and-granularity). Where they leave a gap, the longer one counts,
 * because it includes the gap (docs/ledger.md#periods-and-granularity). A figure for the whole buy counts
 * only where no package has one. What was sent after the `final` report of its stream counts nowhere; `ends` are those
 * of streams whose `final` report is not among the versions.
 */
export function countFigures<V extends ReportVersion>(
  versions: readonly V[],
  ends: readonly StreamEnd[] = [],
): CountedFigures<V> {
  const byPackage = groupBy(sentInTime(versions, ends), (version) => version.packageRef);
  const counted = new Map<V, CountedFigure<V>>();
  for (const [packageRef, ofPackage] of byPackage) {
    if (packageRef === '') continue;
    for (const [version, figure] of withoutOverlap(currentOfEach(ofPackage))) counted.set(version, figure);
  }
  const ofPackages = [...counted.keys()];
  for (const [version, figure] of withoutOverlap(currentOfEach(byPackage.get('') ?? []))) {
    if (!ofPackages.some((other) => overlaps(version, other))) counted.set(version, figure);
  }
  return counted;
}

/** The same without the replaced ones. */
export function countFacts<V extends ReportVersion>(
  versions: readonly V[],
  ends: readonly StreamEnd[] = [],
): readonly V[] {
  return [...countFigures(versions, ends).keys()];
}

function overlaps(
  left: Pick<ReportVersion, 'periodStart' | 'periodEnd'>,
  right: Pick<ReportVersion, 'periodStart' | 'periodEnd'>,
): boolean {
  return left.periodStart < right.periodEnd && right.periodStart < left.periodEnd;
}

/** The version that is valid for each package and period, whether or not it counts. */
export function currentOfEach<V extends ReportVersion>(versions: readonly V[]): readonly V[] {
  const periods = groupBy(
    versions,
    (version) => `${version.periodStart}/${version.periodEnd}/${version.packageRef}`,
  );
  return [...periods.values()]
    .map((ofPeriod) => currentOf(ofPeriod))
    .filter((version) => version !== undefined);
}

/** Shortest first: each longer period is either filled by the chosen ones, or replaces them. */
function withoutOverlap<V extends ReportVersion>(candidates: readonly V[]): CountedFigures<V> {
  if (candidates.length < 2)
    return new Map(candidates.map((version) => [version, { version, replaced: [] }]));
  const byLength = candidates.toSorted(
    (left, right) => lengthOf(left) - lengthOf(right) || left.periodStart - right.periodStart,
  );
  const chosen = new Map<V, CountedFigure<V>>();
  for (const candidate of byLength) {
    const inside = [...chosen.keys()].filter((other) => overlaps(candidate, other));
    if (inside.length > 0 && isFilled(candidate, inside)) continue;
    const replaced = inside.flatMap((other) => chosen.get(other) ?? []);
    for (const other of inside) chosen.delete(other);
    chosen.set(candidate, { version: candidate, replaced });
  }
  return chosen;
}

function lengthOf(version: ReportVersion): number {
  return version.periodEnd - version.periodStart;
}

function isFilled(period: ReportVersion, parts: readonly ReportVersion[]): boolean {
  let reached = period.periodStart;
  for (const part of parts.toSorted((left, right) => left.periodStart - right.periodStart)) {
    if (part.periodStart > reached) return false;
    reached = Math.max(reached, part.periodEnd);
  }
  return reached >= period.periodEnd;
}
