import { decimalTextAt, type JsonObject } from '@switchyard/values';
import { decimalsOf, parseDecimal } from '@switchyard/money';
import type { ExactNumbers } from '../task-spec.js';
import { numberAt } from './pick.js';
import { taskError } from '../errors/task-error.js';
import type { TaskError } from '../errors/task-fault.js';

/** A number member as decimal text exactly as on the wire; `pointer` is that of its object. */
export function amountAt(
  object: JsonObject | undefined,
  key: string,
  pointer: string,
  exact: ExactNumbers,
): string | undefined {
  const value = numberAt(object, key);
  if (value === undefined || !Number.isFinite(value)) return undefined;
  return decimalTextAt(value, `${pointer}/${key}`, exact);
}

/** The same for an amount that must not be negative. */
export function priceAt(
  object: JsonObject | undefined,
  key: string,
  pointer: string,
  exact: ExactNumbers,
): string | undefined {
  const text = amountAt(object, key, pointer, exact);
  return text?.startsWith('-') === true ? undefined : text;
}

/** Decimal text as the JSON number nearest to it. Exact for every amount of up to 15 digits. */
export function numberOf(text: string): number {
  return Number(text);
}

/** Exact numbers below one pointer, with pointers relative to it. */
export function exactBelow(exact: ExactNumbers, pointer: string): ExactNumbers {
  const below = new Map<string, string>();
  for (const [at, text] of exact) {
    if (at.startsWith(`${pointer}/`)) below.set(at.slice(pointer.length), text);
  }
  return below;
}

/** The highest number of decimals of a currency in ISO 4217. */
const maxDecimals = 4;

/** Errors of an amount that may be zero and is stored nowhere: too large for any table. */
export function sizeFaults(amount: string, field: string): readonly TaskError[] {
  const micros = parseDecimal(amount);
  if (micros.ok || micros.error.code !== 'too_large') return [];
  return [taskError('INVALID_REQUEST', `${field} is larger than any amount we can hold.`, { field })];
}

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
