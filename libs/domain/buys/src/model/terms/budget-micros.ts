import { checkBudget } from '@switchyard/money';

/** A checked budget in micros of its currency. */
export function budgetMicros(text: string, currency: string): bigint {
  const micros = checkBudget(text, currency);
  if (!micros.ok) throw new Error('A budget that was not checked.');
  return micros.value;
}
