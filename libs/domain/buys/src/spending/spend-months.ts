import { splitByWeights, type Micros } from '@switchyard/money';
import type { MonthAmount } from '../model/limit.js';

/** Where an amount may be spent. Days are those of the organization's time zone. */
export interface SpendTime {
  /** The day of the commitment, `YYYY-MM-DD`: nothing counts in an earlier month because of its days. */
  readonly from: string;
  /** First and last day of the flight; absent where it is not known. */
  readonly flight?: { readonly first: string; readonly last: string };
  /** Micros that the campaign plans by month; months outside the flight do not count. */
  readonly plan?: ReadonlyMap<string, Micros>;
}

/** Months of one commitment; what a longer flight has counts in the last of them. */
const monthsAtMost = 120;
const dayMs = 86_400_000;

/**
 * Spreads an amount over months: by the campaign's plan, else by the days of the flight that are left at the commitment
 * (docs/protocol/media-buys.md#spending-limits). What a month has booked above its share is taken from the next months,
 * then from the earlier ones. The sum is the amount, unless more than it is booked.
 */
export function spreadOverMonths(
  amount: Micros,
  time: SpendTime,
  booked: ReadonlyMap<string, Micros> = new Map(),
): readonly MonthAmount[] {
  const weights = weightsOf(time);
  const months = [...new Set([...weights.keys(), ...booked.keys()])].sort();
  const shares = splitByWeights(
    amount,
    [...weights].map(([, weight]) => weight),
  );
  const planned = new Map([...weights.keys()].map((month, at) => [month, shares[at] ?? 0n]));
  const bookedIn = months.map((month) => booked.get(month) ?? 0n);
  const kept = months.map((month) => planned.get(month) ?? 0n);
  for (const [at, sum] of bookedIn.entries()) {
    let missing = sum - (kept[at] ?? 0n);
    if (missing <= 0n) continue;
    kept[at] = sum;
    const others = [...months.keys()];
    for (const other of [...others.slice(at + 1), ...others.slice(0, at).reverse()]) {
      const spare = (kept[other] ?? 0n) - (bookedIn[other] ?? 0n);
      const taken = spare < missing ? spare : missing;
      if (taken <= 0n) continue;
      kept[other] = (kept[other] ?? 0n) - taken;
      missing -= taken;
    }
  }
  return months.map((month, at) => ({ month, amount: kept[at] ?? 0n })).filter((one) => one.amount !== 0n);
}

/** At least one month, and a sum above zero. */
function weightsOf({ from, flight, plan }: SpendTime): ReadonlyMap<string, bigint> {
  const days =
    flight === undefined ? undefined : daysByMonth(flight.first > from ? flight.first : from, flight.last);
  if (days === undefined || days.size === 0) return new Map([[from.slice(0, 7), 1n]]);
  const planned = [...days.keys()].map((month) => [month, plan?.get(month) ?? 0n] as const);
  return planned.some(([, micros]) => micros > 0n) ? new Map(planned) : days;
}

/** Empty if the last day is before the first. */
function daysByMonth(first: string, last: string): ReadonlyMap<string, bigint> {
  const found = new Map<string, bigint>();
  let day = first;
  while (day <= last) {
    const month = day.slice(0, 7);
    const next = firstOfNext(month);
    const end = next <= last && found.size < monthsAtMost - 1 ? Date.parse(next) : Date.parse(last) + dayMs;
    found.set(month, BigInt(Math.round((end - Date.parse(day)) / dayMs)));
    if (found.size >= monthsAtMost) break;
    day = next;
  }
  return found;
}

/** The first day of the month after `YYYY-MM`. */
function firstOfNext(month: string): string {
  const [year = 0, number = 1] = month.split('-').map(Number);
  return new Date(Date.UTC(year, number, 1)).toISOString().slice(0, 10);
}
