import { defined, type JsonObject } from '@switchyard/values';
import { textAt } from '../../message/pick.js';
import { readDay, readMoment } from '../media-buy/schedule.js';

/** A reporting period: half-open, RFC 3339 UTC. */
export interface Period {
  readonly start: string;
  readonly end: string;
  /** The offset in the seller's text, `+01:00`; absent where the text has none, or that of UTC. */
  readonly startOffset?: string;
  readonly endOffset?: string;
}

const secondMs = 1_000;
const quarterMs = 900_000;
const dayMs = 86_400_000;

/**
 * Reads a reporting period as a half-open interval in UTC.
 *
 * Sellers write ends in three ways: exclusive, the last second of the period, its last millisecond. The latter two are
 * moved to the next quarter of an hour, because days of some time zones end at a quarter
 * (docs/protocol/delivery.md#periods). A bare date means the start of the day as a start, and the end of the day as an
 * end.
 */
export function readPeriod(value: JsonObject | undefined): Period | undefined {
  const startText = textAt(value, 'start');
  const endText = textAt(value, 'end');
  const start = momentOf(startText, 0);
  const end = momentOf(endText, dayMs);
  if (start === undefined || end === undefined) return undefined;
  const roundedEnd = isLastSecond(end) ? Math.ceil((end + 1) / quarterMs) * quarterMs : end;
  if (roundedEnd <= start) return undefined;
  return {
    start: new Date(start).toISOString(),
    end: new Date(roundedEnd).toISOString(),
    ...defined({ startOffset: offsetIn(startText), endOffset: offsetIn(endText) }),
  };
}

/** The offset of a moment's text; undefined for UTC and where the text has none. */
function offsetIn(text = ''): string | undefined {
  const [offset] = /[+-]\d{2}:\d{2}$/.exec(text) ?? [];
  return offset === undefined || offset.endsWith('00:00') ? undefined : offset;
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

/** Whether a moment is in the last second of a quarter of an hour: no exclusive end is there. */
function isLastSecond(instant: number): boolean {
  return instant % quarterMs >= quarterMs - secondMs;
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
