import { errorRule, findTask, taskError, type SellerReply } from '@switchyard/protocol';
import type { TenantScope } from '@switchyard/tenancy';
import { callSeller, failureAsError } from '../call/call-seller.js';
import { endUnsent, failedReply, secretUnusable, withoutCredential } from './end-unsent.js';
import { leaseMs } from '../model/leg-lease.js';
import { isSettled } from '../model/leg-state.js';
import type { Leg } from '../model/operation.js';
import type { OperationState } from '../model/operation-state.js';
import { reencodeLeg } from './reencode-leg.js';
import type { BuysPorts } from '../model/ports.js';
import { sendingOf } from '../call/draft-registrations.js';
import { alreadyActivated, asActivated } from '../signals/already-activated.js';
import { findSignalAtSeller } from './find-signal-at-seller.js';
import { relearnOutdated } from './relearn-refused.js';
import { pauseBeforeRetryMs, retryAfterMs, sendWithRetries } from '../call/send-with-retries.js';
import { storeObservation } from './store-observation.js';
import type { LegRun } from '../call/leg-run.js';
import type { Connection } from '@switchyard/sellers';
import type { Instant, JsonObject } from '@switchyard/values';
import { outboundOf } from '../model/outbound.js';
import { webhookSecretPlaces } from '../model/webhook-secret.js';

/** How often a read is sent whose answer does not come. */
const readsAtMost = 5;
const noAnswer = taskError('SERVICE_UNAVAILABLE', 'The seller is still busy with an earlier request.');

/** Pause before the next attempt of a leg that an emergency stop held back, in milliseconds. */
const stoppedPauseMs = 1_000;

/**
 * Sends one leg with its frozen bytes and stores the outcome.
 *
 * For a leg that was never sent before, a failure that proves that the request did not reach the seller ends
 * it. Any other failure leaves it `sent`: the outcome is found later, with the same key and bytes or by
 * reading back, and never assumed.
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
  const [notExpressible] = isFirst ? leg.errors : [];
  if (notExpressible !== undefined) return endUnsent(ports, scope, leg, notExpressible);
  const sending = sendingOf(leg, run, ports.callbackBase());
  if (sending === undefined && isFirst) return endUnsent(ports, scope, leg, secretUnusable(leg));
  if (sending === undefined) {
    await ports.store.releaseLeg(scope, leg, startedAt + pauseBeforeRetryMs(leg.attempts));
    return undefined;
  }
  const call = { task: leg.task, ...sending, frozen: true };
  const send = () => callSeller(ports.transport, run, call, signal);
  const mayRepeat = isFirst && isRemembered(leg, connection, startedAt);
  const reported = mayRepeat ? await sendWithRetries(ports.clock, legId, send, signal) : await send();
  const at = ports.clock.now();
  const seen = { source: 'inline' as const, at, elapsedMs: at - startedAt };
  if (reported.ok && (isFirst ? !isInFlight(reported.value.reply) : isAboutTheLeg(reported.value.reply))) {
    const reply = await withStandingActivation(ports, leg, run, reported.value.reply);
    const reencoded = await reencodeLeg(ports, scope, { leg, run, reply });
    if (reencoded.kind === 'frozen')
      return runLeg(ports, scope, legId, { ...run, connection: reencoded.connection });
    const stored = await storeObservation(ports, scope, leg, { ...seen, ...reported.value, reply });
    if (reencoded.kind === 'not_needed') await relearnOutdated(ports, scope, connection, reply);
    return stored?.state;
  }
  if (!reported.ok && reported.error.code === 'stopped') {
    // Nothing was sent: the leg is released unchanged, and is sent once the stop ends.
    await ports.store.releaseLeg(scope, leg, at + stoppedPauseMs, 'unsent');
    return undefined;
  }
  // A request that is held back for its content was held back every time: the seller has never seen it.
  const isHeldBack = !reported.ok && reported.error.code === 'credential_in_args';
  const neverLeft =
    isFirst && !reported.ok && reported.error.delivered === 'no' && reported.error.code !== 'aborted';
  if (!reported.ok && (isHeldBack || neverLeft)) {
    const reply = failedReply(failureAsError(reported.error, leg.seller));
    return (await storeObservation(ports, scope, leg, { ...seen, reply }))?.state;
  }
  if (findTask(leg.task)?.kind === 'read' && leg.attempts >= readsAtMost) {
    const error = reported.ok ? undefined : failureAsError(reported.error, leg.seller);
    const reply = error === undefined ? failedReply(noAnswer) : failedReply(error);
    return (await storeObservation(ports, scope, leg, { ...seen, reply }))?.state;
  }
  const requested = reported.ok ? retryAfterMs(reported.value.reply) : undefined;
  await ports.store.releaseLeg(scope, leg, at + Math.max(pauseBeforeRetryMs(leg.attempts), requested ?? 0));
  return undefined;
}

/** Whether the seller is still processing an earlier copy, even one that is unknown here. The outcome is then open. */
function isInFlight({ errors }: SellerReply): boolean {
  return errors.some(({ code }) => code === 'IDEMPOTENCY_IN_FLIGHT');
}

