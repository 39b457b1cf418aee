import { taskError, type SellerReply, type TaskError } from '@switchyard/protocol';
import type { TenantScope } from '@switchyard/tenancy';
import { isTaken, leaseMs } from '../model/leg-lease.js';
import type { Leg } from '../model/operation.js';
import type { OperationState } from '../model/operation-state.js';
import type { BuysPorts } from '../model/ports.js';
import { pauseBeforeRetryMs } from '../call/send-with-retries.js';
import { storeObservation } from './store-observation.js';

/** Ends a leg that was never sent, with an error known before. */
export async function endUnsent(
  ports: BuysPorts,
  scope: TenantScope,
  leg: Leg,
  error: TaskError,
): Promise<OperationState | undefined> {
  const seen = { source: 'inline' as const, at: ports.clock.now(), reply: failedReply(error) };
  return (await storeObservation(ports, scope, leg, seen))?.state;
}

/**
 * A mutation is never sent without its credential: a leg that was never sent fails, any other waits. The leg
 * is leased first, so that a process that has the credential does not send it meanwhile.
 */
export async function withoutCredential(
  ports: BuysPorts,
  scope: TenantScope,
  legId: string,
): Promise<OperationState | undefined> {
  const leg = await ports.store.leg(scope, legId);
  if (leg === undefined) return undefined;
  const now = ports.clock.now();
  const taken = leg.status === 'pending' ? await ports.store.takeLeg(scope, legId, now, now + leaseMs) : leg;
  if (taken === undefined || isTaken(leg, now)) return undefined;
  if (leg.status === 'pending' && taken.attempts === 1) {
    const message = `Our credential for the seller ${leg.seller} cannot be used now.`;
    return endUnsent(ports, scope, taken, taskError('CONFIGURATION_ERROR', message));
  }
  await ports.store.releaseLeg(scope, taken, now + pauseBeforeRetryMs(taken.attempts));
  return undefined;
}

/** The error where the secret is missing: the placeholder is never sent instead. */
export function secretUnusable({ seller }: Pick<Leg, 'seller'>): TaskError {
  return taskError('CONFIGURATION_ERROR', `The webhook secret of the seller ${seller} cannot be used now.`);
}

export function failedReply(error: TaskError): SellerReply {
  return { status: 'failed', replayed: false, payload: {}, errors: [error] };
}
