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
 * Returns a product's prices of the requested kind and currency; others could only be chosen by mistake. A price
 * without an amount, as shown to callers without credentials, may be fixed or not and matches either kind.
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

/** True if the product states no channel. */
function isSoldOn(channels: readonly string[], wanted: readonly string[] = []): boolean {
  return wanted.length === 0 || channels.length === 0 || isOnChannel(channels, wanted);
}

/**
 * False if every price needs more than the budget. A price in another currency passes, because there is no exchange
 * rate to compare it.
 */
function withinBudget(options: readonly PricingOption[], budget: ProductFilters['budget']): boolean {
  if (budget?.max === undefined || options.length === 0) return true;
  return options.some(
    ({ currency, model, fixedPrice, minSpendPerPackage }) =>
      currency !== budget.currency ||
      !isBeyond(minSpendPerPackage ?? (model === 'flat_rate' ? fixedPrice : undefined), budget.max),
  );
}
