import { roundToMicros } from '@switchyard/money';
import type { Product } from '@switchyard/protocol';

/** One price among those that can be held against it. */
export interface ComparablePrice {
  readonly product_id: string;
  readonly pricing_option_id: string;
  /** `fixed`, or `floor` of an auction: what is paid there may be more. */
  readonly kind: 'fixed' | 'floor';
  /** In major units of the group's currency. */
  readonly amount: number;
}

/** Prices of one model and one currency, the least first. Other currencies are other groups: nothing is converted. */
export interface PriceGroup {
  readonly pricing_model: string;
  readonly currency: string;
  /** What one amount pays for. */
  readonly unit: string;
  readonly prices: readonly ComparablePrice[];
}

/** What an amount of each model pays for (tasks 3.2). */
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

/**
 * The prices of products side by side, whichever members their sellers wrote them in: by model and currency. An
 * auction without a floor has no figure to compare and stands in no group.
 */
export function comparablePrices(products: readonly Product[]): readonly PriceGroup[] {
  const groups = new Map<string, { model: string; currency: string; prices: ComparablePrice[] }>();
  for (const { productId, pricingOptions } of products)
    for (const { pricingOptionId, model, currency, fixedPrice, floorPrice } of pricingOptions) {
      const figure = fixedPrice ?? floorPrice;
      if (figure === undefined) continue;
      const name = `${model} ${currency}`;
      const group = groups.get(name) ?? { model, currency, prices: [] };
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
    const { model, currency, prices } = group;
    const unit = units[model] ?? 'as its seller defines';
    return [{ pricing_model: model, currency, unit, prices: prices.sort((a, b) => a.amount - b.amount) }];
  });
}

/** Whether the least that a product wants is more than a budget of the same currency. */
export function isBeyond(minimum: string | undefined, budget: string | undefined): boolean {
  if (minimum === undefined || budget === undefined) return false;
  const [left, right] = [roundToMicros(minimum), roundToMicros(budget)];
  return left.ok && right.ok && left.value > right.value;
}
