import { roundToMicros, type Micros, checkBudget } from '@switchyard/money';

/** Converts a seller's amount to micros; undefined where it is no valid amount. Never throws. */
export function quotedAmount(text: string | undefined): Micros | undefined {
  if (text === undefined) return undefined;
  const micros = roundToMicros(text);
  return micros.ok ? micros.value : undefined;
}

/** A checked budget in micros of its currency. */
export function budgetMicros(text: string, currency: string): bigint {
  const micros = checkBudget(text, currency);
  if (!micros.ok) throw new Error('A budget that was not checked.');
  return micros.value;
}
