import type { Finding } from '@switchyard/protocol';
import type { BookedBuy } from './booked-buy.js';
import { isRowMove, rowState, reportedRow } from './delivery-row-states.js';
import { entryFacts } from '../entry/entry-facts.js';
import { entryOf, type LedgerEntry } from '../entry/entry.js';
import type { Observation } from './observation.js';
import { spendPostings, type Posting } from '../entry/posting.js';
import { wantsPull, isAdjustment } from './precedence.js';
import { halfMinorUnit } from './read-amount.js';
import type { BuyReport } from './read-report.js';
import type { CountChange, ReportRepository } from './report-repository.js';
import { sameFact, type ReportVersion } from './report-version.js';
import { isSplit, restOf } from '../calendar/share-days.js';
import type { PackageMove } from '../spend.js';

interface PostedReport {
  readonly versions: readonly ReportVersion[];
  readonly entry: LedgerEntry;
  readonly moves: readonly PackageMove[];
  readonly findings: readonly Finding[];
}

/**
 * Records one report on one buy as one entry: its versions, and the differences that they cause, by day. The
 * sum of all postings therefore always equals the counted figures, and the history is kept.
 */
export function postReport(
  observation: Observation,
  report: BuyReport,
  repository: ReportRepository,
  entryId: string,
): PostedReport {
  const { buy } = report;
  const versions = numbered(report, repository, entryId);
  const change = repository.record(buy.sellerBuyId, versions);
  const moves = movesOf(change, repository.openFrom);
  const postings = differences(moves, buy.currency);
  const findings = [...report.findings, ...findingsOf(versions, change, buy, repository)];
  const entry = entryOf({
    id: entryId,
    kind: kindOf(postings, change),
    operationId: buy.operationId,
    mediaBuyId: buy.mediaBuyId,
    seller: buy.seller,
    occurredAt: observation.receivedAt,
    postings,
    facts: entryFacts(observation, { versions, change, moves, findings, openFrom: repository.openFrom }),
  });
  return { versions, entry, moves, findings };
}

/** The versions of a report, numbered after the known ones. */
export function numbered(
  report: BuyReport,
  repository: ReportRepository,
  entryId: string,
): readonly ReportVersion[] {
  return report.versions.map(({ version }) => ({
    ...version,
    version: repository.versionsOfFact(version).length + 1,
    entryId,
  }));
}

/**
 * Moves by day. Amounts of a closed period are booked on the first open day
 * (docs/ledger.md#closing-a-period); their versions contain the real days.
 */
export function movesOf({ moves }: CountChange, openFrom: string | undefined): readonly PackageMove[] {
  return moves.map(({ version, day: own, micros: amountMicros }) => {
    const { sellerBuyId, mediaBuyId, seller, packageRef, currency } = version;
    const day = openFrom !== undefined && own < openFrom ? openFrom : own;
    return { sellerBuyId, mediaBuyId, seller, packageRef, currency, day, amountMicros };
  });
}

/** Days without a change have no lines. */
export function differences(moves: readonly PackageMove[], currency: string): readonly Posting[] {
  const byDay = new Map<string, bigint>();
  for (const { day, amountMicros } of moves) byDay.set(day, (byDay.get(day) ?? 0n) + amountMicros);
  return [...byDay]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .flatMap(([day, micros]) => spendPostings(day, currency, micros));
}

function kindOf(postings: readonly Posting[], { stops }: CountChange): LedgerEntry['kind'] {
  if (postings.length === 0) return 'observation';
  return stops.length > 0 ? 'restatement' : 'delivery';
}

