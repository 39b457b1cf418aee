import { defined } from '@switchyard/values';
import type { Micros } from '@switchyard/money';
import { prefixId } from '@switchyard/protocol';
import type { BuyPlan } from '../plan/plan-buy.js';
import type { PlannedPackage } from '../plan/planned-package.js';
import { budgetMicros } from '../terms/quoted-terms.js';
import type { Leg, MediaBuy } from '../model/operation.js';
import type { UpdatePlan } from '../plan/update-plan.js';
import type { SpendPart } from '../model/limit.js';
import type { QuotedPrice, SpendDraft } from '../model/spend.js';

function quotesOf(packages: readonly Pick<PlannedPackage, 'offer' | 'price'>[]): QuotedPrice[] {
  return packages.map(({ offer, price }) => ({
    productId: prefixId(offer.seller, offer.productId),
    pricingOptionId: price.pricingOptionId,
    model: price.model,
    currency: price.currency,
    ...defined({ fixedPrice: price.fixedPrice, floorPrice: price.floorPrice }),
  }));
}

/** The amounts of a new buy: for each seller the sum of its packages. `legs` have the order of the plan. */
export function spendOfBuy(plan: BuyPlan, legs: readonly Leg[]): SpendDraft {
  const parts = plan.legs.flatMap(({ packages }, at): SpendPart[] => {
    const leg = legs[at];
    if (leg === undefined) return [];
    const amount = packages.reduce((sum, { budgetMicros: budget }) => sum + budget, 0n);
    return [{ legId: leg.id, seller: leg.seller, amount, currency: plan.currency }];
  });
  return { parts, quotes: quotesOf(plan.legs.flatMap(({ packages }) => packages)) };
}

/** The amounts that a change adds at each seller. `legs` have the order of the plan's changes. */
export function spendOfChange(plan: UpdatePlan, buy: MediaBuy, legs: readonly Leg[]): SpendDraft {
  const parts = plan.changes.flatMap(({ request, added }, at): SpendPart[] => {
    const leg = legs[at];
    if (leg === undefined) return [];
    const amount = added.reduce((sum, { budgetMicros: budget }) => sum + budget, 0n);
    const budgets = new Map(
      request.packages.flatMap(({ packageId = '', budget, canceled }) =>
        budget === undefined || canceled === true
          ? []
          : [[packageId, budgetMicros(budget, buy.currency)] as const],
      ),
    );
    return [{ legId: leg.id, seller: leg.seller, amount, currency: buy.currency, budgets }];
  });
  return { parts, quotes: quotesOf(plan.changes.flatMap(({ added }) => added)) };
}

/**
 * Returns a part with the amount that it adds: new packages, and new budgets minus the old ones, at least
 * zero. A reduction counts only after the seller has accepted it.
 *
 * @param budgetOf the current budget, in micros, of a package of this part, by the seller's own id
 */
export function withAdded(part: SpendPart, budgetOf: (packageId: string) => Micros | undefined): SpendPart {
  let { amount } = part;
  for (const [packageId, budget] of part.budgets ?? []) amount += budget - (budgetOf(packageId) ?? budget);
  return { ...part, amount: amount > 0n ? amount : 0n };
}
