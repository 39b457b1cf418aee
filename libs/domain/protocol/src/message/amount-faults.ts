import { decimalsOf, parseDecimal } from '@switchyard/money';
import { type TaskError, taskError } from '../errors/task-error.js';

/** The highest number of decimals of a currency in ISO 4217. */
const maxDecimals = 4;

/** Errors of an amount: not above zero, too precise for any currency, or too large. */
export function amountFaults(amount: string, field: string, name: string): readonly TaskError[] {
  const micros = parseDecimal(amount);
  if (micros.ok && micros.value > 0n && decimalsOf(micros.value) <= maxDecimals) return [];
  const message =
    micros.ok && micros.value <= 0n
      ? `${name} must be more than zero.`
      : !micros.ok && micros.error.code === 'too_large'
        ? `${name} is larger than any amount we can hold.`
        : `${name} has more decimals than any currency.`;
  const suggestion = 'Send an amount in major units with no more decimals than its currency has.';
  return [taskError('INVALID_REQUEST', message, { field, suggestion })];
}
