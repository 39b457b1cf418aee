import { amountOf } from '../micros.js';
import { dayAfter, type Buy, type BuyPackage, type DayFigure } from '../buys/buy.js';
import { compact, type JsonObject } from '../json.js';
import type { Personality } from '../personalities.js';
import { startOfDay } from '../zone.js';

type Form = Personality['form'];

/** Who counts the impressions that were seen. */
export const viewsCountedBy = { domain: 'counters.market.example' };

/** How many of the impressions were seen: four of five could be measured, and three of four of these were. */
export function viewsOf(rows: readonly DayFigure[]): JsonObject {
  const measurable = Math.floor((rows.reduce((sum, row) => sum + row.impressions, 0) * 4) / 5);
  const viewable = Math.floor((measurable * 3) / 4);
  return {
    viewability: {
      vendor: viewsCountedBy,
      standard: 'mrc',
      measurable_impressions: measurable,
      viewable_impressions: viewable,
      ...(measurable === 0 ? {} : { viewable_rate: viewable / measurable }),
    },
  };
}

/** The metrics of several rows together. The reader computes ratios. */
export function totalsOf(rows: readonly DayFigure[]): JsonObject {
  const spend = rows.reduce((sum, row) => sum + BigInt(row.spendMicros), 0n);
  return {
    impressions: rows.reduce((sum, row) => sum + row.impressions, 0),
    spend: amountOf(spend),
    clicks: rows.reduce((sum, row) => sum + row.clicks, 0),
  };
}

/** One package's row in a report over `rows`. */
export function packageRow(
  form: Form,
  currency: string,
  part: BuyPackage,
  rows: readonly DayFigure[],
): JsonObject {
  const rate = amountOf(BigInt(part.priceMicros));
  if (form === 'service') {
    return compact({ package_id: part.packageId, buyer_ref: part.buyerRef, ...totalsOf(rows) });
  }
  return { package_id: part.packageId, ...totalsOf(rows), pricing_model: 'cpm', rate, currency };
}

export interface ReportFacts {
  readonly kind: 'scheduled' | 'adjusted' | 'final';
  /** Index of the one campaign day that the report covers. */
  readonly day: number;
  readonly sequence: number;
  readonly nextExpectedAt?: string;
  readonly now: string;
}

/**
 * The `result` of one reporting webhook: one campaign day, half-open, of one buy.
 *
 * `adjusted` and `final` repeat the period of the day they speak of, with the figures that hold from then on.
 */
export function deliveryReport({ form, timeZone }: Personality, buy: Buy, facts: ReportFacts): JsonObject {
  const start = dayAfter(buy.firstDay, facts.day);
  const of = (part: BuyPackage): readonly DayFigure[] => part.days.filter((row) => row.day === start);
  const isFinal = facts.kind === 'final';
  const marks =
    form === '3.1'
      ? compact({ is_final: isFinal || buy.finalSent, finalized_at: isFinal ? facts.now : undefined })
      : {};
  return compact({
    status: form === '3.1' ? 'completed' : undefined,
    notification_type: facts.kind,
    sequence_number: facts.sequence,
    next_expected_at: facts.nextExpectedAt,
    reporting_period: {
      start: startOfDay(start, timeZone),
      end: startOfDay(dayAfter(start, 1), timeZone),
    },
    currency: buy.currency,
    media_buy_deliveries: [
      compact({
        media_buy_id: buy.mediaBuyId,
        buyer_ref: form === 'service' ? buy.buyerRef : undefined,
        status: buy.status,
        is_adjusted: facts.kind === 'adjusted' ? true : undefined,
        ...marks,
        totals: totalsOf(buy.packages.flatMap(of)),
        by_package: buy.packages.map((part) => ({
          ...packageRow(form, buy.currency, part, of(part)),
          ...marks,
        })),
      }),
    ],
  });
}
