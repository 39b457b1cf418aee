import { divideHalfEven, splitByWeights } from '@switchyard/money';
import { shiftDay } from './period.js';

/** Days without a figure after which an alert is raised. */
export const usualSilentDays = 2;
/** Maximum length in days of a flight with a daily plan. */
const flightDaysAtMost = 1_100;
/** Number of days that the forecast is based on. */
const recentDays = 7;
const dayMs = 86_400_000;

interface Flight {
  /** First and last UTC day, `YYYY-MM-DD`. */
  readonly startsOn: string;
  readonly endsOn: string;
  /** Planned spend in micros by month, `2026-09`. */
  readonly plan: ReadonlyMap<string, bigint>;
  readonly budgetMicros?: bigint;
  /** What its buys have committed and wait to commit, in micros. */
  readonly committedMicros?: bigint;
  /** What stands at its sellers now, in micros; absent where that is not known. */
  readonly orderedMicros?: bigint;
}

export interface PaceInput extends Flight {
  /** The current UTC day. It has not ended, so it is not compared. */
  readonly today: string;
  /** Delivered micros by UTC day. */
  readonly delivered: ReadonlyMap<string, bigint>;
  /** The last day with a figure. */
  readonly reportedThrough?: string;
  readonly silentDays: number;
}

/** The worst first: what loses money, then what nobody can see, then what is slow or fast. */
const paceAlerts = [
  'over_budget',
  'will_overspend',
  'no_report_for_days',
  'not_started',
  'behind',
  'ahead',
] as const;
type PaceAlertCode = (typeof paceAlerts)[number];

interface PaceAlert {
  readonly code: PaceAlertCode;
  readonly message: string;
}

/** Amounts are micros. Members of the plan are absent where there is neither plan nor budget. */
export interface Pace {
  /** The last compared day; absent before the first day has ended. */
  readonly through?: string;
  readonly plannedMicros?: bigint;
  readonly plannedThroughMicros?: bigint;
  readonly deliveredMicros: bigint;
  readonly deliveredThroughMicros: bigint;
  /** At the end of the flight, at the rate of the last seven days; what was delivered, where no figures come. */
  readonly forecastMicros: bigint;
  /** Delivered relative to planned, in hundredths of a percent: -2500 is 25 % less. */
  readonly differenceHundredths?: bigint;
  /** The worst first. */
  readonly alerts: readonly PaceAlert[];
}

/**
 * Planned micros by day: each month's plan in equal parts over its days in the flight, and the rest of the
 * budget over the days of months without a plan. Empty without plan and budget, and where the flight is too
 * long or ends before it starts.
 */
export function plannedByDay({ startsOn, endsOn, plan, budgetMicros }: Flight): ReadonlyMap<string, bigint> {
  const count = daysBetween(startsOn, endsOn) + 1;
  if (Number.isNaN(count) || count < 1 || count > flightDaysAtMost) return new Map();
  const days = Array.from({ length: count }, (_, at) => shiftDay(startsOn, at));
  const planned = new Map<string, bigint>();
  const spread = (amount: bigint, over: readonly string[]): void => {
    const parts = splitByWeights(
      amount,
      over.map(() => 1n),
    );
    over.forEach((day, at) => planned.set(day, parts[at] ?? 0n));
  };
  const months = new Set(days.map((day) => day.slice(0, 7)));
  let used = 0n;
  for (const [month, amount] of plan) {
    if (!months.has(month)) continue;
    used += amount;
    spread(
      amount,
      days.filter((day) => day.startsWith(month)),
    );
  }
  const rest = days.filter((day) => !plan.has(day.slice(0, 7)));
  if (budgetMicros !== undefined && rest.length > 0)
    spread(budgetMicros > used ? budgetMicros - used : 0n, rest);
  return new Map([...planned].sort(([left], [right]) => (left < right ? -1 : 1)));
}

/** Compares delivered with planned amounts up to now, and forecasts the end (docs/ledger.md#pacing). */
export function paceOf(input: PaceInput): Pace {
  const { today, startsOn, endsOn, delivered, reportedThrough, budgetMicros } = input;
  const planned = plannedByDay(input);
  const over = earlier(shiftDay(today, -1), endsOn);
  const reported = reportedThrough === undefined ? over : earlier(over, reportedThrough);
  // Days after the last report are not compared: only the report is late.
  const through = reported < startsOn ? over : reported;
  const hasBegun = over >= startsOn;
  const upTo = (amounts: ReadonlyMap<string, bigint>, day: string): bigint =>
    sum([...amounts].flatMap(([date, amount]) => (date <= day ? [amount] : [])));
  const deliveredMicros = sum([...delivered.values()]);
  const deliveredThroughMicros =
    through >= endsOn ? deliveredMicros : hasBegun ? upTo(delivered, through) : 0n;
  const plannedMicros = planned.size === 0 ? budgetMicros : sum([...planned.values()]);
  const plannedThroughMicros = planned.size === 0 ? undefined : hasBegun ? upTo(planned, through) : 0n;
  const isSilent = silentDaysOf(input, over) >= usualSilentDays;
  const forecastMicros =
    hasBegun && !isSilent ? deliveredThroughMicros + restOfFlight(input, through) : deliveredMicros;
  const pace = {
    deliveredMicros,
    deliveredThroughMicros,
    forecastMicros: atMostOrdered(input, forecastMicros, deliveredMicros),
    ...(hasBegun && { through }),
    ...(plannedMicros !== undefined && { plannedMicros }),
    ...(plannedThroughMicros !== undefined && { plannedThroughMicros }),
    ...(plannedThroughMicros !== undefined &&
      plannedThroughMicros > 0n && {
        differenceHundredths: divideHalfEven(
          (deliveredThroughMicros - plannedThroughMicros) * 10_000n,
          plannedThroughMicros,
        ),
      }),
  };
  const alerts = [...overBudget(input, deliveredMicros), ...(hasBegun ? alertsOf(input, pace, over) : [])];
  return { ...pace, alerts: alerts.toSorted((left, right) => rankOf(left) - rankOf(right)) };
}

