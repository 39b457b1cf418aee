import { Buffer } from 'node:buffer';
import { microsToDecimal } from '@switchyard/money';
import {
  prefixId,
  projectReport,
  writeWebhookEnvelope,
  type DeliveryTotals,
  type MediaBuyDelivery,
  type PackageDelivery,
} from '@switchyard/protocol';
import { defined, isoOf, type Instant } from '@switchyard/values';
import type { PeriodFigures } from './report-periods.js';
import { streamOf, type OutboxDraft } from './outbox-event.js';
import type { CountedFigure, ReportFacts } from './report-facts.js';

export interface ReportToWrite {
  readonly type: 'scheduled' | 'adjusted' | 'final';
  readonly period: PeriodFigures;
  /** True where figures of a seller are missing for the period. */
  readonly partialData: boolean;
  readonly isAdjusted: boolean;
  readonly nextExpectedAt?: Instant;
  readonly sequenceNumber: number;
  readonly at: Instant;
}

/** Writes one delivery report of a media buy over all its sellers, frozen, in its buyer's own form. */
export function writeReport(
  facts: ReportFacts,
  report: ReportToWrite,
  ids: { readonly id: string; readonly idempotencyKey: string },
): OutboxDraft {
  const { registration, taskId, buy, context } = facts;
  const envelope = writeWebhookEnvelope(
    {
      idempotencyKey: ids.idempotencyKey,
      operationId: registration.buyerOperationId ?? registration.operationId,
      taskId,
      taskType: 'media_buy_delivery',
      protocol: 'media-buy',
      status: 'completed',
      timestamp: isoOf(report.at),
      result: projectReport(
        {
          notificationType: report.type,
          sequenceNumber: report.sequenceNumber,
          period: { start: isoOf(report.period.start), end: isoOf(report.period.end) },
          currency: buy.currency,
          partialData: report.partialData,
          deliveries: [deliveryOf(facts, report)],
          ...(report.nextExpectedAt === undefined ? {} : { nextExpectedAt: isoOf(report.nextExpectedAt) }),
        },
        registration.profile,
      ),
      ...(context === undefined ? {} : { context }),
    },
    registration.profile,
  );
  return {
    ...ids,
    registrationId: registration.id,
    principalId: registration.principalId,
    operationId: registration.operationId,
    mediaBuyId: buy.id,
    stream: streamOf(registration.id, buy.id),
    kind: 'report',
    notificationType: report.type,
    sequenceNumber: report.sequenceNumber,
    body: Buffer.from(JSON.stringify(envelope), 'utf8'),
    createdAt: report.at,
  };
}

function deliveryOf({ buy }: ReportFacts, { period, isAdjusted }: ReportToWrite): MediaBuyDelivery {
  const packages = new Map<string, CountedFigure[]>();
  for (const figure of period.figures) {
    if (figure.packageRef === '') continue;
    const id = prefixId(figure.seller, figure.packageRef);
    packages.set(id, [...(packages.get(id) ?? []), figure]);
  }
  return {
    mediaBuyId: buy.id,
    status: buy.status,
    isAdjusted,
    totals: totalsOf(period.figures),
    byPackage: [...packages].map(([packageId, figures]) => packageRow(packageId, figures, buy.currency)),
    ...(buy.buyerRef === undefined ? {} : { buyerRef: buy.buyerRef }),
  };
}

function packageRow(packageId: string, figures: readonly CountedFigure[], currency: string): PackageDelivery {
  const buyerRef = figures.find((figure) => figure.buyerRef !== undefined)?.buyerRef;
  const price = figures.find((figure) => figure.price !== undefined)?.price;
  return {
    ...totalsOf(figures),
    ...(price === undefined ? {} : { original: { pricing_model: price.model, rate: Number(price.rate) } }),
    packageId,
    currency,
    ...(buyerRef === undefined ? {} : { buyerRef }),
  };
}

/** Adds up spend. A count that one seller lacks is left out: unknown is not zero. */
function totalsOf(figures: readonly CountedFigure[]): DeliveryTotals {
  const spend = figures.reduce((sum, figure) => sum + figure.spendMicros, 0n);
  const impressions = countOf(figures.map((figure) => figure.impressions));
  const clicks = countOf(figures.map((figure) => figure.clicks));
  return {
    spend: microsToDecimal(spend),
    original: {},
    ...defined({ impressions, clicks }),
  };
}

function countOf(counts: readonly (bigint | undefined)[]): number | undefined {
  const known = counts.filter((count) => count !== undefined);
  if (known.length < counts.length) return undefined;
  return Number(known.reduce((sum, count) => sum + count, 0n));
}
