import { roundToMicros } from '@switchyard/money';
import type { PricingOption, Product } from '@switchyard/protocol';
import { isJsonObject } from '@switchyard/values';

/** One price in a group of comparable prices. */
interface ComparablePrice {
  readonly product_id: string;
  readonly pricing_option_id: string;
  /** `fixed`, or `floor` of an auction, where the price paid may be higher. */
  readonly kind: 'fixed' | 'floor';
  /** In major units of the group's currency. */
  readonly amount: number;
}

/** Prices of one model and currency, lowest first. Currencies are not converted: each has its own group. */
interface PriceGroup {
  readonly pricing_model: string;
  readonly currency: string;
  /** The unit of one amount. */
  readonly unit: string;
  readonly prices: readonly ComparablePrice[];
}

/** The unit of each pricing model (docs/protocol/products.md#prices). */
const units: Readonly<Record<string, string>> = {
  cpm: '1000 impressions',
  vcpm: '1000 viewable impressions',
  cpc: 'click',
  cpcv: 'completed view',
  cpv: 'view',
  cpa: 'event',
  cpp: 'rating point',
  flat_rate: 'whole flight',
  time: 'unit of time',
};

interface Named {
  readonly model: string;
  readonly currency: string;
  readonly unit: string;
}

/** Two models define their own unit: a duration, and an event type. */
function unitOf({ model, original }: PricingOption): string {
  const { parameters, event_type: event } = original.value;
  if (model === 'cpa' && typeof event === 'string') return event;
  const length = isJsonObject(parameters) ? parameters['time_unit'] : undefined;
  if (model === 'time' && typeof length === 'string') return length;
  return (Object.hasOwn(units, model) ? units[model] : undefined) ?? 'as its seller defines';
}

/**
 * Groups the prices of products by model, currency and unit, whichever members contain them. An auction without a floor
 * has no comparable amount and is in no group.
 */
export function comparablePrices(products: readonly Product[]): readonly PriceGroup[] {
  const groups = new Map<string, Named & { readonly prices: ComparablePrice[] }>();
  for (const { productId, pricingOptions } of products)
    for (const option of pricingOptions) {
      const { pricingOptionId, model, currency, fixedPrice, floorPrice } = option;
      const figure = fixedPrice ?? floorPrice;
      if (figure === undefined) continue;
      const unit = unitOf(option);
      const name = `${model} ${currency} ${unit}`;
      const group = groups.get(name) ?? { model, currency, unit, prices: [] };
      groups.set(name, group);
      const kind = fixedPrice === undefined ? 'floor' : 'fixed';
      group.prices.push({
        product_id: productId,
        pricing_option_id: pricingOptionId,
        kind,
        amount: Number(figure),
      });
    }
  return [...groups.keys()].sort().flatMap((name) => {
    const group = groups.get(name);
    if (group === undefined) return [];
    const { model, currency, unit, prices } = group;
    return [{ pricing_model: model, currency, unit, prices: prices.sort((a, b) => a.amount - b.amount) }];
  });
}

/** True if a product's minimum is above a budget of the same currency. */
export function isBeyond(minimum: string | undefined, budget: string | undefined): boolean {
  if (minimum === undefined || budget === undefined) return false;
  const [left, right] = [roundToMicros(minimum), roundToMicros(budget)];
  return left.ok && right.ok && left.value > right.value;
}
