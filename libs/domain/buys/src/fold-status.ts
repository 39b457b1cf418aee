import { isBuyOver, type MediaBuyView } from '@switchyard/protocol';
import type { Instant } from '@switchyard/values';
import { confirmedBy, replaceSellerBuy } from './book-answer.js';
import type { SellerBuy } from './operation.js';
import type { OperationState } from './operation-store.js';
import { buyStatus } from './roll-up-operation.js';

/**
 * Folds what a seller's list says of one buy into our record of it. Pure; the caller holds the lock. An end is
 * never left again, and an older revision than the one we know tells nothing new.
 */
export function foldStatus(
  state: OperationState,
  sellerBuyId: string,
  seen: Pick<MediaBuyView, 'status' | 'revision' | 'confirmedAt'>,
  at: Instant,
): OperationState {
  const known = state.sellerBuys.find((item) => item.id === sellerBuyId);
  if (known === undefined || state.buy === undefined || isBuyOver(known.status)) return state;
  if (known.statusAsOf !== undefined && known.statusAsOf > at) return state;
  if (seen.revision !== undefined && known.revision !== undefined && seen.revision < known.revision) {
    return state;
  }
  const confirmedAt = known.confirmedAt ?? confirmedBy(seen.confirmedAt ?? null, at);
  const sellerBuy: SellerBuy = {
    ...known,
    status: seen.status,
    statusAsOf: at,
    ...(seen.revision === undefined ? {} : { revision: seen.revision }),
    ...(confirmedAt === undefined ? {} : { confirmedAt }),
  };
  const changed = replaceSellerBuy(state, sellerBuy);
  const operation = { ...state.operation, updatedAt: at };
  return {
    ...changed,
    operation,
    buy: { ...state.buy, status: buyStatus(changed), updatedAt: at },
  };
}
