import type { Instant } from '@switchyard/values';
import { minuteOfDay } from '../platform/minute-of-day.js';

const minuteMs = 60_000;
const dayMinutes = 24 * 60;

/**
 * The next instant after `now` at which the clocks of a time zone show a minute of the day. Where they skip it, the first
 * minute after the skip; where they show it twice, one of the two.
 */
export function nextAt(now: Instant, minute: number, timeZone: string): Instant {
  const start = Math.floor(now / minuteMs) * minuteMs;
  const ahead = (minute - minuteOfDay(start, timeZone) + dayMinutes) % dayMinutes;
  const guess = start + (ahead === 0 ? dayMinutes : ahead) * minuteMs;
  // A change of the clocks on the way moves the guess by its difference.
  const off = ((minuteOfDay(guess, timeZone) - minute + dayMinutes * 1.5) % dayMinutes) - dayMinutes / 2;
  const mended = guess - off * minuteMs;
  return minuteOfDay(mended, timeZone) === minute && mended > now ? mended : guess;
}

/** Whether a minute of the day is between two others; the time may go over midnight. */
export function isBetween(minute: number, from: number, to: number): boolean {
  return from <= to ? minute >= from && minute < to : minute >= from || minute < to;
}
