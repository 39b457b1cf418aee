import { isOnChannel, type PricingOption, type Product, type ProductFilters } from '@switchyard/protocol';
import { isBeyond } from './comparable-prices.js';
import { hasFormat } from './has-format.js';
import { meetsStated } from './meets-stated.js';
import { overlaps } from '../overlaps.js';

/**
 * Whether a product matches the buyer's filters. Only stated members are checked: a product without channels may have
 * any.
 */
export function passesProduct(product: Product, filters: ProductFilters | undefined): boolean {
  if (filters === undefined) return true;
  if (filters.deliveryType !== undefined && product.deliveryType !== filters.deliveryType) return false;
  if (!isSoldOn(product.channels, filters.channels)) return false;
  if (!withinBudget(product.pricingOptions, filters.budget)) return false;
  if (product.pricingOptions.length > 0 && wantedPrices(product.pricingOptions, filters).length === 0)
    return false;
  return hasFormat(product.formatIds, filters.formatIds) && meetsStated(product, filters);
}

/**
 * The prices of a product that are of the kind and the currency that the buyer filtered for: the others it could only
 * pick by mistake. A price without a figure, as a caller without credentials sees it, has not said whether it is fixed.
 */
export function wantedPrices(
  options: readonly PricingOption[],
  filters: Pick<ProductFilters, 'isFixedPrice' | 'pricingCurrencies'>,
): readonly PricingOption[] {
  const { isFixedPrice, pricingCurrencies } = filters;
  if (isFixedPrice === undefined && pricingCurrencies === undefined) return options;
  return options.filter(({ currency, fixedPrice, floorPrice }) => {
    if (!overlaps([currency], pricingCurrencies)) return false;
    if (isFixedPrice === undefined) return true;
    return isFixedPrice ? fixedPrice !== undefined || floorPrice === undefined : fixedPrice === undefined;
  });
}

/** True where the product states no channel. */
function isSoldOn(channels: readonly string[], wanted: readonly string[] = []): boolean {
  return wanted.length === 0 || channels.length === 0 || isOnChannel(channels, wanted);
}

/**
 * A product that wants more than the budget for each of its prices cannot be bought with it. Prices of another
 * currency are not judged: without a rate nobody knows.
 */
function withinBudget(options: readonly PricingOption[], budget: ProductFilters['budget']): boolean {
  if (budget?.max === undefined || options.length === 0) return true;
  return options.some(
    ({ currency, model, fixedPrice, minSpendPerPackage }) =>
      currency !== budget.currency ||
      !isBeyond(minSpendPerPackage ?? (model === 'flat_rate' ? fixedPrice : undefined), budget.max),
  );
}
