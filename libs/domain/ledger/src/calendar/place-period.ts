import type { Instant } from '@switchyard/values';
import { dayOf, shiftDay } from '../finance/period.js';
import { dayMs, isDayStart, isZone, localDay, minutesOf, offsetOf } from './zone.js';

/**
 * Why a period stands on its days (docs/ledger.md#the-days-of-a-figure). `declared`: the bounds, or its start, are the
 * first moments of days in a declared zone. `named`: the bounds are midnights in UTC, although another zone is declared.
 * `none`: the same, and none is declared. `inferred`: only one offset makes midnights of the bounds. `unaligned`: no
 * zone fits.
 */
export type ZoneBasis = 'declared' | 'named' | 'none' | 'inferred' | 'unaligned';

export interface Placement {
  /** An IANA name, or an offset like `+01:00`. */
  readonly zone: string;
  readonly basis: ZoneBasis;
  /** Local days, `YYYY-MM-DD`, both included. */
  readonly firstDay: string;
  readonly lastDay: string;
}

/** A half-open period, with the offsets of the seller's text. */
export interface PlacedPeriod {
  readonly start: Instant;
  readonly end: Instant;
  readonly startOffset?: string;
  readonly endOffset?: string;
}

const hourMs = 3_600_000;
/** Later days could have years of five digits, which no day has here. */
const lastPlaced = Date.UTC(9999, 11, 30);
/** A shorter period is a part of a day. */
const shortestDayMs = 22.9 * hourMs;
/** What the change to or from summer time moves at most, in minutes. */
const changeAtMost = 60;

/**
 * Finds the local days of a period. `said` has the zones that were said, by weight; names that are unknown are ignored.
 *
 * Where several rules fit, the first holds: a part of a day stands on the day of its start; both bounds are first moments
 * of days in a declared zone; both are midnights in UTC, where the dates are taken as written, because many sellers write
 * local dates so; one offset alone makes midnights of both; the start alone is the first moment of a day.
 */
export function placePeriod(period: PlacedPeriod, said: readonly string[]): Placement {
  const { start, end } = period;
  const declared = end < lastPlaced ? said.filter(isZone) : [];
  const [zone = 'UTC'] = declared;
  const placed = (where: string, basis: ZoneBasis): Placement => ({
    zone: where,
    basis,
    firstDay: localDay(where, start),
    lastDay: localDay(where, end - 1),
  });
  if (end - start < shortestDayMs) {
    const day = localDay(zone, start);
    return { zone, basis: declared.length === 0 ? 'none' : 'declared', firstDay: day, lastDay: day };
  }
  if (end >= lastPlaced) return placed('UTC', 'none');
  const fitting = declared.find((candidate) => isDayStart(candidate, start) && isDayStart(candidate, end));
  if (fitting !== undefined) return placed(fitting, 'declared');
  const asWritten = declared.some((candidate) => candidate !== 'UTC') ? 'named' : 'none';
  if (start % dayMs === 0 && end % dayMs === 0) return placed('UTC', asWritten);
  const offsets = offsetsIn(period) ?? onlyOffsets(start, end);
  if (offsets !== undefined) {
    return { ...placed(offsets.atStart, 'inferred'), lastDay: localDay(offsets.atEnd, end - 1) };
  }
  const begun = declared.find((candidate) => isDayStart(candidate, start));
  if (begun !== undefined) return placed(begun, 'declared');
  if (start % dayMs === 0) return placed('UTC', asWritten);
  const first = localDay(zone, start);
  const days = Math.max(1, Math.round((end - start) / dayMs));
  return { zone, basis: 'unaligned', firstDay: first, lastDay: shiftDay(first, days - 1) };
}

interface Offsets {
  readonly atStart: string;
  readonly atEnd: string;
}

/** The offsets of the text, where they make midnights of both bounds. */
function offsetsIn({ start, end, startOffset, endOffset }: PlacedPeriod): Offsets | undefined {
  if (startOffset === undefined || endOffset === undefined) return undefined;
  const fits = isMidnightAt(startOffset, start) && isMidnightAt(endOffset, end);
  return fits ? { atStart: startOffset, atEnd: endOffset } : undefined;
}

function isMidnightAt(offset: string, instant: Instant): boolean {
  const minutes = minutesOf(offset);
  return minutes !== undefined && (instant + minutes * 60_000) % dayMs === 0;
}

/** The only offsets that make midnights of both bounds and differ by the change of summer time at most. */
function onlyOffsets(start: Instant, end: Instant): Offsets | undefined {
  const pairs = midnightOffsets(start).flatMap((atStart) =>
    midnightOffsets(end)
      .filter((atEnd) => Math.abs(atStart - atEnd) <= changeAtMost)
      .map((atEnd) => ({ atStart: offsetOf(atStart), atEnd: offsetOf(atEnd) })),
  );
  return pairs.length === 1 ? pairs[0] : undefined;
}

/** Offsets in minutes, -12:00 to +14:00 in steps of a quarter of an hour, at which an instant is a midnight. */
function midnightOffsets(instant: Instant): readonly number[] {
  const past = (instant % dayMs) / 60_000;
  if (past % 15 !== 0) return [];
  return [-past, 24 * 60 - past].filter((minutes) => minutes >= -12 * 60 && minutes <= 14 * 60);
}

/** Whether a placement is that of a day in UTC: such figures are stored without one. */
export function isUsual({ firstDay, lastDay }: Placement, start: Instant): boolean {
  return firstDay === dayOf(start) && firstDay.slice(0, 7) === lastDay.slice(0, 7);
}
