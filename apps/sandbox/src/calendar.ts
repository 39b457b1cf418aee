import type { Buy } from './buy.js';
import { drawWhole } from './seeded.js';

/** One thing that happens in a buy's compressed calendar. `day` is an index from 0. */
export interface CalendarStep {
  readonly kind: 'start' | 'day' | 'adjust' | 'final';
  readonly day: number;
  /** Milliseconds from the start of the buy's clock. */
  readonly afterMs: number;
}

/**
 * Every step of a flight in order: its start, one report per day, one correction of an earlier day halfway between two
 * reports, and the final report a day after the last.
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
  return [
    { kind: 'start', day: 0, afterMs: 0 },
    ...days.slice(0, after + 1),
    adjust,
    ...days.slice(after + 1),
    { kind: 'final', day: last, afterMs: (buy.dayCount + 1) * dayMs },
  ];
}

/** What comes next for a buy and when, on the wall clock; undefined while it waits, is paused, or is through. */
export function nextStep(
  seed: string,
  buy: Buy,
  dayMs: number,
): { readonly step: CalendarStep; readonly at: number; readonly following?: CalendarStep } | undefined {
  if (buy.clockFrom === undefined || buy.pausedAfter !== undefined || buy.finalSent) return undefined;
  if (buy.status === 'rejected') return undefined;
  const steps = calendarOf(seed, buy, dayMs);
  const final = steps.at(-1);
  if (buy.status === 'canceled') {
    if (!final) return undefined;
    const day = Math.max(0, Math.min(buy.dayCount, closedDays(buy)) - 1);
    return { step: { ...final, day }, at: buy.updatedAt };
  }
  const step = steps[buy.stepsDone];
  if (!step) return undefined;
  const following = steps[buy.stepsDone + 1];
  return { step, at: buy.clockFrom + step.afterMs, ...(following ? { following } : {}) };
}

function closedDays(buy: Buy): number {
  return buy.packages[0]?.days.length ?? 0;
}
