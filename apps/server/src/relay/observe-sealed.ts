import { storeObservation, type Leg, type OperationStore } from '@switchyard/buys';
import { activateSignal, taskError, type SellerReply } from '@switchyard/protocol';
import type { Ended } from '@switchyard/relay';
import type { TenantScope } from '@switchyard/tenancy';
import type { PassedReply } from './read-passed.js';
import type { RelayDeps } from './relay-deps.js';

/** How soon a leg is polled if its relayed answer has no outcome, in milliseconds. */
const pollSoonMs = 2_000;

/**
 * Ends a relayed change: seals its record, and applies the seller's answer to its leg, by the same rules as any other
 * answer, in one commit. Resolves once that has committed or failed; after a failure the leg is polled later.
 */
export async function endSealed(
  deps: Pick<RelayDeps, 'custody' | 'store' | 'activations' | 'notice' | 'clock'>,
  scope: TenantScope,
  {
    ended,
    leg,
    reported,
  }: {
    readonly ended: Ended;
    readonly leg: Leg | undefined;
    readonly reported: PassedReply | 'nothing' | undefined;
  },
): Promise<void> {
  if (leg === undefined) return deps.custody.ended(scope, ended, true);
  const apply = (store: OperationStore): Promise<void> => observeSealed({ ...deps, store }, leg, reported);
  if (leg.task !== activateSignal.name) return deps.custody.ended(scope, { ...ended, apply }, true);
  // The state of a signal is written beside its operation, in separate transactions.
  void deps.custody.ended(scope, ended, true);
  await apply(deps.store);
}

/** Without an answer the leg stays unchanged and is polled, because we may not send its bytes again. */
async function observeSealed(
  deps: Pick<RelayDeps, 'store' | 'activations' | 'notice' | 'clock'>,
  leg: Leg,
  reported: PassedReply | 'nothing' | undefined,
): Promise<void> {
  const scope = { organizationId: leg.organizationId };
  const at = deps.clock.now();
  if (reported === undefined) return deps.store.releaseLeg(scope, leg, at + pollSoonMs);
  const { reply, a2aTaskId } =
    reported === 'nothing' ? { reply: notDelivered(leg.seller), a2aTaskId: undefined } : reported;
  const received = await storeObservation(deps, scope, leg, {
    source: 'inline',
    at,
    reply,
    elapsedMs: at - leg.createdAt,
    ...(a2aTaskId === undefined ? {} : { a2aTaskId }),
  });
  if (received?.state.legs.find(({ id }) => id === leg.id)?.status === 'sent')
    await deps.store.releaseLeg(scope, leg, at + pollSoonMs);
}

function notDelivered(seller: string): SellerReply {
  const error = taskError('SERVICE_UNAVAILABLE', `The seller ${seller} did not accept the sealed request.`, {
    details: { seller },
  });
  return { status: 'failed', replayed: false, payload: {}, errors: [error] };
}
