import { groupBy } from '../group-by.js';
import { currentOf } from './precedence.js';
import type { ReportVersion } from './report-version.js';

/**
 * Returns the versions of one seller buy that count in its sums, so that no delivery counts twice. A pure
 * function of the set: the order of arrival does not matter.
 *
 * For each package and period one version counts (`currentOf`). Periods may overlap: sellers send days and
 * also totals to date. Where shorter periods fill a longer one completely, they count and the longer one is
 * only a check (docs/ledger.md#periods-and-granularity). Where they leave a gap, the longer one counts,
 * because it includes the gap (docs/ledger.md#periods-and-granularity). A figure for the whole buy counts
 * only where no package has one.
 */
export function countFacts<V extends ReportVersion>(versions: readonly V[]): readonly V[] {
  const byPackage = groupBy(versions, (version) => version.packageRef);
  const counted: V[] = [];
  for (const [packageRef, ofPackage] of byPackage) {
    if (packageRef !== '') counted.push(...withoutOverlap(currentOfEach(ofPackage)));
  }
  const ofBuy = withoutOverlap(currentOfEach(byPackage.get('') ?? []));
  return [...counted, ...ofBuy.filter((version) => !counted.some((other) => overlaps(version, other)))];
}

function overlaps(
  left: Pick<ReportVersion, 'periodStart' | 'periodEnd'>,
  right: Pick<ReportVersion, 'periodStart' | 'periodEnd'>,
): boolean {
  return left.periodStart < right.periodEnd && right.periodStart < left.periodEnd;
}

function currentOfEach<V extends ReportVersion>(versions: readonly V[]): readonly V[] {
  const periods = groupBy(versions, (version) => `${version.periodStart}/${version.periodEnd}`);
  return [...periods.values()]
    .map((ofPeriod) => currentOf(ofPeriod))
    .filter((version) => version !== undefined);
}

/** Shortest first: each longer period is either filled by the chosen ones, or replaces them. */
function withoutOverlap<V extends ReportVersion>(candidates: readonly V[]): readonly V[] {
  if (candidates.length < 2) return candidates;
  const byLength = candidates.toSorted(
    (left, right) => lengthOf(left) - lengthOf(right) || left.periodStart - right.periodStart,
  );
  let chosen: V[] = [];
  for (const candidate of byLength) {
    const inside = chosen.filter((other) => overlaps(candidate, other));
    if (inside.length > 0 && isFilled(candidate, inside)) continue;
    chosen = [...chosen.filter((other) => !inside.includes(other)), candidate];
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
