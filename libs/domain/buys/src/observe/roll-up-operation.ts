import { isBuyOver, rollUp, type MediaBuyStatus, type TaskStatus } from '@switchyard/protocol';
import { isSettled } from './observe-leg.js';
import type { Leg, SellerBuy } from '../model/operation.js';
import { isMarketRead } from '../market/market-read.js';
import type { OperationState } from '../model/operation-store.js';

/** Our buy's status: the roll-up over the sellers' buys, where failed legs do not count once another leg was made. */
export function buyStatus(state: Pick<OperationState, 'sellerBuys'>): MediaBuyStatus {
  const made = state.sellerBuys.filter(isMadeOrMayBe);
  return rollUp((made.length > 0 ? made : state.sellerBuys).map((sellerBuy) => sellerBuy.status));
}

/** False for a part that its seller refused: it is over, and never had an id. */
export function isMadeOrMayBe({ sellerMediaBuyId, status }: SellerBuy): boolean {
  return sellerMediaBuyId !== undefined || !isBuyOver(status);
}

/**
 * The operation's task status towards the buyer, over the legs' own. Where made legs had to be undone, what was asked
 * for has failed, whatever the cancellations came to.
 */
export function operationStatus(
  legs: readonly Pick<Leg, 'status' | 'task' | 'observedBy'>[],
  task = legs[0]?.task,
): TaskStatus {
  if (legs.length === 0) return 'completed';
  if (isMarketRead(task)) return readStatus(legs);
  const open = legs.filter((leg) => !isSettled(leg));
  if (open.some((leg) => leg.status === 'input-required')) return 'input-required';
  if (open.some((leg) => leg.status === 'working')) return 'working';
  if (open.length > 0) return 'submitted';
  if (legs.some((leg) => leg.task !== task)) return 'failed';
  if (legs.some((leg) => leg.status === 'completed')) return 'completed';
  const [first] = legs;
  const same = first !== undefined && legs.every((leg) => leg.status === first.status);
  return same && (first.status === 'rejected' || first.status === 'canceled') ? first.status : 'failed';
}

/**
 * A question is open until its last answer has come, and is answered then by whatever came. It was called off where
 * the buyer said so and nobody's late answer was quicker. How far sellers are on the way is no news of ours.
 */
function readStatus(legs: readonly Pick<Leg, 'status' | 'observedBy'>[]): TaskStatus {
  if (!legs.every(isSettled)) return 'submitted';
  const isCalledOff = legs.some((leg) => leg.status === 'canceled' && leg.observedBy === 'inline');
  const cameLate = legs.some((leg) => leg.status === 'completed' && leg.observedBy !== 'inline');
  return isCalledOff && !cameLate ? 'canceled' : 'completed';
}
