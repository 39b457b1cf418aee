import { divideHalfEven } from '@switchyard/money';
import { plainDecimal } from '@switchyard/values';
import type { Posting } from '../entry/posting.js';

/** The rate of one unit of a currency in another, from a day on until a newer rate. */
export interface DatedRate {
  readonly from: string;
  readonly to: string;
  /** `YYYY-MM-DD`. */
  readonly date: string;
  /** Decimal text, exactly as entered. */
  readonly rate: string;
  readonly source: string;
}

/** Converts an amount by a rate, rounded half to even to micros. Throws a `RangeError` where `rate` is no decimal. */
export function convertMicros(amountMicros: bigint, rate: string): bigint {
  const plain = plainDecimal(rate);
  if (plain === undefined) throw new RangeError('a rate must be a decimal');
  const [whole = '0', part = ''] = plain.split('.');
  return divideHalfEven(amountMicros * BigInt(`${whole}${part}`), 10n ** BigInt(part.length));
}

/** A payment of an invoice, with its amount in the reporting currency if that differs. */
interface PaidAmount {
  readonly day: string;
  readonly currency: string;
  readonly amountMicros: bigint;
  readonly reporting?: { readonly currency: string; readonly amountMicros: bigint };
}

/**
 * Moves a payment out of `seller_invoiced`. Between two currencies it goes through `currency_exchange`, so
 * that each currency balances (docs/ledger.md#payments).
 */
export function paymentPostings({ day, currency, amountMicros, reporting }: PaidAmount): readonly Posting[] {
  const line = (account: Posting['account'], amount: bigint, of = currency): Posting => ({
    account,
    day,
    currency: of,
    amountMicros: amount,
  });
  if (reporting === undefined) return [line('seller_invoiced', amountMicros), line('cash', -amountMicros)];
  return [
    line('seller_invoiced', amountMicros),
    line('currency_exchange', -amountMicros),
    ...(reporting.amountMicros === 0n
      ? []
      : [
          line('currency_exchange', reporting.amountMicros, reporting.currency),
          line('cash', -reporting.amountMicros, reporting.currency),
        ]),
  ];
}

/** Moves a realised difference out of `currency_exchange`: a positive one is a loss. Empty for zero. */
export function differencePostings(
  day: string,
  currency: string,
  differenceMicros: bigint,
): readonly Posting[] {
  if (differenceMicros === 0n) return [];
  return [
    { account: 'exchange_difference', day, currency, amountMicros: differenceMicros },
    { account: 'currency_exchange', day, currency, amountMicros: -differenceMicros },
  ];
}
