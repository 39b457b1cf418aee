import { isTimeZone } from '@switchyard/tenancy';
import { isoOf, type Instant } from '@switchyard/values';

const quarterMs = 900_000;
const minuteMs = 60_000;
export const dayMs = 86_400_000;
const kept = 20_000;
const formatsKept = 1_000;

/** By zone; absent for a name that this runtime does not know. */
const formats = new Map<string, Intl.DateTimeFormat | undefined>();
/** Offsets by zone and quarter of an hour, because reports share their periods. */
const offsets = new Map<string, number>();

const offsetText = /^([+-])(\d{2}):(\d{2})$/;

/** Whether a name of a time zone, as `Europe/Berlin`, is known here. */
export function isZone(name: string): boolean {
  return formatOf(name) !== undefined;
}

function formatOf(zone: string): Intl.DateTimeFormat | undefined {
  if (formats.has(zone)) return formats.get(zone);
  const made = isTimeZone(zone) ? createFormat(zone) : undefined;
  if (formats.size >= formatsKept) formats.clear();
  formats.set(zone, made);
  return made;
}

function createFormat(zone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
}

/** Local time minus UTC in milliseconds, at an instant in a zone or at a fixed offset. 0 for an unknown zone. */
function offsetAt(zone: string, instant: Instant): number {
  if (zone === 'UTC') return 0;
  const fixed = minutesOf(zone);
  if (fixed !== undefined) return fixed * minuteMs;
  const quarter = Math.floor(instant / quarterMs) * quarterMs;
  const key = `${zone} ${quarter}`;
  const known = offsets.get(key);
  if (known !== undefined) return known;
  const format = formatOf(zone);
  if (format === undefined) return 0;
  const [month = 0, day = 0, year = 0, hour = 0, minute = 0, second = 0] = format
    .format(quarter)
    .split(/\D+/)
    .map(Number);
  const offset = Date.UTC(year, month - 1, day, hour, minute, second) - quarter;
  if (offsets.size >= kept) offsets.clear();
  offsets.set(key, offset);
  return offset;
}

/** An offset like `+01:00` in minutes; undefined for any other text. */
export function minutesOf(offset: string): number | undefined {
  const match = offsetText.exec(offset);
  if (match === null) return undefined;
  const minutes = Number(match[2]) * 60 + Number(match[3]);
  return match[1] === '-' ? -minutes : minutes;
}

/** Minutes as an offset: 60 is `+01:00`. */
export function offsetOf(minutes: number): string {
  const size = Math.abs(minutes);
  const two = (part: number): string => String(part).padStart(2, '0');
  return `${minutes < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}

/** The day at an instant, `YYYY-MM-DD`, in a zone or at an offset. */
export function localDay(zone: string, instant: Instant): string {
  return isoOf(instant + offsetAt(zone, instant)).slice(0, 10);
}

/** Whether an instant is the first moment of a day. Some days of some zones do not begin at midnight. */
export function isDayStart(zone: string, instant: Instant): boolean {
  return localDay(zone, instant) > localDay(zone, instant - 1);
}
