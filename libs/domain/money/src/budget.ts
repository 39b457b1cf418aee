import { err, type Result } from '@switchyard/values';
import { currencyExponent } from './currency.js';
import { decimalsOf, parseDecimal, type Micros } from './micros.js';

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
