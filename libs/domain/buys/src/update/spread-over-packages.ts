import {
  isBuyOver,
  prefixId,
  taskError,
  type PackageUpdate,
  type TaskError,
  type UpdateMediaBuyRequest,
} from '@switchyard/protocol';
import { defined, err, ok, type Result } from '@switchyard/values';
import type { BuyPackage, MediaBuyRecord } from '../model/operation.js';

/**
 * Splits a budget and a targeting of the whole buy, which only the `service` form has, into changes of its
 * packages. A budget for several packages is refused, because the split is the buyer's decision.
 */
export function spreadOverPackages(
  request: UpdateMediaBuyRequest,
  record: MediaBuyRecord,
): Result<UpdateMediaBuyRequest, readonly TaskError[]> {
  const { budget, targetingOverlay, ...rest } = request;
  if (budget === undefined && targetingOverlay === undefined) return ok(request);
  const live = record.packages.filter((item) => isLive(item, record));
  const [only, another] = live;
  if (budget !== undefined && (only === undefined || another !== undefined)) {
    return err([
      taskError('INVALID_REQUEST', 'A budget of the whole buy is only clear where it has one package.', {
        field: 'updates.budget_change',
        suggestion: 'Send the new budget of each package under updates.packages.',
      }),
    ]);
  }
  const spread = live.map((item): PackageUpdate => ({
    packageId: prefixId(item.seller, item.sellerPackageId ?? ''),
    ...defined({ budget, targetingOverlay }),
    original: { form: 'ours', value: {} },
  }));
  return ok({ ...rest, packages: merged(spread, request.packages) });
}

/** Members of one package override those of the whole buy. */
function merged(spread: readonly PackageUpdate[], named: readonly PackageUpdate[]): readonly PackageUpdate[] {
  const byId = new Map(named.map((one) => [one.packageId, one]));
  const both = spread.map((one) => {
    const own = byId.get(one.packageId);
    return own === undefined ? one : { ...one, ...own, original: { form: 'ours' as const, value: {} } };
  });
  const ids = new Set(spread.map((one) => one.packageId));
  return [...both, ...named.filter((one) => !ids.has(one.packageId))];
}

function isLive(item: BuyPackage, { sellerBuys }: MediaBuyRecord): boolean {
  if (item.sellerPackageId === undefined || item.canceledAt !== undefined) return false;
  const sellerBuy = sellerBuys.find((one) => one.seller === item.seller);
  return sellerBuy !== undefined && !isBuyOver(sellerBuy.status);
}
