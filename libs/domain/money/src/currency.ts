import { err, type Result } from '@switchyard/values';
import { decimalsOf, parseDecimal, type Micros } from './micros.js';

/** ISO 4217 currencies by the decimals of their minor unit. All others of the list have two. */
const withoutDecimals = 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF';
const withThreeDecimals = 'BHD IQD JOD KWD LYD OMR TND';
const withFourDecimals = 'CLF UYW';
const withTwoDecimals =
  'AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE ' +
  'CHF CHW CNY COP COU CRC CUC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD ' +
  'HNL HRK HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP ' +
  'MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR ' +
  'SDG SEK SGD SHP SLE SLL SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED ' +
  'VES WST XCD XCG YER ZAR ZMW ZWG ZWL';

const exponents: ReadonlyMap<string, number> = new Map(
  (
    [
      [withoutDecimals, 0],
      [withTwoDecimals, 2],
      [withThreeDecimals, 3],
      [withFourDecimals, 4],
    ] as const
  ).flatMap(([codes, exponent]) => codes.split(' ').map((code) => [code, exponent] as const)),
);

/** Decimals of the currency's minor unit; 2 for an unknown code. */
export function currencyExponent(code: string): number {
  return exponents.get(code) ?? 2;
}

/** Whether a code is an ISO 4217 currency for amounts of money (not metals, funds without money, or test codes). */
export function isCurrency(code: string): boolean {
  return exponents.has(code);
}

/** Whether an amount can be paid: not finer than the currency's minor unit, as invoices require. */
export function isPayable(micros: Micros, currency: string): boolean {
  return decimalsOf(micros) <= currencyExponent(currency);
}

interface BudgetError {
  readonly code: 'not_positive' | 'too_precise' | 'not_a_number' | 'too_large';
}

/** Why an amount is invalid, as a sentence. */
export function budgetFault({ code }: BudgetError, currency: string): string {
  const most = currencyExponent(currency);
  switch (code) {
    case 'not_a_number':
      return 'The amount is not a decimal number.';
    case 'not_positive':
      return 'The amount must be above zero.';
    case 'too_large':
      return 'The amount has more than twelve digits before the point.';
    case 'too_precise':
      return `The amount has more decimals than ${currency}, which has ${most === 0 ? 'none' : String(most)}.`;
  }
}

/**
 * Checks a requested amount: more than zero, and not finer than its currency (docs/protocol/media-buys.md#money). So
 * `0.1 + 0.2` in a client's floating point is refused, and never silently rounded.
 */
export function checkBudget(text: string, currency: string): Result<Micros, BudgetError> {
  const micros = parseDecimal(text);
  if (!micros.ok) return micros;
  if (micros.value <= 0n) return err({ code: 'not_positive' });
  if (!isPayable(micros.value, currency)) return err({ code: 'too_precise' });
  return micros;
}
