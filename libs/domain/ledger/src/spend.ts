import { microsToDecimal } from '@switchyard/money';
import type { Reach } from '@switchyard/tenancy';

/** UTC days, `YYYY-MM-DD`: from inclusive, to exclusive. */
export interface SpendPeriod {
  readonly from?: string;
  readonly to?: string;
}

/** The spend of a period, of the buys in reach; of all where there is none. */
export interface SpendQuery extends SpendPeriod {
  readonly reach?: Reach;
}

/** What is owed to one seller in one currency. */
export interface SellerSpend {
  readonly seller: string;
  readonly currency: string;
  readonly spendMicros: bigint;
  /** The same as decimal text in major units. */
  readonly spend: string;
}

/** A running sum of postings. */
export interface Balance {
  readonly account: string;
  readonly seller: string;
  readonly day: string;
  readonly currency: string;
  readonly amountMicros: bigint;
}

/** What an entry books of one package on one UTC day: its postings are the sums of these. */
export interface PackageMove {
  readonly sellerBuyId: string;
  readonly mediaBuyId: string;
  readonly seller: string;
  readonly packageRef: string;
  readonly day: string;
  readonly currency: string;
  readonly amountMicros: bigint;
}

/** Spend per seller and currency, never over currencies: there is no exchange rate here. Sorted by both. */
export function spendBySeller(balances: Iterable<Balance>, period: SpendPeriod = {}): readonly SellerSpend[] {
  const sums = new Map<string, { seller: string; currency: string; sum: bigint }>();
  for (const balance of balances) {
    if (balance.account !== 'media_spend' || !isWithin(balance.day, period)) continue;
    const key = JSON.stringify([balance.seller, balance.currency]);
    const known = sums.get(key) ?? { seller: balance.seller, currency: balance.currency, sum: 0n };
    known.sum += balance.amountMicros;
    sums.set(key, known);
  }
  return [...sums.entries()]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([, { seller, currency, sum }]) => ({
      seller,
      currency,
      spendMicros: sum,
      spend: microsToDecimal(sum),
    }));
}

function isWithin(day: string, { from, to }: SpendPeriod): boolean {
  return (from === undefined || day >= from) && (to === undefined || day < to);
}
