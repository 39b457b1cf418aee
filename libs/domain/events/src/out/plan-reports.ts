import { isBuyOver } from '@switchyard/protocol';
import type { Instant } from '@switchyard/values';
import { cutPeriods, frequencyOf, timeoutOf, periodAt, type CutPeriod } from './cut-periods.js';
import type { OutboxDraft } from './outbox-event.js';
import type { ReportFacts, ReportedPeriod } from './report-facts.js';
import { writeReport, type ReportToWrite } from './write-report.js';

export interface ReportPlan {
  readonly reports: readonly OutboxDraft[];
  /** What the buyer has been told once the reports are written; one per period that they speak of. */
  readonly reportedPeriods: readonly (ReportedPeriod & { readonly eventId: string })[];
  readonly sequenceNumber: number;
  /** When to look again, if nothing happens before; nothing once `final` is written, or no buy came about. */
  readonly lookAgainAt?: Instant;
}

type Notice = Omit<ReportToWrite, 'sequenceNumber' | 'at'>;

/** Nothing falls due for longer than this without a look. */
const longestLookMs = 6 * 3_600_000;

/**
 * Decides which reports one buyer is owed of one media buy (docs/decisions/reports-to-buyers.md).
 *
 * A period is told once every seller of the buy has come to its end, or patience with a late one has run out. When
 * the figures of a told period change, they are told again as adjusted. After the buy has ended and its sellers have
 * sent their last, `final` repeats the last period, and nothing follows it.
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
  const periods = cutPeriods(facts, frequency);
  const ends = isMade && hasEnded(facts, now, timeout);
  const due = ends
    ? finalNotices(facts, periods, now)
    : periods.flatMap((cut) => noticeOf(facts, cut, now, timeout));
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
    ...(ends ? {} : { lookAgainAt: nextLook(facts, periods, now, timeout) }),
  };
}

/** Over, and nobody has anything left to say; a seller that stays silent is waited for no longer than for a report. */
function hasEnded({ buy, sellers }: ReportFacts, now: Instant, timeout: number): boolean {
  if (!isBuyOver(buy.status)) return false;
  return sellers.every((seller) => seller.hasEnded) || buy.updatedAt + timeout <= now;
}

function noticeOf(facts: ReportFacts, cut: CutPeriod, now: Instant, timeout: number): readonly Notice[] {
  const known = receivedOf(facts, cut);
  const partialData = !isComplete(facts, cut);
  if (known !== undefined)
    return known.figuresHash === cut.figuresHash
      ? []
      : [{ type: 'adjusted', period: cut, partialData, isAdjusted: true }];
  if (partialData && firstSeen(cut) + timeout > now) return [];
  const { end } = periodAt(cut.end, frequencyOf(facts.registration.frequency));
  const next = end > now ? { nextExpectedAt: end } : {};
  return [{ type: 'scheduled', period: cut, partialData, isAdjusted: false, ...next }];
}

/** What was not told yet, then `final` with the last period as it stands. */
function finalNotices(facts: ReportFacts, periods: readonly CutPeriod[], now: Instant): readonly Notice[] {
  const partialData = !facts.sellers.every((seller) => seller.hasEnded);
  const last = periods.at(-1) ?? wholeFlight(facts, now);
  const before = periods.slice(0, -1).flatMap((cut) => noticeOf(facts, cut, Infinity, 0));
  const known = receivedOf(facts, last);
  const isAdjusted = known !== undefined && known.figuresHash !== last.figuresHash;
  return [
    ...before.map(({ nextExpectedAt: _over, ...notice }) => notice),
    { type: 'final', period: last, partialData, isAdjusted },
  ];
}

/** Every seller has come as far as the end of the period, or will not come further. */
function isComplete({ sellers, figures }: ReportFacts, { end }: CutPeriod): boolean {
  return sellers.every(
    ({ seller, hasEnded: isThrough }) =>
      isThrough || figures.some((figure) => figure.seller === seller && figure.end >= end),
  );
}

function receivedOf({ reportedPeriods }: ReportFacts, { start, end }: CutPeriod): ReportedPeriod | undefined {
  return reportedPeriods.find((period) => period.start === start && period.end === end);
}

function firstSeen({ figures }: CutPeriod): Instant {
  return Math.min(...figures.map((figure) => figure.seenAt));
}

/** The flight so far, for a buy that ended before any figure came. */
function wholeFlight({ buy }: ReportFacts, now: Instant): CutPeriod {
  const start = Date.parse(buy.startTime);
  const end = Math.min(Date.parse(buy.endTime), now);
  return { start, end: Math.max(end, start + 1), figures: [], figuresHash: '' };
}

function nextLook(facts: ReportFacts, periods: readonly CutPeriod[], now: Instant, timeout: number): Instant {
  const waits = periods
    .filter((cut) => receivedOf(facts, cut) === undefined)
    .map((cut) => firstSeen(cut) + timeout)
    .concat(isBuyOver(facts.buy.status) ? [facts.buy.updatedAt + timeout] : [])
    .filter((at) => at > now);
  return Math.min(now + longestLookMs, ...waits);
}
