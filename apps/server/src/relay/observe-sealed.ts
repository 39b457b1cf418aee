import { storeObservation, type Leg, type OperationStore } from '@switchyard/buys';
import { activateSignal, taskError, type SellerReply } from '@switchyard/protocol';
import type { Ended } from '@switchyard/relay';
import type { TenantScope } from '@switchyard/tenancy';
import type { Said } from './read-passed.js';
import type { RelayDeps } from './relay-deps.js';

/** How soon a leg is looked at whose answer went by without telling what became of it. */
const lookSoonMs = 2_000;

/**
 * Ends a relayed change: its record is sealed, and what its seller said is applied to its leg, by the same rules as any
 * answer of its, in one commit. Resolves once that has committed or has failed; then the leg is looked at later.
 */
export async function endSealed(
  deps: Pick<RelayDeps, 'custody' | 'store' | 'activations' | 'notice' | 'clock'>,
  scope: TenantScope,
  ended: Ended,
  leg: Leg | undefined,
  reported: Said | 'nothing' | undefined,
): Promise<void> {
  if (leg === undefined) return deps.custody.ended(scope, ended, true);
  const apply = (store: OperationStore): Promise<void> => observeSealed({ ...deps, store }, leg, reported);
  if (leg.task !== activateSignal.name) return deps.custody.ended(scope, { ...ended, apply }, true);
  // How a signal stands is written beside its operation, in transactions of its own.
  void deps.custody.ended(scope, ended, true);
  await apply(deps.store);
}

/** Where a seller told nothing, the leg stays as it is and is read back, because its bytes are not ours to send again. */
async function observeSealed(
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
