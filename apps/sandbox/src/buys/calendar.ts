import type { Buy } from './buy.js';
import type { FinanceHabit } from '../personalities.js';
import { drawWhole } from '../seeded.js';

/** One step of a buy's compressed calendar. `day` is an index from 0. */
export interface CalendarStep {
  readonly kind: 'start' | 'day' | 'adjust' | 'final' | 'impair';
  readonly day: number;
  /** Milliseconds from the start of the buy's clock. */
  readonly afterMs: number;
}

const dayLength = 86_400_000;
/** A longer flight, in days, continues after the days that it delivers here, so that it can be changed and read. */
const longestWithEnd = 90;

/**
 * Every step of a flight in order: its start, one report per day, one correction of an earlier day halfway between two
 * reports, and the final report a day after the last. A flight of over 90 days has no final report.
 *
 * The final report carries the last day's period again, so the truth is the sum over days of the latest version.
 */
export function calendarOf(seed: string, buy: Buy, dayMs: number): readonly CalendarStep[] {
  const days = Array.from({ length: buy.dayCount }, (_, day): CalendarStep => {
    return { kind: 'day', day, afterMs: (day + 1) * dayMs };
  });
  const last = buy.dayCount - 1;
  const corrected =
    last === 0 ? 0 : drawWhole(0, last - 1, seed, buy.packages[0]?.productId ?? '', 'corrected');
  const after = Math.min(corrected + 1, last);
  const adjust: CalendarStep = { kind: 'adjust', day: corrected, afterMs: (after + 1.5) * dayMs };
  const flight = Date.parse(buy.endTime) - Date.parse(buy.startTime);
  return [
    { kind: 'start', day: 0, afterMs: 0 },
    ...days.slice(0, after + 1),
    adjust,
    ...days.slice(after + 1),
    ...(flight > longestWithEnd * dayLength
      ? []
      : [{ kind: 'final', day: last, afterMs: (buy.dayCount + 1) * dayMs } as const]),
  ];
}

/** The next step of a buy and its time, by the clock of the market; undefined while it waits, is paused, or has none left. */
export function nextStep(
  seed: string,
  buy: Buy,
  dayMs: number,
  habit: FinanceHabit = 'fair',
): { readonly step: CalendarStep; readonly at: number; readonly following?: CalendarStep } | undefined {
  const restates = buy.past === true && habit === 'restates' && buy.status === 'completed';
  if (buy.clockFrom === undefined || buy.pausedAfter !== undefined) return undefined;
  if ((buy.finalSent && !restates) || buy.status === 'rejected') return undefined;
  const steps = buy.past ? pastCalendar(seed, buy, habit) : calendarOf(seed, buy, dayMs);
  if (buy.status === 'canceled') {
    const day = Math.max(0, Math.min(buy.dayCount, closedDays(buy)) - 1);
    return { step: { kind: 'final', day, afterMs: 0 }, at: buy.clockFrom };
  }
  const step = steps[buy.stepsDone];
  if (!step) return undefined;
  const following = steps[buy.stepsDone + 1];
  return { step, at: buy.clockFrom + step.afterMs, ...(following ? { following } : {}) };
}

/** Milliseconds between two reports of past days. */
const pastStepMs = 4;

/**
 * The calendar of a flight that began in the past: past days are reported at once, the rest when its day is over. A
 * seller that restates does so once more after the final report; a running flight of a `fair` seller is impaired today.
 */
function pastCalendar(seed: string, buy: Buy, habit: FinanceHabit): readonly CalendarStep[] {
  const from = buy.clockFrom ?? 0;
  const first = Date.parse(buy.startTime);
  const steps = calendarOf(seed, buy, dayLength).map((step, at): CalendarStep => {
    const over = step.kind === 'start' ? 0 : first + (step.day + 1) * dayLength - from;
    return { ...step, afterMs: Math.max(at * pastStepMs, over) };
  });
  const { length } = steps;
  const last: CalendarStep = { kind: 'adjust', day: buy.dayCount - 1, afterMs: (length + 1) * pastStepMs };
  if (habit === 'restates')
    return [...steps, { ...last, afterMs: Math.max(last.afterMs, steps.at(-1)?.afterMs ?? 0) }];
  const ahead = steps.findIndex(({ afterMs }, at) => afterMs > at * pastStepMs);
  if (ahead < 2 || habit !== 'fair') return steps;
  const impaired: CalendarStep = {
    kind: 'impair',
    day: steps[ahead - 1]?.day ?? 0,
    afterMs: ahead * pastStepMs,
  };
  return [...steps.slice(0, ahead), impaired, ...steps.slice(ahead)];
}

function closedDays(buy: Buy): number {
  return buy.packages[0]?.days.length ?? 0;
}
