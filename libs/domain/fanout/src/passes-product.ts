import { isSameFormat, signalCpms } from '@switchyard/protocol';
import type {
  CreativeFormat,
  FormatId,
  GetSignalsRequest,
  ListCreativeFormatsRequest,
  PricingOption,
  Product,
  ProductFilters,
  Signal,
} from '@switchyard/protocol';
import { isBeyond } from './comparable-prices.js';

/**
 * Whether a product honours what the buyer filtered for. Only what the product states is judged: a seller that
 * leaves channels out has not said that it lacks them.
 */
export function passesProduct(product: Product, filters: ProductFilters | undefined): boolean {
  if (filters === undefined) return true;
  if (filters.deliveryType !== undefined && product.deliveryType !== filters.deliveryType) return false;
  if (!overlaps(product.channels, filters.channels)) return false;
  if (!withinBudget(product.pricingOptions, filters.budget)) return false;
  if (!isPricedAs(product.pricingOptions, filters)) return false;
  return hasFormat(product.formatIds, filters.formatIds);
}

/** A price without a figure, as a caller without credentials sees it, has not said whether it is fixed. */
function isPricedAs(
  options: readonly PricingOption[],
  { isFixedPrice, pricingCurrencies }: ProductFilters,
): boolean {
  const inCurrency = options.map(({ currency }) => currency);
  if (!overlaps(inCurrency, pricingCurrencies)) return false;
  if (isFixedPrice === undefined || options.length === 0) return true;
  return options.some(({ fixedPrice, floorPrice }) =>
    isFixedPrice ? fixedPrice !== undefined || floorPrice === undefined : fixedPrice === undefined,
  );
}

function hasFormat(has: readonly FormatId[], wanted: readonly FormatId[] | undefined): boolean {
  if (wanted === undefined || wanted.length === 0 || has.length === 0) return true;
  return has.some((one) => wanted.some((other) => isSameFormat(one, other)));
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

/** Formats by kind and id. What names no kind has not said that it is another one. */
export function passesFormat(
  format: CreativeFormat,
  { formatTypes, formatIds }: Pick<ListCreativeFormatsRequest, 'formatTypes' | 'formatIds'>,
): boolean {
  if (!overlaps(format.type === undefined ? [] : [format.type], formatTypes)) return false;
  return hasFormat([format.formatId], formatIds);
}

export function passesSignal(signal: Signal, filters: GetSignalsRequest['filters']): boolean {
  if (filters === undefined) return true;
  if (!overlaps([signal.catalogType], filters.catalogTypes)) return false;
  if (!overlaps([signal.dataProvider], filters.dataProviders)) return false;
  if (filters.minCoveragePercentage !== undefined && signal.coveragePercentage !== undefined) {
    if (signal.coveragePercentage < filters.minCoveragePercentage) return false;
  }
  // One price within the limit is enough: the buyer chooses which to pay.
  const cpms = signalCpms(signal);
  return cpms.length === 0 || cpms.some((cpm) => !isBeyond(cpm, filters.maxCpm));
}

function overlaps(has: readonly string[], wanted: readonly string[] | undefined): boolean {
  if (wanted === undefined || wanted.length === 0 || has.length === 0) return true;
  return has.some((one) => wanted.includes(one));
}
