import { splitId, taskError, type Finding, type PackageRequest, type TaskError } from '@switchyard/protocol';
import type { Connection } from '@switchyard/sellers';
import { err, ok, type Result } from '@switchyard/values';
import type { MarketKnowledge, PlannedPackage } from './planned-package.js';
import { checkBudget, microsToDecimal } from '@switchyard/money';
import type { OfferedPrice } from '../model/offer.js';
import { quotedAmount } from '../terms/quoted-terms.js';

interface CheckedPackage {
  readonly connection: Connection;
  readonly planned: PlannedPackage;
  readonly findings: readonly Finding[];
}

/** Checks one package against its seller's quote. The check stops at the first error of the package. */
export function checkPackage(
  wanted: PackageRequest,
  position: number,
  market: MarketKnowledge,
  priced: Priced = 'by_bid',
): Result<CheckedPackage, readonly TaskError[]> {
  const field = (name: string): string => `packages[${position}].${name}`;
  const id = splitId(wanted.productId);
  const connection = id.ok ? market.connections.get(id.value.slug) : undefined;
  if (!id.ok || connection === undefined) {
    return err([
      taskError('PRODUCT_NOT_FOUND', 'None of your sellers offers this product.', {
        field: field('product_id'),
        suggestion: 'Use the product_id as get_products returned it, with the prefix of its seller.',
      }),
    ]);
  }
  if (connection.state !== 'live') {
    return err([
      taskError('PRODUCT_UNAVAILABLE', `The seller ${connection.slug} is not live.`, {
        field: field('product_id'),
        suggestion: 'Call get_products again, and use a product that is offered now.',
      }),
    ]);
  }
  const offer = market.offers.get(wanted.productId);
  if (offer === undefined && market.silent?.has(connection.slug) === true) {
    const message = `The seller ${connection.slug} did not answer the query for this product.`;
    const suggestion = 'Repeat the request.';
    return err([
      taskError('SERVICE_UNAVAILABLE', message, { field: field('product_id'), suggestion, retryAfter: 1 }),
    ]);
  }
  if (offer === undefined) {
    return err([
      taskError('PRODUCT_NOT_FOUND', 'The seller does not offer this product.', {
        field: field('product_id'),
        suggestion: 'Call get_products again, and use a product that is offered now.',
      }),
    ]);
  }
  const price = offer.pricingOptions.find((option) => option.pricingOptionId === wanted.pricingOptionId);
  if (price === undefined) {
    return err([
      taskError('INVALID_REQUEST', 'The product has no pricing option with this id.', {
        field: field('pricing_option_id'),
        suggestion: `It has: ${offer.pricingOptions.map((option) => option.pricingOptionId).join(', ')}.`,
      }),
    ]);
  }
  const money = checkMoney(wanted, price, field, priced);
  if (!money.ok) return money;
  const { findings, ...amounts } = money.value;
  const request = { ...wanted, productId: id.value.id };
  return ok({ connection, planned: { position, request, offer, price, ...amounts }, findings });
}

interface PackageMoney {
  readonly budgetMicros: bigint;
  readonly bidMicros?: bigint;
  readonly findings: readonly Finding[];
}

const budgetFaults: Readonly<Record<string, string>> = {
  not_positive: 'The budget must be more than zero.',
  too_precise: 'The budget has more decimals than its currency.',
  too_large: 'The budget is larger than the largest supported amount.',
  not_a_number: 'The budget is not a number.',
};

/** What sets the price in an auction: the buyer's bid, or the plan of the seller that proposed the package. */
type Priced = 'by_bid' | 'by_plan';

/**
 * Checks a package's budget and bid against its pricing option.
 *
 * A bid on a fixed price is a finding, not an error; an auction without a bid is refused
 * (docs/protocol/media-buys.md#money).
 */
function checkMoney(
  wanted: PackageRequest,
  price: OfferedPrice,
  field: (name: string) => string,
  priced: Priced = 'by_bid',
): Result<PackageMoney, readonly TaskError[]> {
  const budget = checkBudget(wanted.budget, price.currency);
  if (!budget.ok) return err(budgetFault(wanted.budget, price.currency, field('budget')));
  const tooLow = leastFault(budget.value, price, field('budget'));
  if (tooLow.length > 0) return err(tooLow);
  const floor = quotedAmount(price.floorPrice);
  if (wanted.bidPrice === undefined) {
    if (!price.auction || priced === 'by_plan') return ok({ budgetMicros: budget.value, findings: [] });
    return err([
      taskError('INVALID_REQUEST', 'This pricing option is an auction: the package needs a bid.', {
        field: field('bid_price'),
        suggestion: `Bid ${floor === undefined ? 'an amount' : `${microsToDecimal(floor)} or more`} in ${price.currency}.`,
      }),
    ]);
  }
  const bid = checkBudget(wanted.bidPrice, price.currency);
  if (!bid.ok) {
    return err([
      taskError('INVALID_REQUEST', 'The bid is not a usable amount.', {
        field: field('bid_price'),
        suggestion: `Send an amount in ${price.currency} that is more than zero.`,
      }),
    ]);
  }
  const tooLittle = bidFault(bid.value, price, field('bid_price'));
  if (tooLittle.length > 0) return err(tooLittle);
  const findings = price.auction ? [] : [bidOnFixedPrice(field('bid_price'))];
  return ok({ budgetMicros: budget.value, bidMicros: bid.value, findings });
}

/** The error for a budget below the minimum of the seller for one package (docs/protocol/media-buys.md#money). */
export function leastFault(
  budget: bigint,
  { minSpendPerPackage, currency }: Pick<OfferedPrice, 'minSpendPerPackage' | 'currency'>,
  field: string,
): readonly TaskError[] {
  const least = quotedAmount(minSpendPerPackage);
  if (least === undefined || budget >= least) return [];
  return [
    taskError('BUDGET_TOO_LOW', `The minimum budget is ${microsToDecimal(least)} ${currency}.`, {
      field,
      suggestion: 'Raise the budget, or leave this package out.',
    }),
  ];
}

/** The error for a bid below the floor of an auction. A bid on a fixed price has no effect, so no floor applies. */
export function bidFault(
  bid: bigint,
  { auction, floorPrice, currency }: Pick<OfferedPrice, 'auction' | 'floorPrice' | 'currency'>,
  field: string,
): readonly TaskError[] {
  const floor = quotedAmount(floorPrice);
  if (!auction || floor === undefined || bid >= floor) return [];
  const message = `The bid is below the floor of ${microsToDecimal(floor)} ${currency}.`;
  return [
    taskError('INVALID_REQUEST', message, {
      field,
      suggestion: 'Raise the bid to the floor or above.',
    }),
  ];
}

/** The finding for a bid on a fixed price: the request is not refused (docs/protocol/media-buys.md#money). */
export function bidOnFixedPrice(field: string): Finding {
  return {
    code: 'BID_ON_FIXED_PRICE',
    message: 'The price is fixed: the bid has no effect.',
    field,
  };
}

/**
 * The error for an amount that cannot be a budget in its currency, for example with too many decimals
 * (docs/protocol/media-buys.md#money).
 */
export function budgetFault(text: string, currency: string, field: string): readonly TaskError[] {
  const budget = checkBudget(text, currency);
  if (budget.ok) return [];
  const message = budgetFaults[budget.error.code] ?? 'The budget cannot be used.';
  const suggestion = `Send an amount in ${currency} with no more decimals than that currency has.`;
  return [taskError('INVALID_REQUEST', message, { field, suggestion })];
}
