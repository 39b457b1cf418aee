import type { DeliveryReport, Finding, GetMediaBuyDeliveryRequest } from '@switchyard/protocol';
import type { Connection } from '@switchyard/sellers';
import { withoutFigures } from '../terms/buy-currency.js';

type Period = NonNullable<DeliveryReport['period']>;
type RequestedPeriod = Pick<GetMediaBuyDeliveryRequest, 'startDate' | 'endDate'>;

/** The finding for a seller whose figures are for another period than the requested one. */
const periodDiffers = 'PERIOD_DIFFERS';

/** Maximum difference between a seller's day and the UTC day, in milliseconds. */
const zonesMs = 14 * 3_600_000;

interface OfRequestedPeriod {
  readonly report: DeliveryReport;
  readonly findings: readonly (Finding & { readonly seller: string })[];
}

/**
 * Removes the figures of a report for a period beyond the requested days. A seller that only has lifetime
 * sums may ignore the days (docs/protocol/delivery.md#unknown-is-not-zero): its sum would be added to what
 * others delivered in those days. A report without a period is assumed to match the request.
 */
export function limitToPeriod(
  { slug }: Pick<Connection, 'slug'>,
  report: DeliveryReport,
  requested: RequestedPeriod,
): OfRequestedPeriod {
  const { period } = report;
  const { from, to } = boundsOf(requested);
  if (period === undefined) return { report, findings: [] };
  const isEarlier = from !== undefined && Date.parse(period.start) < from - zonesMs;
  const isLater = to !== undefined && Date.parse(period.end) > to + zonesMs;
  if (!isEarlier && !isLater) return { report, findings: [] };
  const { period: _another, ...rest } = report;
  const message = `It reports of ${period.start} to ${period.end} where other days were requested: its figures are left out.`;
  return {
    report: { ...rest, deliveries: report.deliveries.map(withoutFigures) },
    findings: [{ seller: slug, code: periodDiffers, message, field: 'reporting_period' }],
  };
}

/**
 * The period of an answer: from the earliest start to the latest end that a seller reported; else the
 * requested days; without those an empty period.
 *
 * @param now - milliseconds since 1970, in UTC
 */
export function reportedPeriod(periods: readonly Period[], requested: RequestedPeriod, now: number): Period {
  const starts = periods.map(({ start }) => Date.parse(start)).filter(Number.isFinite);
  const ends = periods.map(({ end }) => Date.parse(end)).filter(Number.isFinite);
  const { from, to } = boundsOf(requested);
  const start = starts.length > 0 ? Math.min(...starts) : (from ?? Math.min(now, to ?? now));
  const end = ends.length > 0 ? Math.max(...ends) : (to ?? Math.max(now, start));
  return { start: new Date(start).toISOString(), end: new Date(end).toISOString() };
}

/** From the start of `startDate` to the start of `endDate`, which is exclusive. */
function boundsOf({ startDate, endDate }: RequestedPeriod): { readonly from?: number; readonly to?: number } {
  return {
    ...(startDate === undefined ? {} : { from: Date.parse(startDate) }),
    ...(endDate === undefined ? {} : { to: Date.parse(endDate) }),
  };
}
