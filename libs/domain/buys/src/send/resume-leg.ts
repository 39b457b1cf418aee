import type { Connection } from '@switchyard/sellers';
import type { Instant, JsonObject } from '@switchyard/values';
import type { Leg } from '../model/operation.js';
import { outboundOf } from '../model/outbound.js';
import { webhookSecretPlaces } from '../model/webhook-secret.js';

/**
 * What to do with a leg that nobody is working on: after a crash, or after a call whose outcome we did not see.
 *
 * - `send`: it never left, so it is sent for the first time.
 * - `send_again`: the seller promises idempotency, so the same key and the same bytes tell us what happened.
 * - `read_back`: without that promise a second send could buy twice; the seller is asked what it has
 *   (docs/protocol/idempotency.md#unknown-outcomes).
 * - `poll`: the seller is working on it.
 * - `leave`: it is settled, or a person has it.
 */
export type NextStep = 'send' | 'send_again' | 'read_back' | 'poll' | 'leave';

/** After so many sends of a mutation without an outcome a person has to look. */
export const sendsAtMost = 6;
/**
 * The shortest time for which a seller that promises idempotency may remember a key
 * (docs/protocol/idempotency.md#keys-at-sellers).
 */
const leastTtlSeconds = 3_600;
/** A key is not used in its last minutes: the seller's clock may be ahead, and the call takes its time. */
const ttlMarginMs = 120_000;

type Known = Pick<Connection, 'capabilities' | 'webhookCredentialId' | 'keyCredentialId'>;

export function nextStep(leg: Leg, connection: Known, now: Instant): NextStep {
  // What was signed for this once is not ours to sign again, and its nonce is used up: it is only read back.
  if (leg.sealed === true && (leg.status === 'pending' || leg.status === 'sent')) return 'read_back';
  switch (leg.status) {
    case 'pending':
      return 'send';
    case 'sent':
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

/** Whether the seller is bound to know the leg's key still. One that has forgotten it would buy a second time. */
export function isRemembered(leg: Leg, connection: Known, now: Instant): boolean {
  const args = outboundOf(leg);
  const since = rememberedSince(args, connection, now);
  if (since === undefined) return false;
  // With another secret in them they would not be the same bytes, and a seller would call that a conflict.
  const { webhookCredentialId, keyCredentialId } = connection;
  const isAsSent = webhookSecretPlaces(args).every(
    ({ credentialId, registrationId }) =>
      credentialId === (registrationId === undefined ? webhookCredentialId : keyCredentialId),
  );
  if (!isAsSent) return false;
  return leg.createdAt > since;
}

/**
 * Since when the seller is bound to know a key that was used, so that the same request once more makes nothing new.
 * Nothing where it is not bound to: the request has no key, or the seller does not declare idempotency.
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

/** Milliseconds before the next try of a leg that was sent `attempts` times: 2 s, doubled each time, at most 60 s. */
export function pauseBeforeRetryMs(attempts: number): number {
  return Math.min(60_000, 2_000 * 2 ** Math.max(0, attempts - 1));
}
