import 'uplot/dist/uPlot.min.css';
import { Loader, Progress, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import UPlot from 'uplot';
import { isObject, objectsIn, task, textAt } from '../../api/task.js';
import { dayAxis, dayText } from '../../parts/chart-days.js';
import { ErrorPanel } from '../../parts/error-panel.js';
import { useIsDark } from '../../parts/use-is-dark.js';
import { decimal, micros, moneyText, percentOf } from '../../parts/money.js';
import type { Buy } from './buy-actions.js';

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
    at: Date.parse(textAt(day['start'])) / 1_000,
    spend: plain(day['spend']),
  }));
  const start = Date.parse(buy.start_time);
  const end = Date.parse(buy.end_time);
  const share = end > start ? Math.min(1, Math.max(0, (Date.now() - start) / (end - start))) : 1;
  const even = decimal(
    ((micros(buy.current_total_budget) ?? 0n) * BigInt(Math.round(share * 1_000))) / 1_000n,
  );
  const part = percentOf(spent, buy.current_total_budget);
  return (
    <>
      <Text size="sm">
        Spent {moneyText(spent, buy.currency)} of {moneyText(buy.current_total_budget, buy.currency)} ({part}
        %). An even spend would be {moneyText(even, buy.currency)} by now.
      </Text>
      <Progress value={Math.min(100, part)} my="xs" aria-label="Part of the budget that is spent" />
      {days.length === 0 ? (
        <Text size="sm">There are no figures by day: no seller has answered with them yet.</Text>
      ) : (
        <Chart days={days} budget={buy.current_total_budget} start={start / 1_000} end={end / 1_000} />
      )}
    </>
  );
}

/** A number of an answer as decimal text with at most six digits after the point. */
const plain = (value: unknown): string =>
  (typeof value === 'number' ? value.toFixed(6) : textAt(value) || '0').replace(/\.?0+$/, '') || '0';

function Chart({
  days,
  budget,
  start,
  end,
}: {
  readonly days: readonly { readonly at: number; readonly spend: string }[];
  readonly budget: string;
  readonly start: number;
  readonly end: number;
}) {
  const box = useRef<HTMLDivElement>(null);
  const isDark = useIsDark();
  useEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    const [line, ink] = isDark ? ['#84ade4', '#dfe3e8'] : ['#1d4f91', '#2b3138'];
    let sum = 0;
    const total = Number(budget);
    // Only for drawing: shown amounts are never computed from drawn numbers.
    const spent = days.map(({ spend }) => (sum += Number(spend)));
    const ideal = days.map(
      ({ at }) => total * Math.min(1, Math.max(0, (at + 86_400 - start) / (end - start || 1))),
    );
    const axis = { stroke: ink, grid: { stroke: isDark ? '#3a4048' : '#e2e6ea', width: 1 } };
    const plot = new UPlot(
      {
        width: element.clientWidth,
        height: 240,
        // Space for half of the last day's label.
        padding: [null, 40, null, null],
        tzDate: (seconds) => UPlot.tzDate(new Date(seconds * 1_000), 'UTC'),
        series: [
          { label: 'Day', value: (_, at: number | null) => (at === null ? '–' : dayText(at)) },
          { label: 'Spent', stroke: line, width: 2, fill: `${line}22` },
          { label: 'Even spend', stroke: ink, width: 1, dash: [6, 4] },
        ],
        axes: [
          { ...axis, ...dayAxis },
          { ...axis, size: 70 },
        ],
      },
      [days.map(({ at }) => at), spent, ideal],
      element,
    );
    const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: 240 }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, [days, budget, start, end, isDark]);
  return <div ref={box} role="img" aria-label="Spend to date, day by day, beside an even spend" />;
}
