import { errorRule, type SellerReply } from '@switchyard/protocol';
import type { Connection, PrincipalSigner } from '@switchyard/sellers';
import type { TenantScope } from '@switchyard/tenancy';
import { callSeller, failureAsError } from './call-seller.js';
import { endUnsent, failedReply, secretUnusable, withoutCredential } from './end-unsent.js';
import { leaseMs } from '../model/leg-lease.js';
import { isSettled } from '../observe/observe-leg.js';
import type { Leg } from '../model/operation.js';
import type { OperationState } from '../model/operation-store.js';
import { reencodeLeg } from './reencode-leg.js';
import type { BuysPorts, LegSecrets } from '../model/ports.js';
import type { Refreezes } from './reencode.js';
import { sendingOf } from './sending.js';
import { alreadyActivated, asActivated } from '../signals/already-activated.js';
import { findSignalAtSeller } from '../signals/find-signal-at-seller.js';
import { relearnOutdated } from './relearn-outdated.js';
import { isRemembered, pauseBeforeRetryMs } from './resume-leg.js';
import { retryAfterMs, sendPatiently } from './send-patiently.js';
import { storeObservation } from '../observe/store-observation.js';

/** How long one send may take before it counts as lost. */
export const sendTimeoutMs = 30_000;

/** When a leg is tried again that an emergency stop held back after it was taken, in milliseconds. */
const stoppedPauseMs = 1_000;

export interface LegRun extends LegSecrets {
  readonly connection: Connection;
  /** Of the principal whose request it is. */
  readonly signer?: PrincipalSigner;
  /** How legs are written anew, where that is known still: the process that planned them is at work. */
  readonly again?: Refreezes;
  readonly signal: AbortSignal;
}

/**
 * Sends one leg with its frozen bytes and stores what came of it.
 *
 * Of a leg that was never sent before, a failure that proves the seller did not see the request is its end. Any
 * other leaves it `sent`: what happened there is found out later, with the same key and bytes or by reading back,
 * never assumed.
 */
export async function runLeg(
  ports: BuysPorts,
  scope: TenantScope,
  legId: string,
  run: LegRun,
): Promise<OperationState | undefined> {
  const { connection, credential, signal } = run;
  if (connection.credentialId !== undefined && credential === undefined)
    return withoutCredential(ports, scope, legId);
  const startedAt = ports.clock.now();
  const leg = await ports.store.takeLeg(scope, legId, startedAt, startedAt + leaseMs);
  if (leg === undefined) return undefined;
  const isFirst = leg.attempts === 1;
  const [unsayable] = isFirst ? leg.errors : [];
  if (unsayable !== undefined) return endUnsent(ports, scope, leg, unsayable);
  const sending = sendingOf(leg, run, ports.callbackBase());
  if (sending === undefined && isFirst) return endUnsent(ports, scope, leg, secretUnusable(leg));
  if (sending === undefined) {
    await ports.store.releaseLeg(scope, leg, startedAt + pauseBeforeRetryMs(leg.attempts));
    return undefined;
  }
  const call = { task: leg.task, ...sending, frozen: true };
  const send = () => callSeller(ports.transport, run, call, signal);
  const mayRepeat = isFirst && isRemembered(leg, connection, startedAt);
  const reported = mayRepeat ? await sendPatiently(ports.clock, legId, send, signal) : await send();
  const at = ports.clock.now();
  const seen = { source: 'inline' as const, at, elapsedMs: at - startedAt };
  if (reported.ok && (isFirst ? !isInFlight(reported.value.reply) : isAboutTheLeg(reported.value.reply))) {
    const reply = await withStandingActivation(ports, leg, run, reported.value.reply);
    const anew = await reencodeLeg(ports, scope, { leg, run, reply });
    if (anew.kind === 'frozen') return runLeg(ports, scope, legId, { ...run, connection: anew.connection });
    const received = await storeObservation(ports, scope, leg, { ...seen, ...reported.value, reply });
    if (anew.kind === 'not_asked') await relearnOutdated(ports, scope, connection, reply);
    return received?.state;
  }
  if (!reported.ok && reported.error.code === 'stopped') {
    // Nothing has left: the leg is as it was before, and goes out once the stop is over.
    await ports.store.releaseLeg(scope, leg, at + stoppedPauseMs, 'unsent');
    return undefined;
  }
  // What is held back for what it says was held back every time before: the seller has never seen it.
  const isHeldBack = !reported.ok && reported.error.code === 'credential_in_args';
  const neverLeft =
    isFirst && !reported.ok && reported.error.delivered === 'no' && reported.error.code !== 'aborted';
  if (!reported.ok && (isHeldBack || neverLeft)) {
    const reply = failedReply(failureAsError(reported.error, leg.seller));
    return (await storeObservation(ports, scope, leg, { ...seen, reply }))?.state;
  }
  const requested = reported.ok ? retryAfterMs(reported.value.reply) : undefined;
  await ports.store.releaseLeg(scope, leg, at + Math.max(pauseBeforeRetryMs(leg.attempts), requested ?? 0));
  return undefined;
}

/** A seller that is still at the first copy has said nothing of how it ends, even where we know of no other copy. */
function isInFlight({ errors }: SellerReply): boolean {
  return errors.some(({ code }) => code === 'IDEMPOTENCY_IN_FLIGHT');
}

/** An agent that has activated the signal before is asked for the key at once, so that its buyer has it in the answer. */
async function withStandingActivation(
  ports: BuysPorts,
  leg: Leg,
  run: LegRun,
  reply: SellerReply,
): Promise<SellerReply> {
  const requested = alreadyActivated(leg, reply);
  if (requested === undefined) return reply;
  const shown = await findSignalAtSeller(ports, leg, run, {
    segmentId: requested.segmentId,
    targets: requested.destinations,
  });
  return asActivated(leg, reply, requested, shown ?? []);
}

/**
 * Whether the answer to a repeated send tells how the request ended. A seller that is busy, or still at the first
 * copy, or that knows the key for something else, has told nothing about the send before.
 */
function isAboutTheLeg({ status, errors }: SellerReply): boolean {
  if (status !== 'failed' && status !== 'rejected') return true;
  return !errors.some(
    ({ code, recovery }) =>
      code.startsWith('IDEMPOTENCY_') || (recovery ?? errorRule(code).recovery) === 'transient',
  );
}

/** True once a seller has said anything of its leg. */
export function hasAnswered(leg: Leg): boolean {
  return isSettled(leg) || (leg.status !== 'pending' && leg.status !== 'sent');
}
