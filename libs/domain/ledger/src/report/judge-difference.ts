import { isAdjustment } from './precedence.js';
import { sameFact, type ReportVersion } from './report-version.js';

/** Limits for the difference of a pushed and a pulled figure, in thousandths of the larger one. */
const notable = { spend: 10n, impressions: 20n } as const;
const wide = { spend: 50n, impressions: 100n } as const;

type Figures = Pick<ReportVersion, 'spendMicros' | 'impressions'>;

/**
 * The size of the difference between two figures of one fact (docs/protocol/reconciliation.md#differences).
 * Compares spend and impressions; a count that one of them lacks is ignored. Two zeros are equal.
 */
export function differenceBetween(left: Figures, right: Figures): 'none' | 'notable' | 'wide' {
  const spend = permilleApart(left.spendMicros, right.spendMicros);
  const impressions =
    left.impressions === null || right.impressions === null
      ? 0n
      : permilleApart(left.impressions, right.impressions);
  if (spend > wide.spend || impressions > wide.impressions) return 'wide';
  return spend > notable.spend || impressions > notable.impressions ? 'notable' : 'none';
}

/**
 * The newest comparable figure of the same fact from the other source. Adjustments are not compared, because
 * a difference is expected, nor figures from before the end of the period, because they are incomplete.
 */
export function figureOfOtherWay(
  version: ReportVersion,
  all: readonly ReportVersion[],
): ReportVersion | undefined {
  if (!isComparable(version)) return undefined;
  return all
    .filter((other) => other.source !== version.source && isComparable(other) && sameFact(other, version))
    .reduce<ReportVersion | undefined>(
      (newest, other) => (newest === undefined || other.reportedAt > newest.reportedAt ? other : newest),
      undefined,
    );
}

function isComparable(version: ReportVersion): boolean {
  return !isAdjustment(version) && version.reportedAt >= version.periodEnd;
}

/** In thousandths of the larger one, rounded up, so that any excess over a limit is detected. */
function permilleApart(left: bigint, right: bigint): bigint {
  const [less, more] = left < right ? [left, right] : [right, left];
  return more === 0n ? 0n : ((more - less) * 1_000n + more - 1n) / more;
}
