import type { Instant } from '@switchyard/values';

/** The minute of the day, from 0, at an instant in a time zone (IANA name). */
export function minuteOfDay(at: Instant, timeZone: string): number {
  const parts = formatOf(timeZone).formatToParts(at);
  const of = (type: 'hour' | 'minute'): number => Number(parts.find((part) => part.type === type)?.value);
  return of('hour') * 60 + of('minute');
}

/** Making one costs more than using it a hundred times. */
const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat('en', {
    timeZone,
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  if (formats.size > 500) formats.clear();
  formats.set(timeZone, made);
  return made;
}
