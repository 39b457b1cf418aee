import { isObject, objectOf, textOf, type Json, type JsonObject } from '../json.js';
import { refusal, type Refusal } from '../agent/outcome.js';
import type { Personality } from '../personalities.js';
import { dayAt, startOfDay } from '../zone.js';
import { dayAfter } from './buy.js';

export interface Flight {
  readonly startTime: string;
  readonly endTime: string;
  /** `YYYY-MM-DD`, in the time zone of the seller. */
  readonly firstDay: string;
  readonly dayCount: number;
  /** True if the start is in the future. */
  readonly waits: boolean;
  /** True if it began on a past day. */
  readonly past?: true;
}

const dayLength = 86_400_000;
/** A longer flight delivers only its first fourteen days, so that its end comes soon. In days. */
const longestFlight = 14;
const longestPastFlight = 31;
const withOffset = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/;

/** The flight of a buy. `asap` and a start in the past mean now. Campaign days are the local days that the flight touches. */
export function readFlight(
  { form, timeZone }: Personality,
  args: JsonObject,
  now: number,
): Flight | { readonly errors: readonly Refusal[] } {
  const requested = form === 'service' ? serviceStart(args['start_time']) : releaseStart(args['start_time']);
  if (requested === undefined) {
    return { errors: [refusal('INVALID_REQUEST', 'start_time is missing or malformed', 'start_time')] };
  }
  const endText = textOf(args['end_time']);
  const end = endText !== undefined && withOffset.test(endText) ? Date.parse(endText) : Number.NaN;
  if (Number.isNaN(end)) {
    return { errors: [refusal('INVALID_REQUEST', 'end_time is not a date-time with offset', 'end_time')] };
  }
  const start = requested === 'asap' ? now : Math.max(requested, now);
  if (end <= start) {
    return {
      errors: [refusal('INVALID_REQUEST', 'end_time must lie after the start, and ahead', 'end_time')],
    };
  }
  const past = pastFlight(args, now, timeZone);
  if (past !== undefined) return past;
  const firstDay = dayAt(start, timeZone);
  const midnight = Date.parse(startOfDay(firstDay, timeZone));
  return {
    startTime: new Date(start).toISOString(),
    endTime: new Date(end).toISOString(),
    firstDay,
    dayCount: Math.min(longestFlight, Math.ceil((end - midnight) / dayLength)),
    waits: requested !== 'asap' && requested > now,
  };
}

/**
 * A flight that began in the past, for trials with closed months: `ext.practice` of the request has its first day and
 * the number of days, 31 at most. Any other value there is ignored.
 */
function pastFlight(args: JsonObject, now: number, timeZone: string): Flight | undefined {
  const requested = objectOf(objectOf(args['ext'])?.['practice']);
  const [firstDay = '', dayCount] = [textOf(requested?.['first_day']), requested?.['days']];
  const first = /^\d{4}-\d{2}-\d{2}$/.test(firstDay) ? Date.parse(firstDay) : Number.NaN;
  if (Number.isNaN(first) || first >= now - dayLength || typeof dayCount !== 'number') return undefined;
  if (!Number.isInteger(dayCount) || dayCount < 1 || dayCount > longestPastFlight) return undefined;
  return {
    startTime: startOfDay(firstDay, timeZone),
    endTime: startOfDay(dayAfter(firstDay, dayCount), timeZone),
    firstDay,
    dayCount,
    waits: false,
    past: true,
  };
}

function serviceStart(value: Json | undefined): 'asap' | number | undefined {
  if (!isObject(value)) return undefined;
  if (value['type'] === 'asap') return 'asap';
  const text =
    value['type'] === 'scheduled'
      ? textOf(value['datetime'])
      : value['type'] === 'date'
        ? textOf(value['date'])
        : undefined;
  const instant = Date.parse(text ?? '');
  return Number.isNaN(instant) ? undefined : instant;
}

function releaseStart(value: Json | undefined): 'asap' | number | undefined {
  if (value === 'asap') return 'asap';
  const text = textOf(value);
  if (text === undefined || !withOffset.test(text)) return undefined;
  const instant = Date.parse(text);
  return Number.isNaN(instant) ? undefined : instant;
}
