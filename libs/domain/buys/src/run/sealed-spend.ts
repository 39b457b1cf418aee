import { parseDecimal, type Micros } from '@switchyard/money';
import { updateMediaBuy, type ExactNumbers, type WireProfile } from '@switchyard/protocol';
import type { JsonObject } from '@switchyard/values';
import type { MediaBuyRecord } from '../model/operation.js';

/**
 * The amount that an update commits in addition: the new sum of its packages minus the old one, at least
 * zero, because a lowered budget may be raised again. Undefined where it cannot be computed exactly.
 *
 * A package that is canceled or not named keeps its budget: what it spent stays spent.
 */
export function spendOfUpdate(
  request: { readonly args: JsonObject; readonly profile: WireProfile; readonly exact: ExactNumbers },
  { buy, packages }: MediaBuyRecord,
  currencyOf: (productId: string, pricingOptionId: string) => string | undefined,
): { readonly amount: Micros; readonly currency: string } | undefined {
  const args = { idempotency_key: 'kept-for-reading-only', ...request.args };
  const read = updateMediaBuy.readRequest(args, request.profile, request.exact);
  if (!read.ok) return undefined;
  let more = 0n;
  if (read.value.budget !== undefined) {
    const [only, another] = packages;
    const budget = parseDecimal(read.value.budget);
    if (only === undefined || another !== undefined || !budget.ok) return undefined;
    more += budget.value - only.budgetMicros;
  }
  for (const update of read.value.packages) {
    if (update.budget === undefined) continue;
    const named = packages.filter((item) =>
      update.packageId === undefined
        ? update.buyerRef !== undefined && item.buyerRef === update.buyerRef
        : item.sellerPackageId === update.packageId,
    );
    const [before, another] = named;
    const budget = parseDecimal(update.budget);
    if (before === undefined || another !== undefined || !budget.ok) return undefined;
    more += budget.value - before.budgetMicros;
  }
  for (const newPackage of read.value.newPackages) {
    const budget = parseDecimal(newPackage.budget);
    if (!budget.ok || currencyOf(newPackage.productId, newPackage.pricingOptionId) !== buy.currency)
      return undefined;
    more += budget.value;
  }
  return { amount: more > 0n ? more : 0n, currency: buy.currency };
}
