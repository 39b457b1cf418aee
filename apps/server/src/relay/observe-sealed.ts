import { storeObservation, type Leg } from '@switchyard/buys';
import { taskError, type SellerReply } from '@switchyard/protocol';
import type { Said } from './read-passed.js';
import type { RelayDeps } from './relay-deps.js';

/** How soon a leg is looked at whose answer went by without telling what became of it. */
const lookSoonMs = 2_000;

/**
 * Folds what a seller said to a sealed request into its leg, by the same rules as any answer of its. Where it told
 * nothing, the leg stays as it is and is read back, because its bytes are not ours to send again.
 */
export async function observeSealed(
  deps: Pick<RelayDeps, 'store' | 'activations' | 'notice' | 'clock'>,
  leg: Leg,
  reported: Said | 'nothing' | undefined,
): Promise<void> {
  const scope = { organizationId: leg.organizationId };
  const at = deps.clock.now();
  if (reported === undefined) return deps.store.releaseLeg(scope, leg, at + lookSoonMs);
  const { reply, a2aTaskId } =
    reported === 'nothing' ? { reply: notTaken(leg.seller), a2aTaskId: undefined } : reported;
  const received = await storeObservation(deps, scope, leg, {
    source: 'inline',
    at,
    reply,
    elapsedMs: at - leg.createdAt,
    ...(a2aTaskId === undefined ? {} : { a2aTaskId }),
  });
  if (received?.state.legs.find(({ id }) => id === leg.id)?.status === 'sent')
    await deps.store.releaseLeg(scope, leg, at + lookSoonMs);
}

function notTaken(seller: string): SellerReply {
  const error = taskError('SERVICE_UNAVAILABLE', `The seller ${seller} did not take the sealed request up.`, {
    details: { seller },
  });
  return { status: 'failed', replayed: false, payload: {}, errors: [error] };
}
