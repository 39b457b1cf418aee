import { convertUp, type ExchangeRate } from '../model/exchange.js';

type Rate = Pick<ExchangeRate, 'from' | 'to' | 'date' | 'rate'>;

/** What rates are compared with. */
interface RatesKnown {
  /** ISO 4217: the currencies of the limits that are set. */
  readonly limits: readonly string[];
  readonly rates: readonly Rate[];
  /** Day of the organization, `2026-11-29`: limits use the newest rate of that day or before it. */
  readonly today: string;
}

/**
 * The new rates that could make room under a limit: into a currency of a limit, and lower than the rate that they follow
 * or replace, or without one, because an amount without a rate is not let through. A rate of the past that a newer one
 * has replaced by today is used by no limit.
 */
export function ratesMakingRoom<R extends Rate>(
  wanted: readonly R[],
  { limits, rates, today }: RatesKnown,
): readonly { readonly rate: R; readonly before?: Rate }[] {
  return wanted.flatMap((rate) => {
    const isReplaced = [...rates, ...wanted].some(
      (other) => isSamePair(other, rate) && other.date > rate.date && other.date <= today,
    );
    if (isReplaced || !limits.includes(rate.to)) return [];
    const before = rates
      .filter((known) => isSamePair(known, rate) && known.date <= rate.date)
      .toSorted((one, other) => (one.date < other.date ? 1 : -1))[0];
    if (before !== undefined && convertUp(unit, rate.rate) >= convertUp(unit, before.rate)) return [];
    return [{ rate, ...(before !== undefined && { before }) }];
  });
}

const isSamePair = (one: Rate, other: Rate): boolean => one.from === other.from && one.to === other.to;

/** Large enough to compare every digit that a rate may have. */
const unit = 1_000_000_000_000n;
