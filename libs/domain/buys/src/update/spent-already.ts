import { microsToDecimal } from '@switchyard/money';
import { prefixId, taskError, type TaskError, type UpdateMediaBuyRequest } from '@switchyard/protocol';
import { isoOf } from '@switchyard/values';
import { budgetMicros } from '../terms/quoted-terms.js';
import type { Mutation } from '../model/caller.js';
import { budgetAtSeller } from '../terms/stored-terms.js';
import type { LastFigure, LastFigures } from '../model/last-figures.js';
import { isNamed } from '../plan/name-package.js';
import type { BuyPackage, MediaBuyRecord } from '../model/operation.js';
import type { PlannedChange } from '../plan/update-plan.js';

/**
 * The errors for budgets below the spend that the seller has reported for the package
 * (docs/protocol/media-buys.md#changes). Not every seller refuses these, and a refusal would come after
 * others have accepted.
 *
 * A package without a report is not refused: its spend is unknown, and not zero.
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
      (candidate) => candidate.seller === item.seller && candidate.packageRef === item.sellerPackageId,
    );
    if (figure === undefined || figure.spendMicros <= micros) return [];
    const at = request.packages.findIndex((update) => isNamed(item, update));
    // A budget of the whole buy with one package names no package.
    return [belowSpent(item, figure, at < 0 ? 'updates.budget_change' : `packages[${at}].budget`)];
  });
}

/** Packages whose budget is lowered. A raised budget is never too low. */
function loweredBy(
  { sellerBuy, request }: PlannedChange,
  { packages }: MediaBuyRecord,
): readonly { readonly item: BuyPackage; readonly micros: bigint }[] {
  return request.packages.flatMap(({ packageId, budget, canceled }) => {
    const item = packages.find(
      (candidate) =>
        candidate.seller === sellerBuy.seller &&
        candidate.sellerPackageId === packageId &&
        packageId !== undefined,
    );
    if (item === undefined || budget === undefined || canceled === true) return [];
    const micros = budgetMicros(budget, item.currency);
    return micros < budgetAtSeller(item) ? [{ item, micros }] : [];
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
