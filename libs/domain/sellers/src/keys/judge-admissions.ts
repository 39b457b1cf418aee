/** Counts of counterparties' keys that were used for the first time, within one organization. */
export interface AdmissionCounts {
  /** Milliseconds since the first of all keys was seen. */
  readonly knownForMs: number;
  readonly lastFiveMinutes: number;
  readonly lastHour: number;
  readonly lastDay: number;
  readonly last30Days: number;
  /** One count for each hour of the last 30 days that had any; hours with zero are omitted. */
  readonly hourly: readonly number[];
  /** The same for each of the last 90 days. */
  readonly daily: readonly number[];
}

export interface AdmissionLimits {
  /** Last five minutes, compared with the average of the last day. */
  readonly shortRatio: number;
  /** Last hour, compared with the 95th percentile of 30 days. */
  readonly mediumRatio: number;
  /** Last day, compared with the 99th percentile of 90 days. */
  readonly longRatio: number;
  /** Keys in five minutes above which an alarm is raised, unless `share` allows more. */
  readonly floor: number;
  /** Share of the last 30 days' keys that may come in five minutes, if that is more than `floor`. */
  readonly share: number;
  /** Below this count no ratio raises an alarm: against an average near zero any ratio is exceeded. */
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

type AdmissionClause = 'short_ratio' | 'medium_ratio' | 'long_ratio' | 'floor_and_share';

/** A new instance sees the keys of all its sellers at once. Before this age only the floor raises an alarm. */
const leastHistoryMs = 24 * 3_600_000;
const fiveMinutesPerDay = 288;
const hoursPer30Days = 720;
const days = 90;

/** Returns the clauses by which the new keys are more than usual; an empty list if they are not. */
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

/** Returns the percentile by nearest rank among `of` values, of which `some` are those above zero. */
function percentile(some: readonly number[], of: number, share: number): number {
  const sorted = [...some].sort((a, b) => a - b);
  const rank = Math.ceil(share * of) - 1 - (of - sorted.length);
  return rank < 0 ? 0 : (sorted[rank] ?? 0);
}
