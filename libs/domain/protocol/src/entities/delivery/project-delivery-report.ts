import { microsToDecimal, roundToMicros, sumMicros } from '@switchyard/money';
import { defined, type JsonObject } from '@switchyard/values';
import type { DeliveryReport, MediaBuyDelivery } from './delivery-report.js';
import type { Form } from '../../versions/wire-profile.js';
import { numberOf } from '../../message/amount.js';
import { isFiguresAway, isPaidOtherwise, projectPackageDelivery, projectTotals } from './metrics.js';
import { is3x, markSeller } from '../../message/form.js';
import { projectDays, projectSeries, projectWindows } from './slices.js';
import { member } from '../../message/pick.js';

const knownStatuses: ReadonlySet<string> = new Set(
  'pending_creatives pending_start pending active paused completed rejected canceled failed reporting_delayed'.split(
    ' ',
  ),
);
/** 2.5 has fewer values for the status of a row. */
const olderStatuses: Readonly<Record<string, string>> = {
  pending_creatives: 'pending',
  pending_start: 'pending',
  rejected: 'completed',
  canceled: 'completed',
};

/**
 * Writes a delivery report in the members of a form.
 *
 * Pulled answers have totals over all rows, computed here from the rows of one currency; pushed reports (those with a
 * `notificationType`) never do. A pulled answer in the `service` form has `delivery`, `by_package` and `timeseries`.
 */
export function projectDeliveryReport(report: DeliveryReport, to: Form): JsonObject {
  const currency = report.currency ?? 'USD';
  const rows = report.deliveries.map((delivery) => projectRow(delivery, currency, to));
  const period = report.period ?? { start: '1970-01-01T00:00:00.000Z', end: '1970-01-01T00:00:00.000Z' };
  const window = is3x(to) ? report.attributionWindow : undefined;
  const common = {
    reporting_period: { start: period.start, end: period.end },
    currency,
    ...(window === undefined ? {} : { attribution_window: structuredClone(window) }),
  };
  if (report.notificationType !== undefined) {
    return defined({
      notification_type: notificationWord(report.notificationType, to),
      sequence_number: report.sequenceNumber,
      next_expected_at: report.nextExpectedAt,
      partial_data: report.partialData ? true : undefined,
      ...common,
      media_buy_deliveries: rows,
    });
  }
  const totals = report.isMixed === true ? undefined : totalsOf(report);
  const aggregated = totals === undefined ? {} : { aggregated_totals: totals };
  if (to !== 'service') return { ...common, ...aggregated, media_buy_deliveries: rows };
  const byPackage = rows.flatMap((row) => packagesOf(row));
  const [only] = report.deliveries;
  // Points of several buys cannot be one series: each is on its own row.
  const series = report.deliveries.length === 1 ? projectSeries(only?.slices ?? []) : [];
  return {
    ...common,
    delivery: totals ?? { media_buy_count: rows.length },
    by_package: byPackage,
    timeseries: series,
    media_buy_deliveries: rows,
  };
}

function projectRow(delivery: MediaBuyDelivery, currency: string, to: Form): JsonObject {
  const status = statusOf(delivery);
  const row = defined({
    media_buy_id: delivery.mediaBuyId,
    buyer_ref: is3x(to) ? undefined : delivery.buyerRef,
    status: statusWord(status, to),
    expected_availability: status === 'reporting_delayed' ? delivery.expectedAvailability : undefined,
    is_adjusted: delivery.isAdjusted ? true : undefined,
    is_final: to === '3.1' || to === 'service' ? delivery.isFinal : undefined,
    finalized_at: to === '3.1' || to === 'service' ? delivery.finalizedAt : undefined,
    pricing_model: to === '2.5' && isPaidOtherwise(delivery.pricingModel) ? undefined : delivery.pricingModel,
    totals: projectTotals(delivery.totals, to),
    ...slicesFor(delivery, to),
    by_package: delivery.byPackage.map((item) => projectPackageDelivery(item, currency, to)),
  });
  return markSeller(row, delivery.seller, to);
}

/** The status of a row. Without figures it must show that the required figures are placeholders. */
function statusOf({ status, totalsMissing }: MediaBuyDelivery): string {
  return totalsMissing === true && !isFiguresAway(status) ? 'reporting_delayed' : status;
}

function slicesFor({ slices = [] }: MediaBuyDelivery, to: Form): JsonObject {
  if (slices.length === 0) return {};
  if (to === 'service') return { timeseries: projectSeries(slices) };
  const days = projectDays(slices);
  return {
    ...(days.length === 0 ? {} : { daily_breakdown: days }),
    ...(to === '3.1' ? { windows: projectWindows(slices) } : {}),
  };
}

/** In 2.5 a report of the same period again is `adjusted`, for any reason. */
function notificationWord(word: string, to: Form): string {
  return to === '2.5' && word === 'window_update' ? 'adjusted' : word;
}

function statusWord(status: string, to: Form): string {
  const word = knownStatuses.has(status) ? status : 'active';
  if (to === '2.5') return olderStatuses[word] ?? word;
  return to === 'service' && word.startsWith('pending_') ? 'pending' : word;
}

/** Totals of the buys whose figures are known; `undefined` where none are, because unknown is not zero. */
function totalsOf(report: DeliveryReport): JsonObject | undefined {
  const counted = report.deliveries.filter((delivery) => delivery.totalsMissing !== true);
  if (counted.length === 0) return undefined;
  const spends = counted.map((delivery) => roundToMicros(delivery.totals.spend));
  // A seller's figure may be too large for an amount.
  if (spends.some((spend) => !spend.ok)) return undefined;
  const spend = sumMicros(spends.map((amount) => (amount.ok ? amount.value : 0n)));
  const sumOf = (name: 'impressions' | 'clicks'): number | undefined =>
    counted.every(({ totals }) => totals[name] !== undefined)
      ? counted.reduce((sum, { totals }) => sum + (totals[name] ?? 0), 0)
      : undefined;
  const impressions = sumOf('impressions');
  // The schemas require impressions in totals.
  if (impressions === undefined) return undefined;
  return defined({
    impressions,
    spend: numberOf(microsToDecimal(spend)),
    clicks: sumOf('clicks'),
    media_buy_count: counted.length,
  });
}

function packagesOf(row: JsonObject): JsonObject[] {
  const list = member(row, 'by_package');
  return Array.isArray(list) ? (structuredClone(list) as JsonObject[]) : [];
}
