import { err, isJsonObject, ok, type JsonObject, type JsonValue, type Result } from '@switchyard/values';
import { taskError } from '../../errors/task-error.js';
import type { TaskError } from '../../errors/task-fault.js';

const dateTime = /^(\d{4})-(\d{2})-(\d{2})T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/i;
const dateOnly = /^\d{4}-\d{2}-\d{2}$/;

/** When a buy runs: `start` is `asap` or RFC 3339, `end` is RFC 3339, later than the start. */
interface Schedule {
  readonly start: string;
  readonly end: string;
}

/**
 * Reads start and end in every form: the texts of the schemas, and the objects of `service` `{type: asap}`, `{type:
 * scheduled, datetime}` and `{type: date, date}`, where a date is its start in UTC.
 */
export function readSchedule(
  startTime: JsonValue,
  endTime: JsonValue,
): Result<Schedule, readonly TaskError[]> {
  const start = readStart(startTime);
  const end = typeof endTime === 'string' ? readMoment(endTime) : undefined;
  const errors: TaskError[] = [];
  if (start === undefined) errors.push(notATime('start_time', 'Send "asap" or an RFC 3339 date and time.'));
  if (end === undefined) errors.push(notATime('end_time', 'Send an RFC 3339 date and time with its offset.'));
  if (start === undefined || end === undefined) return err(errors);
  if (start !== 'asap' && Date.parse(end) <= Date.parse(start)) {
    const suggestion = 'Choose an end_time later than start_time.';
    return err([
      taskError('INVALID_REQUEST', 'The buy would end before it starts.', { field: 'end_time', suggestion }),
    ]);
  }
  return ok({ start, end });
}

/**
 * Returns RFC 3339 with an offset if the day exists, else `undefined`. The result has capital letters, because not every
 * seller reads `t` and `z`.
 */
export function readMoment(text: string): string | undefined {
  const match = dateTime.exec(text);
  if (match === null || Number.isNaN(Date.parse(text))) return undefined;
  return isDay(Number(match[1]), Number(match[2]), Number(match[3])) ? text.toUpperCase() : undefined;
}

/**
 * Errors of a package's date: it must be a time with an offset, never `asap`
 * (docs/protocol/media-buys.md#checks-before-any-seller-is-asked).
 */
export function momentFaults(value: JsonObject, name: string, field: string): readonly TaskError[] {
  const text = value[name];
  if (typeof text !== 'string' || readMoment(text) !== undefined) return [];
  return [
    taskError('VALIDATION_ERROR', `${name} is not a time that this task understands.`, {
      field,
      suggestion: 'Send an RFC 3339 date and time with its offset.',
    }),
  ];
}

/** Returns `YYYY-MM-DD` if the day exists. */
export function readDay(text: string): string | undefined {
  if (!dateOnly.test(text)) return undefined;
  const [year = 0, month = 0, day = 0] = text.split('-').map(Number);
  return isDay(year, month, day) ? text : undefined;
}

function readStart(value: JsonValue): string | undefined {
  if (value === 'asap') return 'asap';
  if (typeof value === 'string') return readMoment(value);
  if (!isJsonObject(value)) return undefined;
  const { type, datetime, date } = value;
  if (type === 'asap') return 'asap';
  if (type === 'scheduled' && typeof datetime === 'string') return readMoment(datetime);
  if (type !== 'date' || typeof date !== 'string') return undefined;
  const day = readDay(date);
  return day === undefined ? readMoment(date) : `${day}T00:00:00Z`;
}

function isDay(year: number, month: number, day: number): boolean {
  const made = new Date(Date.UTC(year, month - 1, day));
  return made.getUTCMonth() === month - 1 && made.getUTCDate() === day;
}

function notATime(field: string, suggestion: string): TaskError {
  return taskError('VALIDATION_ERROR', `${field} is not a time that this task understands.`, {
    field,
    suggestion,
  });
}
