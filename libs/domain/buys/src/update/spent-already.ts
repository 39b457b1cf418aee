import { microsToDecimal } from '@switchyard/money';
import { prefixId, taskError, type TaskError, type UpdateMediaBuyRequest } from '@switchyard/protocol';
import { isoOf } from '@switchyard/values';
import { budgetMicros } from '../model/terms/budget-micros.js';
import type { Mutation } from '../model/caller.js';
import { heldBudget } from '../model/terms/kept-terms.js';
import type { LastFigure, LastFigures } from '../read/last-figures.js';
import { isNamed } from '../model/name-package.js';
import type { BuyPackage, MediaBuyRecord } from '../model/operation.js';
import type { PlannedChange } from './plan-update.js';

/**
 * Refuses a budget that is less than what the seller has already reported as spent on its package
 * (docs/protocol/media-buys.md#changes): it could not be kept any more. A seller may say so itself, but not all of them
 * do, and by then others would have agreed.
 *
 * Nothing is refused on a package whose seller has not reported anything of it: what it spent is unknown, and not zero.
 */
export async function spentAlready(
  figures: LastFigures | undefined,
  { scope, request }: Mutation<UpdateMediaBuyRequest>,
  record: MediaBuyRecord,
  changes: readonly PlannedChange[],
): Promise<readonly TaskError[]> {
  const lowered = changes.flatMap((change) => loweredBy(change, record));
  if (figures === undefined || lowered.length === 0) return [];
  const reported = await figures.deliveredBy(scope, record.buy.id);
  return lowered.flatMap(({ item, micros }) => {
    const figure = reported.find(
      (one) => one.seller === item.seller && one.packageRef === item.sellerPackageId,
    );
    if (figure === undefined || figure.spendMicros <= micros) return [];
    const at = request.packages.findIndex((one) => isNamed(item, one));
    // A budget of the whole buy, which has this one package, names none.
    return [belowSpent(item, figure, at < 0 ? 'updates.budget_change' : `packages[${at}].budget`)];
  });
}

/** Packages whose budget gets smaller: to raise one is never too little. */
function loweredBy(
  { sellerBuy, request }: PlannedChange,
  { packages }: MediaBuyRecord,
): readonly { readonly item: BuyPackage; readonly micros: bigint }[] {
  return request.packages.flatMap(({ packageId, budget, canceled }) => {
    const item = packages.find(
      (one) =>
        one.seller === sellerBuy.seller && one.sellerPackageId === packageId && packageId !== undefined,
    );
    if (item === undefined || budget === undefined || canceled === true) return [];
    const micros = budgetMicros(budget, item.currency);
    return micros < heldBudget(item) ? [{ item, micros }] : [];
  });
}

function belowSpent(item: BuyPackage, { spendMicros, asOf, seller }: LastFigure, field: string): TaskError {
  const spent = `${microsToDecimal(spendMicros)} ${item.currency}`;
  return taskError('BUDGET_TOO_LOW', `The seller ${seller} has reported ${spent} as spent already.`, {
    field,
    suggestion: `Keep the budget at ${spent} or more, or pause or cancel the package.`,
    details: {
      seller,
      package_id: prefixId(seller, item.sellerPackageId ?? ''),
      spend: Number(microsToDecimal(spendMicros)),
      currency: item.currency,
      as_of: isoOf(asOf),
    },
  });
}
