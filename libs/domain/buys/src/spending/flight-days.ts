import { isoOf, type Instant } from '@switchyard/values';
import type { Flight } from '../model/flight.js';

/** The first and the last day of a flight, `YYYY-MM-DD`. */
export interface FlightDays {
  readonly first: string;
  readonly last: string;
}

const minuteMs = 60_000;

/**
 * The days that a flight surely covers. A time is a day in the offset in which it is written, and a day in the time zone
 * of the organization; the later first day and the earlier last day count, so that no time zone makes a flight longer
 * than the person meant. A flight ends before its end time. `asap` starts now.
 */
export function flightDays(flight: Flight, at: Instant, timeZone: string): FlightDays {
  const start = Date.parse(flight.startTime);
  const [begins, offset] = Number.isNaN(start) ? [at, 0] : [start, offsetOf(flight.startTime)];
  const end = Date.parse(flight.endTime);
  const ends = (Number.isNaN(end) ? begins + 1 : end) - 1;
  const first = latest(dayAt(begins, offset), dayIn(begins, timeZone));
  const last = earliest(dayAt(ends, offsetOf(flight.endTime)), dayIn(ends, timeZone));
  return { first, last: latest(first, last) };
}

/** Today, in the zone where the day is the earlier one: a campaign ends when its last day is over everywhere here. */
export function todayOf(at: Instant, timeZone: string): string {
  return earliest(dayAt(at, 0), dayIn(at, timeZone));
}

function offsetOf(text: string): number {
  const [, sign, hours = '0', minutes = '0'] = /([+-])(\d{2}):?(\d{2})$/.exec(text.slice(11)) ?? [];
  const offset = (Number(hours) * 60 + Number(minutes)) * minuteMs;
  return sign === '-' ? -offset : offset;
}

const dayAt = (at: Instant, offset: number): string => isoOf(at + offset).slice(0, 10);

function dayIn(at: Instant, timeZone: string): string {
  const parts = new Intl.DateTimeFormat('en', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  }).formatToParts(at);
  const part = (type: 'year' | 'month' | 'day'): string =>
    parts.find((found) => found.type === type)?.value ?? '';
  return `${part('year')}-${part('month')}-${part('day')}`;
}

const earliest = (left: string, right: string): string => (left < right ? left : right);
const latest = (left: string, right: string): string => (left > right ? left : right);
