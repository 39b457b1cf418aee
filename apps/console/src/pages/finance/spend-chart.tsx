import { TimeBars } from '../../parts/charts.js';

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
  return (
    <TimeBars
      rows={days.map((day, at) => ({ label: isByMonth ? day.slice(0, 7) : day, amount: amounts[at] ?? '0' }))}
      message={`Spend in ${currency} over time`}
    />
  );
}
