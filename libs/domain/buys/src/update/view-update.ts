import { microsToDecimal } from '@switchyard/money';
import type { UpdateMediaBuyAnswer } from '@switchyard/protocol';
import { isoOf } from '@switchyard/values';
import { requestedChange } from '../apply/requested-change.js';
import { actionsNow, liveBudget, viewPackage } from '../read/buy-view.js';
import type { BuyPackage, MediaBuy } from '../model/operation.js';
import type { OperationState } from '../model/operation-state.js';
import { rollUpReported } from '../apply/reported-buy.js';

/** The result of a change for the buyer: the buy's status, and the changed packages. */
export function viewUpdate(state: OperationState & { readonly buy: MediaBuy }): UpdateMediaBuyAnswer {
  const { buy, operation } = state;
  return {
    mediaBuyId: buy.id,
    status: buy.status,
    revision: buy.revision,
    currency: buy.currency,
    totalBudget: microsToDecimal(liveBudget(state)),
    implementationDate: implementedAt(state),
    affectedPackages: state.packages.flatMap((item) =>
      item.sellerPackageId !== undefined && isTouched(item, state)
        ? [viewPackage(item, item.sellerPackageId)]
        : [],
    ),
    actions: actionsNow(state),
    original: { form: 'ours', value: {} },
    ...recipientOf(rollUpReported({ buy, sellerBuys: state.sellerBuys })),
    ...(buy.buyerRef === undefined ? {} : { buyerRef: buy.buyerRef }),
  };

  /** The latest date of the sellers; null while one is open. A seller without a date has applied it at once. */
  function implementedAt({ legs }: OperationState): string | null {
    const dates = legs
      .filter((leg) => leg.status === 'completed')
      .map((leg) => {
        const reported = leg.answer?.['implementation_date'];
        if (reported === null) return null;
        const time = typeof reported === 'string' ? Date.parse(reported) : Number.NaN;
        return Number.isNaN(time) ? (leg.observedAt ?? operation.createdAt) : time;
      });
    const known = dates.filter((date) => date !== null);
    if (known.length < dates.length) return null;
    return isoOf(known.length === 0 ? operation.createdAt : Math.max(...known));
  }
}

function recipientOf({
  invoiceRecipient,
}: Pick<UpdateMediaBuyAnswer, 'invoiceRecipient'>): Pick<UpdateMediaBuyAnswer, 'invoiceRecipient'> {
  return invoiceRecipient === undefined ? {} : { invoiceRecipient };
}

function isTouched(item: BuyPackage, { legs }: OperationState): boolean {
  return legs.some((leg) => {
    if (leg.seller !== item.seller || leg.status !== 'completed') return false;
    const requested = requestedChange(leg);
    if (requested === undefined) return false;
    if (item.legId === leg.id) return true;
    const isWhole = requested.packages.length === 0 && requested.newPackages.length === 0;
    return isWhole || requested.packages.some((update) => update.packageId === item.sellerPackageId);
  });
}
