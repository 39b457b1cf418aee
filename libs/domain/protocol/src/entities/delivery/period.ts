import type { JsonObject } from '@switchyard/values';
import { textAt } from '../../message/pick.js';
import { readDay, readMoment } from '../media-buy/schedule.js';

export interface Period {
  readonly start: string;
  readonly end: string;
}

const secondMs = 1_000;
const dayMs = 86_400_000;

/**
 * A reporting period as a half-open interval in UTC.
 *
 * Sellers write ends in three ways: exclusive, the last second of the period, its last millisecond. The latter two
 * are moved up to the next whole second (docs/protocol/delivery.md#periods). A bare date is the day's first moment as a
 * start, and the moment after it as an end.
 */
export function readPeriod(value: JsonObject | undefined): Period | undefined {
  const start = momentOf(textAt(value, 'start'), 0);
  const end = momentOf(textAt(value, 'end'), dayMs);
  if (start === undefined || end === undefined) return undefined;
  const roundedEnd = isLastSecond(end) ? Math.floor(end / secondMs) * secondMs + secondMs : end;
  if (roundedEnd <= start) return undefined;
  return { start: new Date(start).toISOString(), end: new Date(roundedEnd).toISOString() };
}

/** A period that ends as it starts: how a seller says of a buy that has not begun that it covers nothing yet. */
export function isEmptyPeriod(value: JsonObject | undefined): boolean {
  const start = momentOf(textAt(value, 'start'), 0);
  return start !== undefined && start === momentOf(textAt(value, 'end'), 0);
}

/** A moment as sellers write it: without an offset in UTC, and of a bare date its first. */
export function instantOf(text: string | undefined): number | undefined {
  return momentOf(text, 0);
}

/** A moment that a row names, as RFC 3339 UTC; nothing where it names none, or not as a time. */
export function momentIn(row: JsonObject, name: string): string | undefined {
  const at = instantOf(textAt(row, name));
  return at === undefined ? undefined : new Date(at).toISOString();
}

/** 59 minutes and 59 seconds past an hour, whatever its fraction: no period ends there on purpose. */
function isLastSecond(instant: number): boolean {
  const at = new Date(instant);
  return at.getUTCMinutes() === 59 && at.getUTCSeconds() === 59;
}

function momentOf(text: string | undefined, dayAdds: number): number | undefined {
  if (text === undefined) return undefined;
  const moment = readMoment(text);
  if (moment !== undefined) return Date.parse(moment);
  // Without an offset a time is taken as UTC, which is what reports are in.
  const inUtc = readMoment(`${text}Z`);
  if (inUtc !== undefined) return Date.parse(inUtc);
  const day = readDay(text);
  return day === undefined ? undefined : Date.parse(`${day}T00:00:00Z`) + dayAdds;
}
