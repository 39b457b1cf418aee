import { Buffer } from 'node:buffer';
import { createHash, timingSafeEqual } from 'node:crypto';
import type { ReceivedMessage, VerificationStep } from '@switchyard/signing';
import { parseStrictJson, peerJsonLimits } from '@switchyard/values';
import type { WebhookRegistration } from './inbox-port.js';
import { tokenHeader } from './precheck-webhook.js';
import { connectionSender, signatureRefusal, type Proof, type ProofFailure } from './proof.js';

/**
 * Proves a native A2A post by the token of its address. It proves who has the address, and nothing about the
 * body. Only the hash of the token is stored; hashes are compared in constant time.
 */
export function proveToken(
  message: ReceivedMessage,
  registration: WebhookRegistration,
): Proof | ProofFailure {
  const [given, ...more] = valuesOf(message);
  const isThere = given !== undefined && more.length === 0;
  const isRight = isThere && isToken(given, registration.tokenHash);
  const steps: VerificationStep[] = [
    { step: '2', name: 'token once', ok: isThere, seen: isThere ? 'there' : 'missing or repeated' },
  ];
  if (isThere)
    steps.push({
      step: '5',
      name: 'notification token',
      ok: isRight,
      seen: isRight ? 'the one that was given' : 'another',
    });
  if (!isRight) {
    return {
      ok: false,
      httpStatus: 401,
      code: 'webhook_token_invalid',
      message: 'The message lacks the token of this address.',
      wwwAuthenticate: 'A2A-Notification-Token',
      steps,
    };
  }
  const sender = connectionSender(registration);
  const parsed = parseStrictJson(message.body, peerJsonLimits);
  const seen = parsed.ok ? 'one meaning' : parsed.error.code;
  steps.push({ step: '6', name: 'body is strict JSON', ok: parsed.ok, seen });
  if (parsed.ok) return { ok: true, sender, steps, json: parsed.value };
  return {
    ...signatureRefusal('webhook_body_malformed', 'The body can be read in two ways.', steps),
    by: { sender },
  };
}

/** Whether a message of any mode has a wrong token. A missing token is allowed here. */
export function bringsWrongToken(message: ReceivedMessage, { tokenHash }: WebhookRegistration): boolean {
  if (tokenHash === undefined) return false;
  return valuesOf(message).some((value) => !isToken(value, tokenHash));
}

function valuesOf(message: ReceivedMessage): readonly string[] {
  return message.headers
    .filter(([name]) => name.toLowerCase() === tokenHeader)
    .map(([, value]) => value.trim());
}

function isToken(given: string, tokenHash: string | undefined): boolean {
  if (tokenHash === undefined) return false;
  const expected = Buffer.from(tokenHash, 'hex');
  const digest = createHash('sha256').update(given, 'utf8').digest();
  return expected.length === digest.length && timingSafeEqual(digest, expected);
}
