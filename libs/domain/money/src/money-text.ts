import { currencyExponent } from './currency.js';
import { divideHalfEven, microsToDecimal, type Micros } from './micros.js';

/**
 * An amount for people: with the decimals of its currency, rounded half to even, and groups of three digits: `2,480.00`,
 * of JPY `2,480`.
 */
export function moneyText(micros: Micros, currency: string): string {
  const digits = currencyExponent(currency);
  const unit = 10n ** BigInt(6 - digits);
  const [whole = '0', part = ''] = microsToDecimal(divideHalfEven(micros, unit) * unit).split('.');
  const grouped = whole.replaceAll(/\B(?=(\d{3})+$)/g, ',');
  return digits === 0 ? grouped : `${grouped}.${part.padEnd(digits, '0')}`;
}
