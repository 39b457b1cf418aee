import { Loader, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { isObject, objectsIn, task, textAt } from '../../api/task.js';
import { LineArea } from '../../parts/charts.js';
import { ErrorPanel } from '../../parts/error-panel.js';
import { decimal, micros, moneyText, percentOf, percentText } from '../../parts/money.js';
import type { Buy } from './buy-actions.js';
import { lastDayOf } from './buy-status.js';

/** Spend to date and an even spend, as a sentence, a bar and a chart by day. */
export function Pacing({ buy }: { readonly buy: Buy }) {
  const report = useQuery({
    queryKey: ['delivery', buy.media_buy_id],
    queryFn: () => task('get_media_buy_delivery', { media_buy_ids: [buy.media_buy_id] }),
  });
  if (report.isPending) return <Loader role="status" aria-label="Loading delivery" />;
  if (report.isError) return <ErrorPanel error={report.error} again={() => void report.refetch()} />;
  const delivery = isObject(report.data['delivery']) ? report.data['delivery'] : {};
  const spent = plain(delivery['spend']);
  const days = objectsIn(report.data['timeseries']).map((day) => ({
    day: textAt(day['start']).slice(0, 10),
    delivered: plain(day['spend']),
  }));
  const start = Date.parse(buy.start_time);
  const end = Date.parse(buy.end_time);
  const share = end > start ? Math.min(1, Math.max(0, (Date.now() - start) / (end - start))) : 1;
  const even = decimal(
    ((micros(buy.current_total_budget) ?? 0n) * BigInt(Math.round(share * 1_000))) / 1_000n,
  );
  const part = percentText(percentOf(spent, buy.current_total_budget));
  return (
    <>
      <Text size="sm">
        Spent {moneyText(spent, buy.currency)} of {moneyText(buy.current_total_budget, buy.currency)} ({part}
        ). An even spend would be {moneyText(even, buy.currency)} by now.
      </Text>
      {days.length === 0 ? (
        <Text size="sm">There are no figures by day: no seller has answered with them yet.</Text>
      ) : (
        <LineArea
          days={evenly(days, buy)}
          through={days.at(-1)?.day ?? ''}
          endsOn={lastDayOf(buy)}
          budget={buy.current_total_budget}
          currency={buy.currency}
          message={`${moneyText(spent, buy.currency)} of ${moneyText(buy.current_total_budget, buy.currency)} is spent.`}
        />
      )}
    </>
  );
}

/** A number of an answer as decimal text with at most six digits after the point. */
const plain = (value: unknown): string =>
  (typeof value === 'number' ? value.toFixed(6) : textAt(value) || '0').replace(/\.?0+$/, '') || '0';

/** The same days, and those to its end, with an even part of the budget as their plan. */
function evenly(days: readonly { readonly day: string; readonly delivered: string }[], buy: Buy) {
  const [first, last] = [buy.start_time.slice(0, 10), lastDayOf(buy)];
  const count = Math.max(1, Math.round((Date.parse(last) - Date.parse(first)) / 86_400_000) + 1);
  const planned = decimal((micros(buy.current_total_budget) ?? 0n) / BigInt(count));
  const known = new Map(days.map(({ day, delivered }) => [day, delivered]));
  const dates = Array.from({ length: Math.min(count, 800) }, (_, at) =>
    new Date(Date.parse(first) + at * 86_400_000).toISOString().slice(0, 10),
  );
  return [...new Set([...dates, ...known.keys()])].toSorted().map((day) => ({
    day,
    delivered: known.get(day) ?? '0',
    ...(day >= first && day <= last && { planned }),
  }));
}
