import { defined } from '@switchyard/values';
import { actionsOf, isBuyOver, type UpdateMediaBuyRequest } from '@switchyard/protocol';
import type { NamedUpdate } from '../plan/name-package.js';
import type { SellerBuy } from '../model/operation.js';
import type { PlannedPackage } from '../plan/planned-package.js';

/** The members of a request that apply to the whole buy. */
export type WholeBuy = Pick<
  UpdateMediaBuyRequest,
  'paused' | 'canceled' | 'cancellationReason' | 'startTime' | 'endTime' | 'invoiceRecipient'
>;

/** The members for the whole buy that change this part; undefined for an ended part, or where nothing changes. */
export function wholeBuyPart(request: UpdateMediaBuyRequest, sellerBuy: SellerBuy): WholeBuy | undefined {
  if (isBuyOver(sellerBuy.status)) return undefined;
  const mayPause = actionsOf(sellerBuy.status, sellerBuy.actions).some(({ action }) => action === 'pause');
  const isPaused = sellerBuy.status === 'paused' && !mayPause;
  const { paused, canceled, cancellationReason, startTime, endTime, invoiceRecipient } = request;
  const part: WholeBuy = {
    ...(paused === undefined || paused === isPaused ? {} : { paused }),
    ...(canceled === undefined
      ? {}
      : { canceled, ...(cancellationReason === undefined ? {} : { cancellationReason }) }),
    ...defined({ startTime, endTime, invoiceRecipient }),
  };
  return Object.keys(part).length === 0 ? undefined : part;
}

/** One seller's part of an update. */
interface SellerPart {
  readonly whole: WholeBuy;
  readonly sellerBuy: SellerBuy;
  readonly updates: readonly NamedUpdate[];
  readonly added: readonly PlannedPackage[];
}

/** The request for one seller, in its own ids: only what concerns its part. */
export function partOfUpdate(
  request: UpdateMediaBuyRequest,
  { whole, sellerBuy, updates, added }: SellerPart,
): UpdateMediaBuyRequest {
  const { context, ext, idempotencyKey, original } = request;
  const revision = request.revision === undefined ? undefined : sellerBuy.revision;
  return {
    ...whole,
    ...defined({ context, ext, idempotencyKey, mediaBuyId: sellerBuy.sellerMediaBuyId, revision }),
    packages: updates.map(({ item, update }) => {
      const { buyerRef: _named, ...rest } = update;
      return { ...rest, packageId: item.sellerPackageId ?? '' };
    }),
    newPackages: added.map((item) => item.request),
    original,
  };
}
