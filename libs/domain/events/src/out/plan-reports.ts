import { isBuyOver } from '@switchyard/protocol';
import type { Instant } from '@switchyard/values';
import { splitPeriods, frequencyOf, timeoutOf, periodAt, type PeriodFigures } from './report-periods.js';
import type { OutboxDraft } from './outbox-event.js';
import type { ReportFacts, ReportedPeriod } from './report-facts.js';
import { writeReport, type ReportToWrite } from './write-report.js';

export interface ReportPlan {
  readonly reports: readonly OutboxDraft[];
  /** The periods in these reports, one each. */
  readonly reportedPeriods: readonly (ReportedPeriod & { readonly eventId: string })[];
  readonly sequenceNumber: number;
  /** When to plan again, if nothing happens before; absent once `final` is written, or no buy was made. */
  readonly checkAgainAt?: Instant;
}

type Notice = Omit<ReportToWrite, 'sequenceNumber' | 'at'>;

/** Maximum time between two plans, in milliseconds. */
const longestPauseMs = 6 * 3_600_000;

/**
 * Decides which reports about a media buy are due to a buyer (docs/decisions/reports-to-buyers.md).
 *
 * A period is reported once every seller of the buy has reported it to its end, or the timeout for a late one
 * has passed. When figures of a reported period change, an adjusted report is sent. After the buy has ended
 * and its sellers have sent their last report, `final` repeats the last period, and nothing follows it.
 */
export function planReports(
  facts: ReportFacts,
  now: Instant,
  newIds: () => { readonly id: string; readonly idempotencyKey: string },
): ReportPlan {
  const isMade = facts.sellers.length > 0;
  if (!isMade && facts.isSettled)
    return { reports: [], reportedPeriods: [], sequenceNumber: facts.sequenceNumber };
  const frequency = frequencyOf(facts.registration.frequency);
  const timeout = timeoutOf(frequency);
  const periods = splitPeriods(facts, frequency);
  const ends = isMade && hasEnded(facts, now, timeout);
  const due = ends
    ? finalNotices(facts, periods, now)
    : periods.flatMap((period) => noticeOf(facts, period, now, timeout));
  const written = due.map((notice, index) => ({
    notice,
    draft: writeReport(
      facts,
      { ...notice, sequenceNumber: facts.sequenceNumber + index + 1, at: now },
      newIds(),
    ),
  }));
  return {
    reports: written.map(({ draft }) => draft),
    reportedPeriods: written.map(({ notice, draft }) => ({
      start: notice.period.start,
      end: notice.period.end,
      figuresHash: notice.period.figuresHash,
      eventId: draft.id,
    })),
    sequenceNumber: facts.sequenceNumber + written.length,
    ...(ends ? {} : { checkAgainAt: nextCheck(facts, periods, now, timeout) }),
  };
}

/** Whether the buy has ended and no more reports are expected; the timeout applies to silent sellers. */
function hasEnded({ buy, sellers }: ReportFacts, now: Instant, timeout: number): boolean {
  if (!isBuyOver(buy.status)) return false;
  return sellers.every((seller) => seller.hasEnded) || buy.updatedAt + timeout <= now;
}

function noticeOf(
  facts: ReportFacts,
  period: PeriodFigures,
  now: Instant,
  timeout: number,
): readonly Notice[] {
  const known = receivedOf(facts, period);
  const partialData = !isComplete(facts, period);
  if (known !== undefined)
    return known.figuresHash === period.figuresHash
      ? []
      : [{ type: 'adjusted', period, partialData, isAdjusted: true }];
  if (partialData && firstSeen(period) + timeout > now) return [];
  const { end } = periodAt(period.end, frequencyOf(facts.registration.frequency));
  const next = end > now ? { nextExpectedAt: end } : {};
  return [{ type: 'scheduled', period, partialData, isAdjusted: false, ...next }];
}

/** The unreported periods, then `final` with the current last period. */
function finalNotices(
  facts: ReportFacts,
  periods: readonly PeriodFigures[],
  now: Instant,
): readonly Notice[] {
  const partialData = !facts.sellers.every((seller) => seller.hasEnded);
  const last = periods.at(-1) ?? wholeFlight(facts, now);
  const before = periods.slice(0, -1).flatMap((period) => noticeOf(facts, period, Infinity, 0));
  const known = receivedOf(facts, last);
  const isAdjusted = known !== undefined && known.figuresHash !== last.figuresHash;
  return [
    ...before.map(({ nextExpectedAt: _over, ...notice }) => notice),
    { type: 'final', period: last, partialData, isAdjusted },
  ];
}

/** Every seller has reported to the end of the period, or has sent its last report. */
function isComplete({ sellers, figures }: ReportFacts, { end }: PeriodFigures): boolean {
  return sellers.every(
    ({ seller, hasEnded: isThrough }) =>
      isThrough || figures.some((figure) => figure.seller === seller && figure.end >= end),
  );
}

function receivedOf(
  { reportedPeriods }: ReportFacts,
  { start, end }: PeriodFigures,
): ReportedPeriod | undefined {
  return reportedPeriods.find((period) => period.start === start && period.end === end);
}

function firstSeen({ figures }: PeriodFigures): Instant {
  return Math.min(...figures.map((figure) => figure.seenAt));
}

/** The flight until now, for a buy that ended without figures. */
function wholeFlight({ buy }: ReportFacts, now: Instant): PeriodFigures {
  const start = Date.parse(buy.startTime);
  const end = Math.min(Date.parse(buy.endTime), now);
  return { start, end: Math.max(end, start + 1), figures: [], figuresHash: '' };
}

function nextCheck(
  facts: ReportFacts,
  periods: readonly PeriodFigures[],
  now: Instant,
  timeout: number,
): Instant {
  const waits = periods
    .filter((period) => receivedOf(facts, period) === undefined)
    .map((period) => firstSeen(period) + timeout)
    .concat(isBuyOver(facts.buy.status) ? [facts.buy.updatedAt + timeout] : [])
    .filter((at) => at > now);
  return Math.min(now + longestPauseMs, ...waits);
}
