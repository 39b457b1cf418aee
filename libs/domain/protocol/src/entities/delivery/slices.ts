import { defined, isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';
import type { DeliverySlice } from './delivery-report.js';
import type { ExactNumbers } from '../../task-spec.js';
import { numberOf } from '../../message/amount.js';
import { readTotals } from './metrics.js';
import { listAt, objectAt, textAt, without } from '../../message/pick.js';
import { readDay, readMoment } from '../media-buy/schedule.js';
import type { Form } from '../../versions/wire-profile.js';
import { fusedSystem, isSystemOf } from '../targeting/postal-system.js';

const dayMs = 86_400_000;

/**
 * Slices of a row, from the finest list that it has: `windows` of 3.1, `daily_breakdown` of the schemas, or the points
 * of the `service` form. A slice without a spend or a time is ignored.
 */
export function readSlices(
  row: JsonObject,
  pointer: string,
  exact: ExactNumbers,
): readonly DeliverySlice[] | undefined {
  const name = ['windows', 'daily_breakdown', 'timeseries'].find(
    (member) => (listAt(row, member) ?? []).length > 0,
  );
  if (name === undefined) return undefined;
  return (listAt(row, name) ?? [])
    .map((item, index) => readSlice(item, `${pointer}/${name}/${index}`, exact))
    .filter((slice) => slice !== undefined);
}

function readSlice(value: JsonValue, pointer: string, exact: ExactNumbers): DeliverySlice | undefined {
  if (!isJsonObject(value)) return undefined;
  const inner = objectAt(value, 'totals');
  const totals =
    inner === undefined ? readTotals(value, pointer, exact) : readTotals(inner, `${pointer}/totals`, exact);
  const day = readDay(textAt(value, 'date') ?? '');
  const from = textAt(value, 'window_start') ?? textAt(value, 'start') ?? textAt(value, 'timestamp');
  const start = day === undefined ? readMoment(from ?? '') : `${day}T00:00:00Z`;
  if (totals === undefined || start === undefined) return undefined;
  const until = readMoment(textAt(value, 'window_end') ?? textAt(value, 'end') ?? '');
  const begins = Date.parse(start);
  const ends = until === undefined ? begins + dayMs : Date.parse(until);
  return {
    start: new Date(begins).toISOString(),
    end: new Date(ends).toISOString(),
    spend: totals.spend,
    ...defined({ impressions: totals.impressions, clicks: totals.clicks }),
  };
}

/** Slices as 3.1 writes them. */
export function projectWindows(slices: readonly DeliverySlice[]): JsonObject[] {
  return slices.map((slice) => ({
    window_start: slice.start,
    window_end: slice.end,
    totals: figures(slice),
  }));
}

/** Whether a slice is a UTC day from midnight to midnight. Any other slice has no date. */
export function isDay({ start, end }: DeliverySlice): boolean {
  return Date.parse(start) % dayMs === 0 && Date.parse(end) - Date.parse(start) === dayMs;
}

/** Days as every release writes them; other slices are left out. */
export function projectDays(slices: readonly DeliverySlice[]): JsonObject[] {
  return slices
    .filter(isDay)
    .map((slice) => ({ date: slice.start.slice(0, 10), impressions: 0, ...figures(slice) }));
}

/** Points as the `service` form writes them, each with its start and end. */
export function projectSeries(slices: readonly DeliverySlice[]): JsonObject[] {
  return slices.map((slice) => ({ start: slice.start, end: slice.end, ...figures(slice) }));
}

function figures({ spend, impressions, clicks }: DeliverySlice): JsonObject {
  return defined({ impressions, spend: numberOf(spend), clicks });
}

/**
 * Breakdowns that a report shall have, for the other release of 3.x. Where the release does not define the system of
 * places, the breakdown by place is left out: another system has other places.
 */
export function fittedDimensions(reported: JsonObject, to: Form): JsonObject {
  const geo = objectAt(reported, 'geo');
  if (geo === undefined) return structuredClone(reported);
  const fitted = to === '3.0' ? asPlaces30(geo) : asPlaces31(geo);
  return fitted === undefined ? without(reported, ['geo']) : { ...structuredClone(reported), geo: fitted };
}

function asPlaces30(geo: JsonObject): JsonObject | undefined {
  return textAt(geo, 'system') === undefined ? without(geo, ['country']) : fusedSystem(geo);
}

/** In 3.1 countries and regions have no system, and a postal breakdown names its country. */
function asPlaces31(geo: JsonObject): JsonObject | undefined {
  const level = textAt(geo, 'geo_level');
  if (level === 'country' || level === 'region') return without(geo, ['system']);
  return textAt(geo, 'country') !== undefined || isSystemOf(textAt(geo, 'system'), level) ? geo : undefined;
}
