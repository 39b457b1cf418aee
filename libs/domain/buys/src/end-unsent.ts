import { taskError, type SellerReply, type TaskError } from '@switchyard/protocol';
import type { TenantScope } from '@switchyard/tenancy';
import type { Leg } from './operation.js';
import type { OperationState } from './operation-store.js';
import type { BuysPorts } from './ports.js';
import { pauseBeforeRetryMs } from './resume-leg.js';
import { storeObservation } from './store-observation.js';

/** Ends a leg of which nothing has left, by what was known of it before. */
export async function endUnsent(
  ports: BuysPorts,
  scope: TenantScope,
  leg: Leg,
  error: TaskError,
): Promise<OperationState | undefined> {
  const seen = { source: 'inline' as const, at: ports.clock.now(), reply: failedReply(error) };
  return (await storeObservation(ports, scope, leg, seen))?.state;
}

/** A mutation never goes out under no name: the leg fails if it never left, and waits for its credential if it did. */
export async function withoutCredential(
  ports: BuysPorts,
  scope: TenantScope,
  legId: string,
): Promise<OperationState | undefined> {
  const leg = await ports.store.leg(scope, legId);
  if (leg === undefined) return undefined;
  if (leg.status === 'pending') {
    const message = `Our credential for the seller ${leg.seller} cannot be used now.`;
    return endUnsent(ports, scope, leg, taskError('CONFIGURATION_ERROR', message));
  }
  await ports.store.releaseLeg(scope, legId, ports.clock.now() + pauseBeforeRetryMs(leg.attempts));
  return undefined;
}

/** A seller is never given the place of the secret instead of the secret. */
export function secretUnusable({ seller }: Pick<Leg, 'seller'>): TaskError {
  return taskError('CONFIGURATION_ERROR', `The webhook secret of the seller ${seller} cannot be used now.`);
}

export function failedReply(error: TaskError): SellerReply {
  return { status: 'failed', replayed: false, payload: {}, errors: [error] };
}
