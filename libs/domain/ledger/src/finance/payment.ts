import { divideHalfEven } from '@switchyard/money';
import { plainDecimal } from '@switchyard/values';
import type { Posting } from '../entry/posting.js';

/** What one unit of a currency is in another from a day on, until a newer rate. */
export interface DatedRate {
  readonly from: string;
  readonly to: string;
  /** `YYYY-MM-DD`. */
  readonly date: string;
  /** Decimal text, exactly as entered. */
  readonly rate: string;
  readonly source: string;
}

/** An amount at a rate, rounded half to even to micros. `rate` is a decimal; a `RangeError` where it is none. */
export function convertMicros(amountMicros: bigint, rate: string): bigint {
  const plain = plainDecimal(rate);
  if (plain === undefined) throw new RangeError('a rate has to be a decimal');
  const [whole = '0', part = ''] = plain.split('.');
  return divideHalfEven(amountMicros * BigInt(`${whole}${part}`), 10n ** BigInt(part.length));
}

/** What was paid of an invoice, and what that is in the reporting currency where that is another one. */
export interface PaidAmount {
  readonly day: string;
  readonly currency: string;
  readonly amountMicros: bigint;
  readonly reporting?: { readonly currency: string; readonly amountMicros: bigint };
}

/**
 * Takes what is paid from `seller_invoiced`. Between two currencies it goes over `currency_exchange`, in which each
 * balances by itself (docs/ledger.md#payments).
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

/** Takes a realised difference out of `currency_exchange`: above zero is a loss. None where there is no difference. */
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
