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
  const known = byPair(rates);
  const all = byPair([...rates, ...wanted]);
  return wanted.flatMap((rate) => {
    if (!limits.includes(rate.to)) return [];
    const used = lastUntil(all.get(pairOf(rate)), today);
    if (used !== undefined && used.date > rate.date) return [];
    const before = lastUntil(known.get(pairOf(rate)), rate.date);
    if (before !== undefined && convertUp(unit, rate.rate) >= convertUp(unit, before.rate)) return [];
    return [{ rate, ...(before !== undefined && { before }) }];
  });
}

/**
 * The first rate that is more than 1.5 times the rate before it, or less than two thirds of it: a wrong unit, direction or
 * decimal point ([the rule](../../../../../docs/ledger.md#amounts-that-cannot-be-right)). Of a rate of the same day that is
 * known, the new one is the next.
 */
export function firstJump<R extends Rate>(
  wanted: readonly R[],
  known: readonly Rate[],
): { readonly rate: R; readonly before: Rate } | undefined {
  const rates = byPair(known);
  const last = new Map<string, Rate>();
  for (const rate of wanted.toSorted((one, other) => (one.date < other.date ? -1 : 1))) {
    const pair = pairOf(rate);
    const before = last.get(pair) ?? lastUntil(rates.get(pair), rate.date);
    last.set(pair, rate);
    if (before === undefined) continue;
    const [now, then] = [convertUp(unit, rate.rate), convertUp(unit, before.rate)];
    if (now * 2n > then * 3n || then * 2n > now * 3n) return { rate, before };
  }
  return undefined;
}

const pairOf = ({ from, to }: Rate): string => `${from} ${to}`;

/** The rates of each pair of currencies, the newest first; of one day, the last given first. */
function byPair(rates: readonly Rate[]): ReadonlyMap<string, readonly Rate[]> {
  const pairs = new Map<string, Rate[]>();
  for (const rate of rates.toReversed()) {
    const list = pairs.get(pairOf(rate));
    if (list === undefined) pairs.set(pairOf(rate), [rate]);
    else list.push(rate);
  }
  for (const list of pairs.values())
    list.sort((one, other) => (one.date === other.date ? 0 : one.date < other.date ? 1 : -1));
  return pairs;
}

const lastUntil = (newestFirst: readonly Rate[] | undefined, day: string): Rate | undefined =>
  newestFirst?.find(({ date }) => date <= day);

/** Large enough to compare every digit that a rate may have. */
const unit = 1_000_000_000_000n;
