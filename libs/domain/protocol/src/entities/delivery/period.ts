import type { JsonObject } from '@switchyard/values';
import { textAt } from '../../message/pick.js';
import { readDay, readMoment } from '../media-buy/schedule.js';

interface Period {
  readonly start: string;
  readonly end: string;
}

const secondMs = 1_000;
const dayMs = 86_400_000;

/**
 * Reads a reporting period as a half-open interval in UTC.
 *
 * Sellers write ends in three ways: exclusive, the last second of the period, its last millisecond. The latter two are
 * moved to the next whole second (docs/protocol/delivery.md#periods). A bare date means the start of the day as a
 * start, and the end of the day as an end.
 */
export function readPeriod(value: JsonObject | undefined): Period | undefined {
  const start = momentOf(textAt(value, 'start'), 0);
  const end = momentOf(textAt(value, 'end'), dayMs);
  if (start === undefined || end === undefined) return undefined;
  const roundedEnd = isLastSecond(end) ? Math.floor(end / secondMs) * secondMs + secondMs : end;
  if (roundedEnd <= start) return undefined;
  return { start: new Date(start).toISOString(), end: new Date(roundedEnd).toISOString() };
}

/** Whether a period ends when it starts. Sellers write this for a buy that has not begun. */
export function isEmptyPeriod(value: JsonObject | undefined): boolean {
  const start = momentOf(textAt(value, 'start'), 0);
  return start !== undefined && start === momentOf(textAt(value, 'end'), 0);
}

/** Reads a moment as sellers write it. Without an offset it is UTC; a bare date is the start of the day. */
function instantOf(text: string | undefined): number | undefined {
  return momentOf(text, 0);
}

/** The moment in a row as RFC 3339 UTC; `undefined` where it is absent or not a time. */
export function momentIn(row: JsonObject, name: string): string | undefined {
  const at = instantOf(textAt(row, name));
  return at === undefined ? undefined : new Date(at).toISOString();
}

/** Whether a moment is 59 minutes and 59 seconds past an hour, with any fraction: no exclusive end is there. */
function isLastSecond(instant: number): boolean {
  const at = new Date(instant);
  return at.getUTCMinutes() === 59 && at.getUTCSeconds() === 59;
}

function momentOf(text: string | undefined, dayAdds: number): number | undefined {
  if (text === undefined) return undefined;
  const moment = readMoment(text);
  if (moment !== undefined) return Date.parse(moment);
  // A time without an offset is UTC, as reports are.
  const inUtc = readMoment(`${text}Z`);
  if (inUtc !== undefined) return Date.parse(inUtc);
  const day = readDay(text);
  return day === undefined ? undefined : Date.parse(`${day}T00:00:00Z`) + dayAdds;
}
