import type { DeliveryReport, MediaBuyDelivery, PackageDelivery } from '@switchyard/protocol';
import type { BookedBuy } from '../report/booked-buy.js';
import { decideReport, type ReportDecision } from '../report/decide-report.js';
import type { Observation } from '../report/observation.js';
import { ReportRepository, type LedgerContents } from '../report/report-repository.js';
import type { ReportVersion } from '../report/report-version.js';

/** Functions that create reports for the specs of this library, and an in-memory ledger. */
export const dayStart = Date.UTC(2026, 10, 1);
const dayMs = 86_400_000;

export const buy: BookedBuy = {
  sellerBuyId: '00000000-0000-4000-8000-00000000000b',
  mediaBuyId: 'mb_1',
  operationId: '00000000-0000-4000-8000-00000000000a',
  connectionId: '00000000-0000-4000-8000-00000000000c',
  seller: 'acme',
  sellerMediaBuyId: 'their-buy',
  currency: 'EUR',
  packages: [
    { ref: 'p1', budgetMicros: 1_000_000_000n },
    { ref: 'p2', budgetMicros: 1_000_000_000n },
  ],
  ended: [],
};

/** The period from day `from` to before day `to`, counted from the first of November 2026. */
export function days(from: number, to = from + 1): { readonly start: string; readonly end: string } {
  return {
    start: new Date(dayStart + from * dayMs).toISOString(),
    end: new Date(dayStart + to * dayMs).toISOString(),
  };
}

export function row(packageId: string, spend: string, more: Partial<PackageDelivery> = {}): PackageDelivery {
  return { packageId, spend, original: {}, ...more };
}

export function delivery(
  byPackage: readonly PackageDelivery[],
  total?: string,
  more: Partial<MediaBuyDelivery> = {},
): MediaBuyDelivery {
  const sum = byPackage.reduce((all, { spend }) => all + Number(spend), 0);
  return {
    mediaBuyId: 'their-buy',
    status: 'active',
    isAdjusted: false,
    totals: { spend: total ?? String(sum), original: {} },
    byPackage,
    ...more,
  };
}

export function report(
  deliveries: readonly MediaBuyDelivery[],
  more: Partial<DeliveryReport> = {},
): DeliveryReport {
  return {
    notificationType: 'scheduled',
    period: days(0),
    currency: 'EUR',
    partialData: false,
    deliveries,
    ...more,
  };
}

/** A pushed report of the stream `s1`; by default its time follows its sequence number. */
export function pushed(content: DeliveryReport, more: Partial<Observation> = {}): Observation {
  const at = dayStart + 40 * dayMs + (content.sequenceNumber ?? 0) * 1_000;
  return {
    connectionId: buy.connectionId,
    source: 'webhook',
    stream: 's1',
    report: content,
    reportedAt: at,
    receivedAt: at + 500,
    ...more,
  };
}

export function pulled(content: DeliveryReport, at: number, more: Partial<Observation> = {}): Observation {
  const { notificationType: _, sequenceNumber: __, ...pull } = content;
  return pushed(pull, { source: 'pull', stream: 'pull', reportedAt: at, receivedAt: at, ...more });
}

interface MemoryLedger {
  readonly book: ReportRepository;
  readonly decisions: readonly ReportDecision[];
  /** Sum of `media_spend` over all postings, in micros. */
  readonly posted: bigint;
  /** The counted versions, as `package period spend`. */
  readonly counting: readonly string[];
}

export function ledgerAfter(
  observations: readonly Observation[],
  contents: Partial<LedgerContents> = {},
): MemoryLedger {
  const book = new ReportRepository({
    buys: [buy],
    awaitedLegs: new Set(),
    versions: [],
    spent: [],
    ...contents,
  });
  let next = 0;
  const newId = () => `00000000-0000-4000-9000-${(next += 1).toString().padStart(12, '0')}`;
  const decisions = observations.map((observation) => decideReport(observation, book, newId));
  const postings = decisions.flatMap(({ entries }) => entries.flatMap((entry) => entry.postings));
  return {
    book,
    decisions,
    posted: postings.reduce(
      (sum, { account, amountMicros }) => sum + (account === 'media_spend' ? amountMicros : 0n),
      0n,
    ),
    counting: book
      .versionsOf(buy.sellerBuyId)
      .filter((version) => book.isCounted(version))
      .map(textOf)
      .sort(),
  };
}

function textOf({ packageRef, periodStart, periodEnd, spendMicros }: ReportVersion): string {
  const day = (instant: number) => (instant - dayStart) / dayMs;
  return `${packageRef} ${day(periodStart)}-${day(periodEnd)} ${spendMicros}`;
}
