import { parseDecimal, sumMicros, type Micros } from '@switchyard/money';
import { createMediaBuy, type CreateMediaBuyRequest } from '@switchyard/protocol';
import { err, ok, type Result } from '@switchyard/values';
import type { RelayFaultCode } from './relay-fault.js';

/** Returns the currency of a pricing option, as the seller last quoted it to us. */
export type CurrencyOf = (productId: string, pricingOptionId: string) => string | undefined;

interface SealedSpend {
  readonly amount: Micros;
  readonly currency: string;
}

/**
 * Returns the amount that a sealed `create_media_buy` commits: the sum of its packages' budgets, in one currency. For a
 * proposal that is bought whole, it is the proposal's total, whatever package overrides exist.
 * The sum is unknown if a budget cannot be counted in micros or the packages have several currencies. Unknown is not
 * zero: under a delegation with a ceiling the request is refused.
 */
export function spendOfCreate(
  request: CreateMediaBuyRequest,
  currencyOf: CurrencyOf,
): Result<SealedSpend, RelayFaultCode> {
  if (request.proposal !== undefined) {
    const { amount, currency } = request.proposal.totalBudget;
    const total = parseDecimal(amount);
    return total.ok ? ok({ amount: total.value, currency }) : err('RELAY_SPEND_UNKNOWN');
  }
  const amounts: Micros[] = [];
  const currencies = new Set<string | undefined>();
  for (const item of request.packages) {
    const amount = parseDecimal(item.budget);
    if (!amount.ok || amount.value < 0n) return err('RELAY_SPEND_UNKNOWN');
    amounts.push(amount.value);
    currencies.add(currencyOf(item.productId, item.pricingOptionId));
  }
  const [currency] = currencies;
  if (currencies.size !== 1 || currency === undefined) return err('RELAY_SPEND_UNKNOWN');
  return ok({ amount: sumMicros(amounts), currency });
}

/** The task whose requests commit money directly. */
export const committingTask: string = createMediaBuy.name;
