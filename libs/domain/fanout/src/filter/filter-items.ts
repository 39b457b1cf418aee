import {
  isOnChannel,
  type PricingOption,
  type Product,
  type ProductFilters,
  signalCpms,
  type GetSignalsRequest,
  type Signal,
  type CreativeFormat,
  type ListCreativeFormatsRequest,
  isSameFormat,
  type FormatId,
} from '@switchyard/protocol';
import { isBeyond } from './comparable-prices.js';
import { meetsStated } from './meets-stated.js';
import { objectsOf, overlaps } from '../list-members.js';
import { anyType, formatTypeOf } from './format-types-of.js';
import { meetsFormatFilters } from './meets-format-filters.js';

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

export function passesSignal(signal: Signal, filters: GetSignalsRequest['filters']): boolean {
  if (filters === undefined) return true;
  if (!overlaps([signal.catalogType], filters.catalogTypes)) return false;
  if (!overlaps([signal.dataProvider], filters.dataProviders)) return false;
  if (filters.minCoveragePercentage !== undefined && signal.coveragePercentage !== undefined) {
    if (signal.coveragePercentage < filters.minCoveragePercentage) return false;
  }
  if (isShareBeyond(signal, filters.maxPercent)) return false;
  // One price within the limit is enough: the buyer chooses the price.
  const cpms = signalCpms(signal);
  return cpms.length === 0 || cpms.some((cpm) => !isBeyond(cpm, filters.maxCpm));
}

/** True if all prices that are a percentage of the media cost exceed the maximum. */
function isShareBeyond({ original }: Signal, most: number | undefined): boolean {
  const shares = objectsOf(original.value['pricing_options'])
    .filter(({ model }) => model === 'percent_of_media')
    .flatMap(({ percent }) => (typeof percent === 'number' ? [percent] : []));
  return most !== undefined && shares.length > 0 && shares.every((share) => share > most);
}

/** The members of a request that select formats. */
export type FormatOptions = Pick<ListCreativeFormatsRequest, 'formatTypes' | 'formatIds' | 'original'>;

/** True if a format is one that the request selects. Members that the format does not state match. */
export function passesFormat(format: CreativeFormat, options: FormatOptions): boolean {
  const type = format.type ?? formatTypeOf(format.original.value);
  if (!overlaps(type === undefined || type === anyType ? [] : [type], options.formatTypes)) return false;
  if (!hasFormat([format.formatId], options.formatIds)) return false;
  return meetsFormatFilters(format, options.original?.value ?? {});
}

/** True if one of the stated formats is requested, or if none is stated or none is requested. */
function hasFormat(has: readonly FormatId[], wanted: readonly FormatId[] | undefined): boolean {
  if (wanted === undefined || wanted.length === 0 || has.length === 0) return true;
  return has.some((format) => wanted.some((other) => isSameFormat(format, other)));
}
