import type { TenantScope } from '@switchyard/tenancy';
import { findBuyAtSeller, type Looked } from './find-buy-at-seller.js';
import type { Leg } from '../model/operation.js';
import type { OperationState } from '../model/operation-store.js';
import type { BuysPorts } from '../model/ports.js';
import type { LegRun } from '../send/run-leg.js';
import { storeObservation } from './store-observation.js';

type NotFound = Exclude<Looked['kind'], 'found'>;

/** How long after a send a seller is read again before the leg is parked: it may still be working or unreachable. */
const pauseMs: Readonly<Record<NotFound, number>> = {
  not_found: 60_000,
  no_answer: 600_000,
  no_way: 0,
};

const reasons: Readonly<Record<NotFound, string>> = {
  not_found:
    'The outcome of this request is unknown: the seller did not answer, and its list does not show it.',
  no_answer: 'The outcome of this request is unknown: the seller did not answer and cannot be asked.',
  no_way:
    'The outcome of this request is unknown: the seller did not answer and has no list that would show it.',
};

/**
 * Finds the outcome of a send by reading the seller's state (docs/protocol/idempotency.md#unknown-outcomes).
 *
 * Only finding the buy settles the leg. Not finding it proves nothing, so the leg is finally parked for a
 * person: a mutation is never repeated on a guess.
 */
export async function readBack(
  ports: BuysPorts,
  scope: TenantScope,
  leg: Leg,
  run: LegRun,
): Promise<OperationState | undefined> {
  const looked = await findBuyAtSeller(ports, scope, leg, run);
  const at = ports.clock.now();
  if (looked.kind === 'found') {
    const reply = { status: 'completed' as const, replayed: false, payload: looked.payload, errors: [] };
    return (await storeObservation(ports, scope, leg, { source: 'read_back', at, reply }))?.state;
  }
  const sinceMs = at - (leg.sentAt ?? leg.createdAt);
  if (sinceMs < pauseMs[looked.kind]) {
    await ports.store.releaseLeg(scope, leg, at + Math.min(60_000, Math.max(2_000, sinceMs)));
    return undefined;
  }
  const message = reasons[looked.kind];
  await ports.store.parkLeg(scope, leg.id, message, at);
  ports.notice({ code: 'LEG_PARKED', seller: leg.seller, legId: leg.id, message });
  return ports.store.state(scope, leg.operationId);
}
