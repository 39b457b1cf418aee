import { microsToDecimal } from '@switchyard/money';
import { isoOf, type Instant } from '@switchyard/values';
import type { BuyChange, Leg } from '../model/operation.js';
import type { OperationState } from '../model/operation-store.js';
import { placeOf } from '../update/record-changes.js';

/**
 * Returns the record of a purchase that a seller accepted: what was bought and on what terms. A seller that
 * accepts provisionally sends no time of confirmation. `confirmed_at` is then null, and `confirm` follows
 * (docs/protocol/media-buys.md#confirmation).
 */
export function recordPurchase(state: OperationState, leg: Leg, at: Instant): readonly BuyChange[] {
  const { buy } = state;
  const sellerBuy = state.sellerBuys.find(({ legId }) => legId === leg.id);
  if (buy === undefined || sellerBuy?.sellerMediaBuyId === undefined) return [];
  const packages = state.packages.filter(({ legId }) => legId === leg.id);
  const { confirmedAt, revision } = sellerBuy;
  return [
    {
      ...placeOf({ state, leg, sellerBuy, at }),
      actor: 'buyer',
      action: purchase,
      revision: buy.revision,
      detail: {
        seller_media_buy_id: sellerBuy.sellerMediaBuyId,
        status: sellerBuy.status,
        seller_revision: revision ?? null,
        confirmed_at: confirmedAt === undefined ? null : isoOf(confirmedAt),
        start_time: buy.startTime,
        end_time: buy.endTime,
        packages: packages.map((item) => ({
          package_id: item.sellerPackageId ?? null,
          buyer_ref: item.buyerRef ?? null,
          product_id: item.productId,
          pricing_option_id: item.pricingOptionId,
          budget: microsToDecimal(item.budgetMicros),
          currency: item.currency,
        })),
      },
    },
  ];
}

/** The action of a change that creates a part. */
const purchase = 'create';
