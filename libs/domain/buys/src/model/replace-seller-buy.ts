import type { SellerBuy } from './operation.js';
import type { OperationState } from './operation-state.js';

export function replaceSellerBuy<State extends Pick<OperationState, 'sellerBuys'>>(
  state: State,
  sellerBuy: SellerBuy,
): State {
  return {
    ...state,
    sellerBuys: state.sellerBuys.map((other) => (other.id === sellerBuy.id ? sellerBuy : other)),
  };
}
