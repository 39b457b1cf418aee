import { findTask } from '@switchyard/protocol';
import type { Connection } from '@switchyard/sellers';
import type { Instant, JsonObject } from '@switchyard/values';
import type { Leg } from '../model/operation.js';
import { outboundOf } from '../model/outbound.js';
import { webhookSecretPlaces } from '../model/webhook-secret.js';

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
export function isRemembered(leg: Leg, connection: Known, now: Instant): boolean {
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