function findingsOf(
  versions: readonly ReportVersion[],
  change: CountChange,
  buy: BookedBuy,
  repository: ReportRepository,
): readonly Finding[] {
  const findings: Finding[] = versions.flatMap((version) =>
    reopened(version, repository.versionsOfFact(version)),
  );
  const note = (code: string, message: string, field: string) => findings.push({ code, message, field });
  for (const version of versions) {
    const sameFacts = repository.versionsOfFact(version);
    const apart = distance(version, sameFacts);
    if (apart === 'notable')
      note(figuresDiffer, "The seller's webhook and its answer to our question differ.", version.packageRef);
    if (apart === 'wide')
      note(
        figuresDifferWidely,
        "The seller's webhook and its answer to our question differ widely.",
        version.packageRef,
      );
    if (change.starts.includes(version)) {
      if (wantsPull(version, sameFacts)) {
        note('NEEDS_PULL', 'Adjusted after the last pull: the next pull decides.', version.packageRef);
      }
    } else {
      note(
        'DOES_NOT_COUNT',
        'Recorded as a check: another figure counts for this period.',
        version.packageRef,
      );
    }
  }
  for (const stopped of change.stops) {
    const successor = change.starts.find((version) => sameFact(version, stopped));
    if (stopped.isFinal === true && successor?.spendMicros !== stopped.spendMicros) {
      note('RESTATED_AFTER_FINAL', 'A final figure has changed.', stopped.packageRef);
    }
  }
  return [
    ...findings,
    ...change.starts.flatMap((version) => splitOf(version, repository)),
    ...overBudget(change, buy, repository),
  ];
}

/** The findings for a figure whose days are of several months. */
function splitOf(version: ReportVersion, repository: ReportRepository): readonly Finding[] {
  const figure = repository.figureOf(version);
  if (figure === undefined || !isSplit(version)) return [];
  const { firstDay, lastDay, packageRef: field } = version;
  const message = `From ${firstDay ?? ''} to ${lastDay ?? ''}: split between months by their days.`;
  const isLess = restOf(figure).some(({ micros }) => micros < 0n);
  const less = 'The single days are more than the whole: the rest is below zero.';
  return [
    { code: 'SPLIT_BY_DAYS', message, field },
    ...(isLess ? [{ code: 'REST_BELOW_ZERO', message: less, field }] : []),
  ];
}

/** The finding for a version that reopens a final figure: it is recorded, but does not count. */
function reopened(version: ReportVersion, sameFacts: readonly ReportVersion[]): readonly Finding[] {
  const earlier = sameFacts.filter((other) => other !== version && other.reportedAt < version.reportedAt);
  const from = rowState(earlier.toSorted((left, right) => left.reportedAt - right.reportedAt));
  const to = reportedRow(from, version);
  if (isRowMove(from, to)) return [];
  const message = `The seller reports ${to} of a figure that is ${from}: that cannot follow, and does not count.`;
  return [{ code: illegalRowMove, message, field: version.packageRef }];
}

function distance(version: ReportVersion, all: readonly ReportVersion[]) {
  const other = figureOfOtherWay(version, all);
  return other === undefined ? 'none' : differenceBetween(version, other);
}

/** The findings for a pushed and a pulled figure that differ (docs/protocol/reconciliation.md#differences). */
const figuresDiffer = 'FIGURES_DIFFER';
export const figuresDifferWidely = 'FIGURES_DIFFER_WIDELY';

/** The finding for a report that reopens a final figure. */
export const illegalRowMove = 'ILLEGAL_TRANSITION';

function overBudget(
  { starts }: CountChange,
  buy: BookedBuy,
  repository: ReportRepository,
): readonly Finding[] {
  const slack = halfMinorUnit(buy.currency);
  const message = 'More was reported than was bought.';
  return [...new Set(starts.map(({ packageRef }) => packageRef))].flatMap((field) => {
    const budgets = buy.packages.filter(({ ref }) => field === '' || ref === field);
    if (budgets.length === 0) return [];
    const budget = budgets.reduce((sum, { budgetMicros }) => sum + budgetMicros, 0n);
    const spent = field === '' ? repository.spentOnBuy(buy) : repository.spentOn(buy.sellerBuyId, field);
    return spent > budget + slack ? [{ code: 'OVER_BUDGET', message, field }] : [];
  });
}

/** Limits for the difference of a pushed and a pulled figure, in thousandths of the larger one. */
const notable = { spend: 10n, impressions: 20n } as const;
const wide = { spend: 50n, impressions: 100n } as const;

type Figures = Pick<ReportVersion, 'spendMicros' | 'impressions'>;

/**
 * The size of the difference between two figures of one fact (docs/protocol/reconciliation.md#differences).
 * Compares spend and impressions; a count that one of them lacks is ignored. Two zeros are equal.
 */
function differenceBetween(left: Figures, right: Figures): 'none' | 'notable' | 'wide' {
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
function figureOfOtherWay(version: ReportVersion, all: readonly ReportVersion[]): ReportVersion | undefined {
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
