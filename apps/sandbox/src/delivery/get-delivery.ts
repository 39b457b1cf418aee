import type { Agent } from '../agent/agent.js';
import { dayAfter, type Buy, type DayFigure } from '../buys/buy.js';
import { notFound, selectBuys } from '../buys/get-media-buys.js';
import { compact, textOf, type JsonObject } from '../json.js';
import { done, refuse, type Outcome } from '../agent/outcome.js';
import { startOfDay } from '../zone.js';
import { packageRow, totalsOf, viewsOf } from './report.js';

interface Range {
  /** Inclusive. */
  readonly from: string;
  /** Exclusive. */
  readonly to: string;
}

/** The delivery, from the rows that the webhooks report, so that a pull and the reports never differ. */
export function getDelivery(agent: Agent, args: JsonObject): Outcome {
  const granularity = textOf(args['time_granularity']) ?? textOf(args['granularity']);
  if (granularity !== undefined && granularity !== 'daily') {
    return refuse('UNSUPPORTED_GRANULARITY', 'only daily windows are kept', 'time_granularity', 'Use daily.');
  }
  const { buys, missing } = selectBuys(agent, args, undefined);
  const range = rangeOf(args);
  if (agent.personality.form === 'service') return done(serviceDelivery(buys, range, granularity, missing));
  const rows = buys.flatMap((buy) => rowsOf(buy, range));
  return done(
    compact({
      reporting_period: periodOf(agent, buys, range),
      currency: agent.personality.currency,
      aggregated_totals: { ...totalsOf(rows), media_buy_count: buys.length },
      media_buy_deliveries: buys.map((buy) => releaseRow(agent, buy, range, args)),
      errors: missing.length > 0 ? missing.map(notFound) : undefined,
    }),
  );
}

function serviceDelivery(
  buys: readonly Buy[],
  range: Range,
  granularity: string | undefined,
  missing: readonly string[],
): JsonObject {
  const parts = buys.flatMap((buy) => buy.packages.map((part) => ({ buy, part })));
  const single = buys.length === 1 ? buys[0] : undefined;
  return compact({
    media_buy_id: single?.mediaBuyId,
    status: single?.status,
    delivery: totalsOf(buys.flatMap((buy) => rowsOf(buy, range))),
    by_package: parts.map(({ buy, part }) => ({
      media_buy_id: buy.mediaBuyId,
      ...packageRow('service', buy.currency, part, part.days.filter(within(range))),
    })),
    timeseries:
      granularity === undefined
        ? undefined
        : days(buys, range).map((day) => ({
            date: day,
            ...totalsOf(buys.flatMap((buy) => rowsOf(buy, range)).filter((row) => row.day === day)),
          })),
    errors: missing.length > 0 ? missing.map(notFound) : undefined,
  });
}

function releaseRow(agent: Agent, buy: Buy, range: Range, args: JsonObject): JsonObject {
  const rows = rowsOf(buy, range);
  const byDay = days([buy], range);
  const { form, countsViews, timeZone } = agent.personality;
  const seen = (of: readonly DayFigure[]): JsonObject => (countsViews ? viewsOf(of) : {});
  const windows = form === '3.1' && args['include_window_breakdown'] === true;
  return compact({
    media_buy_id: buy.mediaBuyId,
    status: buy.status,
    pricing_model: 'cpm',
    totals: { ...totalsOf(rows), ...seen(rows) },
    is_final: form === '3.1' ? buy.finalSent || buy.status === 'completed' : undefined,
    by_package: buy.packages.map((part) => {
      const own = part.days.filter(within(range));
      const perDay = own.map((row) => ({ date: row.day, ...totalsOf([row]) }));
      return {
        ...packageRow(form, buy.currency, part, own),
        ...seen(own),
        ...(args['include_package_daily_breakdown'] === true ? { daily_breakdown: perDay } : {}),
      };
    }),
    daily_breakdown: byDay.map((day) => ({ date: day, ...totalsOf(rows.filter((row) => row.day === day)) })),
    windows: windows
      ? byDay.map((day) => ({
          window_start: startOfDay(day, timeZone),
          window_end: startOfDay(dayAfter(day, 1), timeZone),
          totals: totalsOf(rows.filter((row) => row.day === day)),
          by_package: buy.packages.map((part) =>
            packageRow(
              form,
              buy.currency,
              part,
              part.days.filter((row) => row.day === day),
            ),
          ),
        }))
      : undefined,
  });
}

function rangeOf(args: JsonObject): Range {
  return { from: textOf(args['start_date']) ?? '0000', to: textOf(args['end_date']) ?? '9999' };
}

function within(range: Range): (row: DayFigure) => boolean {
  return ({ day }) => day >= range.from && day < range.to;
}

function rowsOf(buy: Buy, range: Range): readonly DayFigure[] {
  return buy.packages.flatMap((part) => part.days).filter(within(range));
}

function days(buys: readonly Buy[], range: Range): readonly string[] {
  return [...new Set(buys.flatMap((buy) => rowsOf(buy, range)).map((row) => row.day))].sort();
}

function periodOf({ personality: { timeZone } }: Agent, buys: readonly Buy[], range: Range): JsonObject {
  const known = days(buys, range);
  const first = known[0] ?? buys[0]?.firstDay ?? '1970-01-01';
  const last = known.at(-1);
  return {
    start: startOfDay(first, timeZone),
    end: startOfDay(last === undefined ? first : dayAfter(last, 1), timeZone),
  };
}
