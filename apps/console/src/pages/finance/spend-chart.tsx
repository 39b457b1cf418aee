import 'uplot/dist/uPlot.min.css';
import uPlot from 'uplot';
import { useEffect, useRef } from 'react';
import { dayAxis, monthAxis } from '../../parts/chart-days.js';
import { useIsDark } from '../../parts/use-is-dark.js';

/** Spend over time as bars. The table below has the exact amounts: the chart uses floating point numbers. */
export default function SpendChart({
  days,
  amounts,
  currency,
  isByMonth,
}: {
  readonly days: readonly string[];
  readonly amounts: readonly string[];
  readonly currency: string;
  readonly isByMonth: boolean;
}) {
  const box = useRef<HTMLDivElement>(null);
  const isDark = useIsDark();
  useEffect(() => {
    const place = box.current;
    if (place === null || days.length === 0) return undefined;
    const text = isDark ? '#d5dae0' : '#1f2933';
    const axis = { stroke: text, grid: { stroke: isDark ? '#3a424b' : '#dfe4ea' }, ticks: { stroke: text } };
    const times = days.map((day) => Date.parse(`${day}T00:00:00Z`) / 1000);
    const half = isByMonth ? 15 * 86_400 : 43_200;
    const bars = uPlot.paths.bars?.({ size: [0.7, 60] });
    const chart = new uPlot(
      {
        width: Math.max(280, place.clientWidth),
        height: 200,
        padding: [null, 40, null, null],
        tzDate: (at) => uPlot.tzDate(new Date(at * 1000), 'Etc/UTC'),
        scales: {
          // Half a bar more on both sides, so that the first and the last are complete.
          x: { range: (_, first, last) => [first - half, last + half] },
          y: { range: (_, least, most) => [Math.min(0, least), most === 0 ? 1 : most * 1.1] },
        },
        axes: [
          { ...axis, ...(isByMonth ? monthAxis(times) : dayAxis) },
          { ...axis, size: 70 },
        ],
        series: [
          {},
          {
            label: `Spend in ${currency}`,
            fill: isDark ? '#5f94dc' : '#2c67b5',
            stroke: isDark ? '#5f94dc' : '#1d4f91',
            ...(bars !== undefined && { paths: bars }),
          },
        ],
        legend: { show: false },
      },
      [times, amounts.map(Number)],
      place,
    );
    const watch = new ResizeObserver(() =>
      chart.setSize({ width: Math.max(280, place.clientWidth), height: 200 }),
    );
    watch.observe(place);
    return () => {
      watch.disconnect();
      chart.destroy();
    };
  }, [days, amounts, currency, isByMonth, isDark]);
  return (
    <div ref={box} role="img" aria-label={`Spend in ${currency} over time`} style={{ overflow: 'hidden' }} />
  );
}
