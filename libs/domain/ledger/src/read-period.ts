import { err, ok, type Instant, type Result } from '@switchyard/values';
import type { QuarantineReason } from './observation.js';

/** Half-open, UTC. */
export interface Period {
  readonly start: Instant;
  readonly end: Instant;
}

const instantText =
  /^(\d{4}-\d{2}-\d{2})(?:[Tt ](\d{2}:\d{2}:\d{2})(?:\.(\d{1,9}))?(Z|z|[+-]\d{2}:\d{2})?)?$/;
const second = 1_000;

/**
 * The period of a report. A missing zone is UTC. An end at the last second of a minute was meant inclusively, as some
 * sellers write it (R18), and becomes the second after.
 */
export function readPeriod(
  period: { readonly start: string; readonly end: string } | undefined,
): Result<Period, QuarantineReason> {
  if (period === undefined) {
    return err({ code: 'missing_period', message: 'The report names no period.', field: 'period' });
  }
  const start = instantOf(period.start);
  const end = instantOf(period.end);
  if (start === undefined) return err(badPeriod('The start is no point in time.', 'period.start'));
  if (end === undefined) return err(badPeriod('The end is no point in time.', 'period.end'));
  const open = exclusive(end);
  if (open <= start) return err(badPeriod('The period ends before it starts.', 'period'));
  return ok({ start, end: open });
}

function instantOf(text: string): Instant | undefined {
  const match = instantText.exec(text);
  if (match === null) return undefined;
  const [, date = '', time = '00:00:00', fraction = '0', zone = 'Z'] = match;
  const instant = Date.parse(`${date}T${time}.${fraction.slice(0, 3).padEnd(3, '0')}${zone.toUpperCase()}`);
  const year = new Date(instant).getUTCFullYear();
  return year >= 1970 && year <= 9999 ? instant : undefined;
}

function exclusive(end: Instant): Instant {
  const lastSecond = Math.floor(end / second) % 60 === 59;
  return lastSecond ? (Math.floor(end / second) + 1) * second : end;
}

function badPeriod(message: string, field: string): QuarantineReason {
  return { code: 'bad_period', message, field };
}
