import {
  isSameFormat,
  taskError,
  type FormatId,
  type TaskError,
  type CreateMediaBuyRequest,
} from '@switchyard/protocol';
import { isJsonObject, isoOf, type Instant, type JsonValue } from '@switchyard/values';
import type { PlannedPackage } from './planned-package.js';

/** The flight of a buy; `asap` has begun. */
interface Flight {
  readonly startTime: string;
  readonly endTime: string;
}

/**
 * Checks a package's terms against the quote and the buy (docs/protocol/media-buys.md#packages and
 * docs/protocol/media-buys.md#checks-before-any-seller-is-asked): the quote has not expired, the product
 * takes the formats, and the times are inside the flight. All else is checked by the seller.
 */
export function packageTerms(
  { request, offer }: Pick<PlannedPackage, 'request' | 'offer'>,
  path: string,
  flight: Flight,
  now: Instant,
): readonly TaskError[] {
  const requested = request.original.value;
  return [
    ...(offer.expiresAt === undefined || offer.expiresAt > now ? [] : [expired(path)]),
    ...formatFaults(requested['format_ids'], offer.formatIds, path),
    ...flightFaults(requested['start_time'], requested['end_time'], fromToday(flight, now), path),
  ];
}

/** Replaces the start `asap` by the current day: no package may start before. */
export function fromToday(flight: Flight, now: Instant): Flight {
  return flight.startTime === 'asap' ? { ...flight, startTime: isoOf(startOfDay(now)) } : flight;
}

function expired(path: string): TaskError {
  return taskError('PRODUCT_EXPIRED', 'The quote of this product has expired.', {
    field: `${path}.product_id`,
    suggestion: 'Call get_products again, and use a product that is offered now.',
  });
}

function formatFaults(
  wanted: JsonValue | undefined,
  taken: readonly FormatId[] | undefined,
  path: string,
): readonly TaskError[] {
  if (!Array.isArray(wanted) || taken === undefined) return [];
  return wanted.flatMap((entry, at) => {
    const format = isJsonObject(entry) ? formatOf(entry) : undefined;
    if (format === undefined || taken.some((other) => isSameFormat(format, other))) return [];
    return [
      taskError('UNSUPPORTED_FEATURE', `The product does not accept the format ${format.id}.`, {
        field: `${path}.format_ids[${at}]`,
        suggestion: `It takes: ${taken.map(({ id }) => id).join(', ')}.`.slice(0, 500),
      }),
    ];
  });
}

function formatOf(received: Readonly<Record<string, JsonValue>>): FormatId | undefined {
  const { agent_url: agentUrl, id, width, height, duration_ms: durationMs } = received;
  if (typeof agentUrl !== 'string' || typeof id !== 'string') return undefined;
  return {
    agentUrl,
    id,
    ...(typeof width === 'number' ? { width } : {}),
    ...(typeof height === 'number' ? { height } : {}),
    ...(typeof durationMs === 'number' ? { durationMs } : {}),
  };
}

/** The errors for package times outside the flight of its buy, or in wrong order. A text that is no time is ignored. */
export function flightFaults(
  start: JsonValue | undefined,
  end: JsonValue | undefined,
  flight: Flight,
  path: string,
): readonly TaskError[] {
  const [from, to] = [timeOf(start), timeOf(end)];
  const [begins, ends] = [timeOf(flight.startTime), timeOf(flight.endTime)];
  const isEarly = from !== undefined && begins !== undefined && from < begins;
  const isLate = to !== undefined && ends !== undefined && to > ends;
  const isBackwards = (to ?? ends ?? Infinity) <= (from ?? begins ?? -Infinity);
  const outside = (name: string): TaskError =>
    taskError('INVALID_REQUEST', 'A package must run within the flight of its buy.', {
      field: `${path}.${name}`,
      suggestion: 'Choose a time between start_time and end_time of the buy, the start before the end.',
    });
  if (from === undefined && to === undefined) return [];
  return [
    ...(isEarly ? [outside('start_time')] : []),
    ...(isLate ? [outside('end_time')] : []),
    ...(isBackwards && !isEarly && !isLate ? [outside(to === undefined ? 'start_time' : 'end_time')] : []),
  ];
}

/** The instant of a text; undefined for `asap` and for texts that are no time. */
export function timeOf(value: JsonValue | undefined): Instant | undefined {
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}

const dayMs = 86_400_000;

/** Checks start and end against the current day. The schema has already checked that the end is after the start. */
export function checkFlight(
  request: Pick<CreateMediaBuyRequest, 'startTime' | 'endTime'>,
  now: Instant,
): readonly TaskError[] {
  const errors: TaskError[] = [];
  if (request.startTime !== 'asap' && Date.parse(request.startTime) < startOfDay(now))
    errors.push(startInPast);
  if (Date.parse(request.endTime) <= now) {
    errors.push(
      taskError('INVALID_REQUEST', 'The end is in the past.', {
        field: 'end_time',
        suggestion: 'Choose a time in the future.',
      }),
    );
  }
  return errors;
}

/** Midnight in UTC. Some versions send a day instead of an instant, so a buy may start on the current day. */
export function startOfDay(now: Instant): Instant {
  return Math.floor(now / dayMs) * dayMs;
}

/** A buy cannot start before the current day (docs/protocol/media-buys.md#checks-before-any-seller-is-asked). */
export const startInPast = taskError('INVALID_REQUEST', 'The start is in the past.', {
  field: 'start_time',
  suggestion: 'Use "asap", or a time from today on.',
});
