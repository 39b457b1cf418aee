import { dayOf, shiftDay } from '../finance/period.js';
import { groupBy } from '../group-by.js';
import type { CountedFigure } from '../report/count-facts.js';
import { firstDayOf, type ReportVersion } from '../report/report-version.js';

/** The part of a figure that stands on one day. */
export interface Share {
  /** `YYYY-MM-DD`. */
  readonly day: string;
  readonly micros: bigint;
}

/** A longer period is not split: it is no flight, and stands whole on its first day. */
const splitDaysAtMost = 1_100;

type Figure = Pick<ReportVersion, 'firstDay' | 'lastDay' | 'periodStart' | 'periodEnd' | 'spendMicros'>;

/** Whether a figure is split between months: it has a placement, and its days are of several months. */
export function isSplit(figure: Figure): boolean {
  const { firstDay, lastDay } = figure;
  if (firstDay === null || lastDay === null || firstDay.slice(0, 7) === lastDay.slice(0, 7)) return false;
  return shiftDay(firstDay, splitDaysAtMost) > lastDay;
}

/**
 * The days on which a counted figure stands, in order. Inside one month that is its first day. Over the end of a month, the
 * figures that it replaces keep their days, and the rest goes evenly to the days that none of them covers: one part
 * for each month, on the first such day (docs/ledger.md#the-days-of-a-figure). The parts add up to the figure.
 */
export function sharesOf(figure: CountedFigure<Figure>): readonly Share[] {
  const { version } = figure;
  if (!isSplit(version)) return [{ day: firstDayOf(version), micros: version.spendMicros }];
  const sums = new Map<string, bigint>();
  const add = ({ day, micros }: Share): void => void sums.set(day, (sums.get(day) ?? 0n) + micros);
  for (const piece of knownIn(figure)) for (const share of sharesOf(piece)) add(share);
  for (const share of restOf(figure)) add(share);
  return [...sums]
    .map(([day, micros]) => ({ day, micros }))
    .filter(({ micros }) => micros !== 0n)
    .toSorted((left, right) => (left.day < right.day ? -1 : 1));
}

/** The part of a split figure that no shorter one explains, by month, on the first day there. Negative where they are more. */
export function restOf(figure: CountedFigure<Figure>): readonly Share[] {
  const { version } = figure;
  if (!isSplit(version)) return [];
  const known = knownIn(figure);
  const covered = new Set(known.flatMap((piece) => daysOf(piece.version)));
  const all = daysOf(version);
  const open = all.filter((day) => !covered.has(day));
  const rest = version.spendMicros - known.reduce((sum, piece) => sum + piece.version.spendMicros, 0n);
  const months = [...groupBy(open.length === 0 ? all.slice(0, 1) : open, (day) => day.slice(0, 7)).values()];
  const parts = byLargestRemainder(
    rest,
    months.map((days) => BigInt(days.length)),
  );
  return months.flatMap(([day = ''], at) => ({ day, micros: parts[at] ?? 0n }));
}

/** The replaced figures that lie inside the period. */
function knownIn({ version, replaced }: CountedFigure<Figure>): readonly CountedFigure<Figure>[] {
  return replaced.filter(
    (piece) =>
      piece.version.periodStart >= version.periodStart && piece.version.periodEnd <= version.periodEnd,
  );
}

function daysOf(version: Figure): readonly string[] {
  const last = version.lastDay ?? dayOf(version.periodEnd - 1);
  const days: string[] = [];
  for (let day = firstDayOf(version); day <= last; day = shiftDay(day, 1)) days.push(day);
  return days;
}

/** Divides a whole amount by weights without a rest: what rounding leaves goes to the largest remainders, the first first. */
export function byLargestRemainder(amount: bigint, weights: readonly bigint[]): readonly bigint[] {
  const total = weights.reduce((sum, weight) => sum + weight, 0n);
  if (total === 0n) return weights.map(() => 0n);
  const sign = amount < 0n ? -1n : 1n;
  const size = amount * sign;
  const parts = weights.map((weight) => (size * weight) / total);
  let left = size - parts.reduce((sum, part) => sum + part, 0n);
  const inOrder = weights
    .map((weight, at) => ({ at, remainder: (size * weight) % total }))
    .toSorted((one, other) => {
      if (one.remainder === other.remainder) return one.at - other.at;
      return one.remainder > other.remainder ? -1 : 1;
    });
  for (const { at } of inOrder) {
    if (left === 0n) break;
    parts[at] = (parts[at] ?? 0n) + 1n;
    left -= 1n;
  }
  return parts.map((part) => part * sign);
}
