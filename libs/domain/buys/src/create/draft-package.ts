import { defined } from '@switchyard/values';
import { storedTargeting } from '../model/stored-targeting.js';
import type { BuyPackage } from '../model/operation.js';
import type { PlannedPackage } from './plan-buy.js';

/** The stored form of a planned package, without its terms. */
export function draftPackage(
  place: Pick<BuyPackage, 'id' | 'mediaBuyId' | 'legId' | 'position' | 'seller'>,
  { request, price, budgetMicros, bidMicros }: Omit<PlannedPackage, 'position'>,
): BuyPackage {
  const { productId, pricingOptionId, buyerRef, context, targetingOverlay } = request;
  return {
    ...place,
    productId,
    pricingOptionId,
    currency: price.currency,
    budgetMicros,
    ...defined({ bidMicros, buyerRef, context }),
    ...(targetingOverlay === undefined ? {} : { targeting: storedTargeting(targetingOverlay) }),
  };
}
