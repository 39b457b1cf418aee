import { microsToDecimal } from '@switchyard/money';
import type { SpendingLimit } from '../model/limit.js';

/**
 * Whether a limit surely leaves no more room than the one that it replaces: a first limit, or one in the same currency
 * with an equal or lower amount that does not ask where the other refuses. Everything else is a raise.
 */
export function isSurelyLower(
  before: Pick<SpendingLimit, 'amount' | 'currency' | 'above'> | undefined,
  after: Pick<SpendingLimit, 'amount' | 'currency' | 'above'>,
): boolean {
  if (before === undefined) return true;
  return (
    before.currency === after.currency &&
    after.amount <= before.amount &&
    (after.above === 'refuse' || before.above === 'ask')
  );
}

/** A limit in words: `5000 USD per month, refuse above it`. */
export function limitText({ kind, amount, currency, per, above }: SpendingLimit): string {
  if (kind === 'new_brand') return `${above} at the first buy for a brand`;
  return `${microsToDecimal(amount)} ${currency}${per === 'month' ? ' per month' : ''}, ${above} above it`;
}
