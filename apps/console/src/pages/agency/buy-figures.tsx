import {
  Count,
  decimal,
  micros,
  Money,
  moneyText,
  percentOf,
  percentText,
  sumText,
} from '../../parts/money.js';
import { Stats, type Stat } from '../../parts/stats.js';
import { dayText, rangeText } from '../../parts/time.js';
import type { Buy } from './buy-actions.js';
import { lastDayOf } from './buy-status.js';
import { budgetOf, lastDays, lessText, type PaceRow } from './pace.js';

const whole = (amount: string): string => moneyText(amount, null, 'whole');

/** Delivery against the order, the last day, and where it ends at the pace of now. */
export function BuyFigures({ buy, pace }: { readonly buy: Buy; readonly pace: PaceRow | undefined }) {
  const [start, end] = [Date.parse(buy.start_time), Date.parse(buy.end_time)];
  const time = end > start ? Math.min(100, Math.max(0, ((Date.now() - start) * 100) / (end - start))) : 100;
  const spent = sumText(buy.packages.map(({ spend }) => spend));
  const impressions = buy.packages.reduce((all, { impressions: own }) => all + (own ?? 0), 0);
  const taken = new Set(buy.sellers.filter(({ has_taken_it: has }) => has).map(({ seller }) => seller)).size;
  const all = new Set(buy.sellers.map(({ seller }) => seller)).size;
  const cpm =
    impressions === 0 ? undefined : ((micros(spent) ?? 0n) * 1_000n) / BigInt(Math.round(impressions));
  const days = pace === undefined ? [] : lastDays(pace, 7);
  return (
    <Stats
      label="Figures of the buy"
      of={[
        {
          label: 'Delivered',
          value: <Money amount={spent} show="whole" />,
          unit: `of ${moneyText(buy.current_total_budget, buy.currency, 'whole')}`,
          note: `${percentText(percentOf(spent, buy.current_total_budget))}; of the time ${percentText(time)}`,
        },
        ...(days.length < 2 ? [] : [yesterdayOf(days, buy.currency)]),
        {
          label: 'Impressions',
          value: <Count of={impressions} isShort />,
          note: cpm === undefined ? 'none reported' : `CPM ${moneyText(decimal(cpm), buy.currency, 'cents')}`,
        },
        ...(pace === undefined || pace.through === undefined
          ? restOf(buy, spent, taken, all)
          : [forecastOf(pace)]),
      ]}
    />
  );
}

/** The last day with figures, and how it differs from the day before. */
function yesterdayOf(days: readonly number[], currency: string): Stat {
  const [before = 0, last = 0] = days.slice(-2);
  const change = before === 0 ? 0 : ((last - before) * 100) / before;
  return {
    label: 'Last day',
    value: <Money amount={String(last)} show="whole" />,
    unit: currency,
    series: days,
    note: before === 0 ? undefined : `${change >= 0 ? '+' : ''}${percentText(change)} on the day before`,
    tone: change <= -10 ? 'warn' : undefined,
  };
}

function forecastOf(pace: PaceRow): Stat {
  const unspent = lessText(budgetOf(pace), pace.forecast);
  const isOver = unspent.startsWith('-');
  return {
    label: `Forecast, ${dayText(pace.ends_on).slice(0, -5)}`,
    value: <Money amount={pace.forecast} show="whole" />,
    unit: pace.currency,
    note: isOver ? `${whole(unspent.slice(1))} over the order` : `${whole(unspent)} would not run`,
    tone: isOver ? 'bad' : percentOf(unspent, budgetOf(pace)) > 5 ? 'warn' : undefined,
  };
}

/** What is told where there is no forecast. */
const restOf = (buy: Buy, spent: string, taken: number, all: number): readonly Stat[] => [
  {
    label: 'Not delivered yet',
    value: (
      <Money
        amount={decimal((micros(buy.current_total_budget) ?? 0n) - (micros(spent) ?? 0n))}
        show="whole"
      />
    ),
    unit: buy.currency,
    note: rangeText(buy.start_time.slice(0, 10), lastDayOf(buy)),
  },
  {
    label: 'Sellers',
    value: taken,
    unit: `of ${all} took it`,
    note: taken === all ? 'all of them' : `${all - taken} did not, or not yet`,
    tone: taken === all ? undefined : 'warn',
  },
];