/** Sellers stop at what was ordered, unless more is delivered already. Never less than what was delivered. */
function atMostOrdered({ orderedMicros }: PaceInput, forecast: bigint, delivered: bigint): bigint {
  const isKept = orderedMicros !== undefined && delivered <= orderedMicros;
  const most = isKept && forecast > orderedMicros ? orderedMicros : forecast;
  return most > delivered ? most : delivered;
}

const rankOf = ({ code }: PaceAlert): number => paceAlerts.indexOf(code);

/** Money that is spent or promised beyond the budget, before the flight begins too. */
function overBudget(
  { budgetMicros, committedMicros = 0n }: PaceInput,
  delivered: bigint,
): readonly PaceAlert[] {
  if (budgetMicros === undefined) return [];
  if (delivered > budgetMicros)
    return [{ code: 'over_budget', message: 'More is delivered than the budget.' }];
  if (committedMicros <= budgetMicros) return [];
  return [{ code: 'over_budget', message: 'More is committed than the budget.' }];
}

/** Days of the flight that are over since the last figure. */
export const silentDaysOf = (
  { startsOn, reportedThrough }: Pick<PaceInput, 'startsOn' | 'reportedThrough'>,
  over: string,
): number => daysBetween(later(reportedThrough ?? '', shiftDay(startsOn, -1)), over);

/** The mean of the last seven known days, for each remaining day. */
function restOfFlight(input: PaceInput, through: string): bigint {
  const days = daysBetween(through, input.endsOn);
  return days <= 0 ? 0n : dailyRate(input, through, BigInt(days));
}

/** The mean of the last seven known days through a day, in micros, for as many days. */
export function dailyRate(
  { startsOn, delivered }: Pick<PaceInput, 'startsOn' | 'delivered'>,
  through: string,
  forDays = 1n,
): bigint {
  const from = later(startsOn, shiftDay(through, 1 - recentDays));
  const days = BigInt(daysBetween(from, through) + 1);
  const recent = sum(
    [...delivered].flatMap(([day, amount]) => (day >= from && day <= through ? [amount] : [])),
  );
  return divideHalfEven(recent * forDays, days);
}

function alertsOf(input: PaceInput, pace: Omit<Pace, 'alerts'>, over: string): readonly PaceAlert[] {
  const { startsOn, silentDays } = input;
  const { plannedMicros, plannedThroughMicros, deliveredMicros, deliveredThroughMicros } = pace;
  const alerts: PaceAlert[] = [];
  if (deliveredMicros === 0n)
    alerts.push({
      code: 'not_started',
      message: `The flight began on ${startsOn}, and nothing was delivered.`,
    });
  else if (plannedThroughMicros !== undefined && plannedThroughMicros > 0n) {
    if (deliveredThroughMicros * 10n < plannedThroughMicros * 9n)
      alerts.push({ code: 'behind', message: 'Delivered is more than 10 % below the plan.' });
    if (deliveredThroughMicros * 10n > plannedThroughMicros * 11n)
      alerts.push({ code: 'ahead', message: 'Delivered is more than 10 % above the plan.' });
  }
  if (plannedMicros !== undefined && pace.forecastMicros > plannedMicros)
    alerts.push({
      code: 'will_overspend',
      message: 'At the pace of the last seven days more is spent than planned.',
    });
  const silent = silentDaysOf(input, over);
  if (silent >= silentDays)
    alerts.push({ code: 'no_report_for_days', message: `No figure has come for ${silent} days.` });
  return alerts;
}

export const earlier = (left: string, right: string): string => (left < right ? left : right);
const later = (left: string, right: string): string => (left > right ? left : right);
export const sum = (amounts: readonly bigint[]): bigint =>
  amounts.reduce((total, amount) => total + amount, 0n);

/** Whole days from one to another, negative where the other is earlier. */
export function daysBetween(from: string, to: string): number {
  return (Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / dayMs;
}
