/** Keys of counterparties that were used for the first time, counted. All counts are of one organization. */
export interface AdmissionCounts {
  /** How long ago the first key of all was seen, in milliseconds. */
  readonly knownForMs: number;
  readonly lastFiveMinutes: number;
  readonly lastHour: number;
  readonly lastDay: number;
  readonly last30Days: number;
  /** Of each hour of the last 30 days in which there was one; the others had none. */
  readonly hourly: readonly number[];
  /** The same of each of the last 90 days. */
  readonly daily: readonly number[];
}

export interface AdmissionLimits {
  /** Five minutes against the average of a day. */
  readonly shortRatio: number;
  /** An hour against the 95th percentile of 30 days. */
  readonly mediumRatio: number;
  /** A day against the 99th percentile of 90 days. */
  readonly longRatio: number;
  /** In five minutes, whatever came before. */
  readonly floor: number;
  /** In five minutes, as a share of what was seen in 30 days. */
  readonly share: number;
  /** Fewer than this never alarm by a ratio: one key more than none is infinitely many times as much. */
  readonly least: number;
}

/** Starting values of the profile's tuning guide (docs/protocol/signing.md#new-keys). */
export const defaultAdmissionLimits: AdmissionLimits = {
  shortRatio: 3,
  mediumRatio: 2,
  longRatio: 1.5,
  floor: 20,
  share: 0.1,
  least: 5,
};

export type AdmissionClause = 'short_ratio' | 'medium_ratio' | 'long_ratio' | 'floor_and_share';

/** A new instance meets the keys of all its sellers at once: before this nothing is usual, and only the floor alarms. */
const leastHistoryMs = 24 * 3_600_000;
const fiveMinutesPerDay = 288;
const hoursPer30Days = 720;
const days = 90;

/** The clauses by which so many new keys are more than usual; none is the usual answer. */
export function judgeAdmissions(
  counts: AdmissionCounts,
  limits: AdmissionLimits,
): readonly AdmissionClause[] {
  const isMore = (count: number, ratio: number, usual: number): boolean =>
    counts.knownForMs >= leastHistoryMs && count >= limits.least && count > ratio * usual;
  const found: AdmissionClause[] = [];
  if (isMore(counts.lastFiveMinutes, limits.shortRatio, counts.lastDay / fiveMinutesPerDay)) {
    found.push('short_ratio');
  }
  if (isMore(counts.lastHour, limits.mediumRatio, percentile(counts.hourly, hoursPer30Days, 0.95))) {
    found.push('medium_ratio');
  }
  if (isMore(counts.lastDay, limits.longRatio, percentile(counts.daily, days, 0.99)))
    found.push('long_ratio');
  const ceiling = Math.max(limits.floor, limits.share * counts.last30Days);
  if (counts.lastFiveMinutes > ceiling) found.push('floor_and_share');
  return found;
}

/** The nearest rank among `of` values, of which only those above zero are given. */
function percentile(some: readonly number[], of: number, share: number): number {
  const sorted = [...some].sort((a, b) => a - b);
  const rank = Math.ceil(share * of) - 1 - (of - sorted.length);
  return rank < 0 ? 0 : (sorted[rank] ?? 0);
}
