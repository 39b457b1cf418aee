import type { Finding } from '@switchyard/protocol';
import type { Instant } from '@switchyard/values';
import type { LedgerEntry } from '../entry/entry.js';
import { judgeSequence } from './judge-order.js';
import type { Observation, QuarantineReason, ReportOutcome } from './observation.js';
import { judgeSpend, usualSpendLimit, type SpendLimit } from './judge-spend.js';
import { postReport } from './post-report.js';
import { readReport, type BuyReport } from './read-report.js';
import type { ReportRepository } from './report-repository.js';
import { type ReportVersion, sameFact, type VersionDraft } from './report-version.js';
import type { PackageMove } from '../spend.js';

/** What is stored for one observation, and its outcome. */
export interface ReportDecision {
  readonly outcome: ReportOutcome;
  readonly versions: readonly ReportVersion[];
  readonly entries: readonly LedgerEntry[];
  readonly moves: readonly PackageMove[];
  /** Seller buys whose reporting has ended, with the seller's own time. */
  readonly ended: readonly { readonly sellerBuyId: string; readonly at: Instant }[];
}

/**
 * Decides about one report. The decision is recorded in `repository`, so that the next report of the batch is
 * checked against it. `newId` returns UUIDs.
 *
 * A report is applied whole or not at all: one wrong row quarantines all of it, because the other rows cannot
 * be trusted either. Unknown figures (docs/ledger.md#unknown-figures) are left out, with a finding.
 */
export function decideReport(
  observation: Observation,
  repository: ReportRepository,
  newId: () => string,
  limit: SpendLimit = usualSpendLimit,
): ReportDecision {
  if (observation.report.notificationType === 'delayed') {
    return unposted('nothing', [{ code: 'REPORT_DELAYED', message: 'The seller has no figures yet.' }]);
  }
  const read = readReport(observation, repository, newId);
  if (read.kind === 'deferred') return undecided({ kind: 'deferred' });
  if (read.kind === 'quarantined') return undecided({ kind: 'quarantined', reasons: read.reasons });

  const fresh = read.buys.map((report) => withoutRepeats(report, repository));
  const reasons = fresh.flatMap((report) => contradictions(report, observation, repository, limit));
  if (reasons.length > 0) return undecided({ kind: 'quarantined', reasons });

  const posted = fresh
    .filter((report) => report.versions.length > 0)
    .map((report) => postReport(observation, report, repository, newId()));
  const ended = endStream(observation, read.buys, repository);
  const findings = [
    ...fresh.filter((report) => report.versions.length === 0).flatMap((report) => report.findings),
    ...posted.flatMap((post) => post.findings),
  ];
  if (posted.length === 0) {
    const hadFigures = read.buys.some((report) => report.versions.length > 0);
    return { ...unposted(hadFigures ? 'duplicate' : 'nothing', findings), ended };
  }
  const entries = posted.map((post) => post.entry);
  const versions = posted.flatMap((post) => post.versions);
  const entryIds = entries.map((entry) => entry.id);
  return {
    outcome: { kind: 'applied', entryIds, versions: versions.length, findings },
    versions,
    entries,
    moves: posted.flatMap((post) => post.moves),
    ended,
  };
}

function withoutRepeats(report: BuyReport, repository: ReportRepository): BuyReport {
  const versions = report.versions.filter(
    ({ version }) => !isRepeat(version, repository.versionsOfFact(version)),
  );
  return { ...report, versions };
}

/** Contradictions that a person may override by admitting the report. */
function contradictions(
  report: BuyReport,
  observation: Observation,
  repository: ReportRepository,
  limit: SpendLimit,
): readonly QuarantineReason[] {
  if (observation.admitted !== undefined) return [];
  return [
    ...report.versions.map(({ version, field }) =>
      judgeSequence(version, repository.versionsOfFact(version), field),
    ),
    judgeSpend(report, repository, limit),
    judgeMonths(report),
  ].filter((reason) => reason !== undefined);
}

/** Where a person wants to see figures over the end of a month first. */
function judgeMonths({ buy, versions }: BuyReport): QuarantineReason | undefined {
  const long = versions.find(({ version }) => {
    const { firstDay, lastDay } = version;
    return firstDay !== null && firstDay.slice(0, 7) !== lastDay?.slice(0, 7);
  });
  if (buy.longPeriods !== 'hold' || long === undefined) return undefined;
  const message = 'The period has days of several months: a person decides whether it is split.';
  return { code: 'crosses_month', message, field: long.field };
}

/**
 * The `final` report ends its stream, with or without figures (docs/ledger.md#facts-versions-and-finality).
 */
function endStream(
  observation: Observation,
  buys: readonly BuyReport[],
  repository: ReportRepository,
): ReportDecision['ended'] {
  const { report, source, stream, reportedAt } = observation;
  if (report.notificationType !== 'final' || source !== 'webhook') return [];
  const { sequenceNumber } = report;
  for (const { buy } of buys) {
    repository.end(buy, { stream, reportedAt, ...(sequenceNumber === undefined ? {} : { sequenceNumber }) });
  }
  return buys.map(({ buy }) => ({ sellerBuyId: buy.sellerBuyId, at: reportedAt }));
}

function undecided(outcome: ReportOutcome): ReportDecision {
  return { outcome, versions: [], entries: [], moves: [], ended: [] };
}

function unposted(kind: 'duplicate' | 'nothing', findings: readonly Finding[]): ReportDecision {
  return undecided({ kind, findings });
}

/**
 * Whether a version repeats a recorded one, so that recording it would add nothing.
 *
 * A push is a repeat if everything is equal, including its time: it was sent again under a new key
 * (docs/ledger.md#facts-versions-and-finality). The same figures with a later time are not a repeat: they may
 * have to take precedence over a push that arrives between the two. A pull is a repeat if its figures equal
 * the last pull and nothing was pushed in between; otherwise every poll would add a row.
 */
function isRepeat(version: VersionDraft, known: readonly ReportVersion[]): boolean {
  const sameStream = known.filter((other) => other.stream === version.stream && sameFact(other, version));
  if (version.source === 'webhook') {
    return sameStream.some(
      (other) =>
        sameFigures(other, version) &&
        other.sequenceNumber === version.sequenceNumber &&
        other.notificationType === version.notificationType &&
        other.reportedAt === version.reportedAt,
    );
  }
  const last = sameStream.reduce<ReportVersion | undefined>(
    (latest, other) => (latest === undefined || other.reportedAt >= latest.reportedAt ? other : latest),
    undefined,
  );
  if (last === undefined || !sameFigures(last, version)) return false;
  // A push since the last pull needs this pull, even with equal figures.
  return !known.some(
    (other) =>
      other.source === 'webhook' &&
      sameFact(other, version) &&
      other.reportedAt > last.reportedAt &&
      other.reportedAt <= version.reportedAt,
  );
}

function sameFigures(left: VersionDraft, right: VersionDraft): boolean {
  return (
    left.spendMicros === right.spendMicros &&
    left.impressions === right.impressions &&
    left.clicks === right.clicks &&
    left.isFinal === right.isFinal &&
    left.currency === right.currency
  );
}
