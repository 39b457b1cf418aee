import { type Instant, canonicalJson } from '@switchyard/values';
import type { OperationState } from '../model/operation-state.js';
import type { Leg } from '../model/operation.js';
import { outboundOf } from '../model/outbound.js';
import { isSettled } from '../model/leg-state.js';

/**
 * Applies all or nothing: once one seller failed, releases the cancellation of every part that was made, and of parts
 * that are made later. Pure; it is stored together with the observation that caused it, so that a crash cannot
 * separate them.
 *
 * The bytes of a cancellation are frozen here: the seller's id is known only now, and nothing was sent before.
 */
export function undoMade(state: OperationState, at: Instant): OperationState {
  if (!state.legs.some((leg) => leg.status === 'held')) return state;
  const primary = state.legs.filter((leg) => leg.task === state.operation.task);
  if (!primary.some((leg) => isSettled(leg) && leg.status !== 'completed')) return state;
  const legs = state.legs.map((leg): Leg => {
    const sellerBuy = state.sellerBuys.find((candidate) => candidate.id === leg.sellerBuyId);
    const maker = state.legs.find((candidate) => candidate.id === sellerBuy?.legId);
    const id = sellerBuy?.sellerMediaBuyId;
    if (leg.status !== 'held' || maker?.status !== 'completed' || id === undefined) return leg;
    const outbound = canonicalJson({ ...outboundOf(leg), media_buy_id: id });
    return { ...leg, status: 'pending', outbound, nextPollAt: at };
  });
  return { ...state, legs };
}
