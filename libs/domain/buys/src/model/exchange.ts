import type { Micros } from '@switchyard/money';
import { plainDecimal } from '@switchyard/values';

/** The rate of one unit of a currency in another, from a date on. */
export interface ExchangeRate {
  readonly from: string;
  readonly to: string;
  /** `2026-11-23`. */
  readonly date: string;
  /** Decimal text, exactly as entered. */
  readonly rate: string;
  readonly source: string;
}

/** Limits the digits to those that real rates have. */
const rateText = /^(0|[1-9]\d{0,8})(\.\d{1,12})?$/;

/** Whether a text is a rate: a plain decimal above zero. */
export function isRate(text: string): boolean {
  return rateText.test(text) && /[1-9]/.test(text);
}

/** Converts an amount to another currency, rounded up to a micro, so that it never passes a limit by rounding. */
export function convertUp(amount: Micros, rate: string): Micros {
  const [whole = '0', part = ''] = (plainDecimal(rate) ?? '0').split('.');
  const scale = 10n ** BigInt(part.length);
  const product = amount * BigInt(`${whole}${part}`);
  return (product + scale - 1n) / scale;
}
