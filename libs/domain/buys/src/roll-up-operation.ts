import { rollUp, type MediaBuyStatus, type TaskStatus } from '@switchyard/protocol';
import { isSettled } from './observe-leg.js';
import type { Leg } from './operation.js';
import type { OperationState } from './operation-store.js';

/** Our buy's status: the roll-up over the sellers' buys, where failed legs do not count once another leg was made. */
export function buyStatus(state: Pick<OperationState, 'legs' | 'sellerBuys'>): MediaBuyStatus {
  const made = state.sellerBuys.filter((sellerBuy) => {
    const leg = state.legs.find((candidate) => candidate.id === sellerBuy.legId);
    return leg === undefined || !isSettled(leg) || leg.status === 'completed';
  });
  return rollUp((made.length > 0 ? made : state.sellerBuys).map((sellerBuy) => sellerBuy.status));
}

/** The operation's task status towards the buyer, over the legs' own. */
export function operationStatus(legs: readonly Leg[]): TaskStatus {
  const open = legs.filter((leg) => !isSettled(leg));
  if (open.some((leg) => leg.status === 'input-required')) return 'input-required';
  if (open.some((leg) => leg.status === 'working')) return 'working';
  if (open.length > 0) return 'submitted';
  if (legs.some((leg) => leg.status === 'completed')) return 'completed';
  const [first] = legs;
  const same = first !== undefined && legs.every((leg) => leg.status === first.status);
  return same && (first.status === 'rejected' || first.status === 'canceled') ? first.status : 'failed';
}
