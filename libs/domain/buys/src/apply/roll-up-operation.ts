import { rollUp, type MediaBuyStatus, type TaskStatus } from '@switchyard/protocol';
import { isMadeOrMayBe, isSettled } from '../model/leg-state.js';
import type { Leg } from '../model/operation.js';
import { isMarketRead } from './market-read.js';
import type { OperationState } from '../model/operation-state.js';

/** The status of a buy, rolled up from the sellers' buys. Failed legs do not count once another leg was made. */
export function buyStatus(state: Pick<OperationState, 'sellerBuys'>): MediaBuyStatus {
  const made = state.sellerBuys.filter(isMadeOrMayBe);
  return rollUp((made.length > 0 ? made : state.sellerBuys).map((sellerBuy) => sellerBuy.status));
}

/**
 * The operation's task status for the buyer, rolled up from its legs. Where made legs had to be undone the
 * request has failed, whatever the outcome of the cancellations.
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
 * A read is open until its last answer arrives, and then completed by all that arrived. It is canceled where
 * the buyer canceled it before any late answer came. Progress at sellers is not shown.
 */
function readStatus(legs: readonly Pick<Leg, 'status' | 'observedBy'>[]): TaskStatus {
  if (!legs.every(isSettled)) return 'submitted';
  const isCalledOff = legs.some((leg) => leg.status === 'canceled' && leg.observedBy === 'inline');
  const cameLate = legs.some((leg) => leg.status === 'completed' && leg.observedBy !== 'inline');
  return isCalledOff && !cameLate ? 'canceled' : 'completed';
}