/** For a signal that is already active, reads its key at once, so that the answer to the buyer contains it. */
async function withStandingActivation(
  ports: BuysPorts,
  leg: Leg,
  run: LegRun,
  reply: SellerReply,
): Promise<SellerReply> {
  const activated = alreadyActivated(leg, reply);
  if (activated === undefined) return reply;
  const shown = await findSignalAtSeller(ports, leg, run, {
    segmentId: activated.segmentId,
    targets: activated.destinations,
  });
  return asActivated(leg, reply, activated, shown ?? []);
}

/**
 * Whether the answer to a repeated send shows how the request ended. A seller that is busy, still processes
 * an earlier copy, or knows the key for another request, shows nothing about the earlier send.
 */
function isAboutTheLeg({ status, errors }: SellerReply): boolean {
  if (status !== 'failed' && status !== 'rejected') return true;
  return !errors.some(
    ({ code, recovery }) =>
      code.startsWith('IDEMPOTENCY_') || (recovery ?? errorRule(code).recovery) === 'transient',
  );
}

/** Whether a seller has reported anything on its leg. */
export function hasAnswered(leg: Leg): boolean {
  return isSettled(leg) || (leg.status !== 'pending' && leg.status !== 'sent');
}

/**
 * The next step of a leg that no process is working on: after a crash, or after a call without an observed outcome.
 *
 * - `send`: it was never sent, so it is sent for the first time.
 * - `send_again`: the seller supports idempotency, so the same key and bytes return the outcome.
 * - `read_back`: without that support a second send could buy twice, so the seller's state is read
 * (docs/protocol/idempotency.md#unknown-outcomes).
 * - `poll`: the seller is working on it.
 * - `leave`: it is settled, or waits for a person.
 */
type NextStep = 'send' | 'send_again' | 'read_back' | 'poll' | 'leave';

/** After this number of sends without an outcome a person has to decide. */
const sendsAtMost = 6;
/**
 * The shortest time for which a seller with idempotency may retain a key
 * (docs/protocol/idempotency.md#keys-at-sellers).
 */
const leastTtlSeconds = 3_600;
/** A key is not used in its last minutes: the seller's clock may be ahead, and the call takes time. */
const ttlMarginMs = 120_000;

type Known = Pick<Connection, 'capabilities' | 'webhookCredentialId' | 'keyCredentialId'>;

export function nextStep(leg: Leg, connection: Known, now: Instant): NextStep {
  // A sealed request cannot be signed again, and its nonce is used: it is only read back.
  if (leg.sealed === true && (leg.status === 'pending' || leg.status === 'sent')) return 'read_back';
  switch (leg.status) {
    case 'pending':
      return 'send';
    case 'sent':
      // A read may be repeated as often as it takes: `runLeg` ends it.
      if (findTask(leg.task)?.kind === 'read') return 'send_again';
      return leg.attempts < sendsAtMost && isRemembered(leg, connection, now) ? 'send_again' : 'read_back';
    case 'submitted':
    case 'working':
    case 'input-required':
    case 'auth-required':
      return 'poll';
    default:
      return 'leave';
  }
}

/** Whether the seller must still know the leg's key. A seller that has forgotten it would buy a second time. */
function isRemembered(leg: Leg, connection: Known, now: Instant): boolean {
  const args = outboundOf(leg);
  const since = rememberedSince(args, connection, now);
  if (since === undefined) return false;
  // With another secret the bytes would differ, and the seller would report a conflict.
  const { webhookCredentialId, keyCredentialId } = connection;
  const isAsSent = webhookSecretPlaces(args).every(
    ({ credentialId, registrationId }) =>
      credentialId === (registrationId === undefined ? webhookCredentialId : keyCredentialId),
  );
  if (!isAsSent) return false;
  return leg.createdAt > since;
}

/**
 * The earliest time of a key that the seller must still know, so that a repeat of its request creates nothing
 * new. Undefined where the request has no key, or the seller does not declare idempotency.
 */
export function rememberedSince(
  args: JsonObject,
  { capabilities }: Pick<Known, 'capabilities'>,
  now: Instant,
): Instant | undefined {
  if (capabilities?.idempotency.supported !== true || typeof args['idempotency_key'] !== 'string')
    return undefined;
  const ttlMs = 1_000 * (capabilities.idempotency.replayTtlSeconds ?? leastTtlSeconds);
  return now - ttlMs + ttlMarginMs;
}
