import { parseDecimal, sumMicros, type Micros } from '@switchyard/money';
import { createMediaBuy, type CreateMediaBuyRequest } from '@switchyard/protocol';
import { err, ok, type Result } from '@switchyard/values';
import type { RelayFaultCode } from './relay-fault.js';

/** The currency of a pricing option, as the seller last quoted it to us. */
export type CurrencyOf = (productId: string, pricingOptionId: string) => string | undefined;

export interface SealedSpend {
  readonly amount: Micros;
  readonly currency: string;
}

/**
 * What a sealed `create_media_buy` commits: the sum of its packages' budgets, in one currency; of a proposal that is
 * bought as a whole its total, whatever overrides stand beside it.
 *
 * A budget that cannot be counted to the micro, or packages in several currencies, leave the sum unknown. Unknown is
 * never taken for nothing: under a delegation with a ceiling the request is refused.
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
  for (const one of request.packages) {
    const amount = parseDecimal(one.budget);
    if (!amount.ok || amount.value < 0n) return err('RELAY_SPEND_UNKNOWN');
    amounts.push(amount.value);
    currencies.add(currencyOf(one.productId, one.pricingOptionId));
  }
  const [currency] = currencies;
  if (currencies.size !== 1 || currency === undefined) return err('RELAY_SPEND_UNKNOWN');
  return ok({ amount: sumMicros(amounts), currency });
}

/** The task whose requests commit money outright. */
export const committingTask: string = createMediaBuy.name;
