import { dialects } from '@switchyard/protocol';
import {
  signatureCode,
  verifyLegacyWebhook,
  verifySignature,
  webhookProfile,
  type ReceivedMessage,
  type VerificationStep,
  type VerifiedSigner,
} from '@switchyard/signing';
import type { Instant } from '@switchyard/values';
import type { WebhookRegistration } from './inbox-port.js';
import { legacyNames } from './precheck-webhook.js';
import {
  connectionSender,
  notAccepted,
  signatureRefusal,
  type Proof,
  type ProofFailure,
  type ProofPorts,
} from './proof.js';
import { proveToken } from './prove-token.js';

/** Proves the sender in the mode of the registration; no other mode is tried. */
export async function proveSender(
  message: ReceivedMessage,
  registration: WebhookRegistration,
  ports: ProofPorts,
  at: Instant,
): Promise<Proof | ProofFailure> {
  switch (registration.mode) {
    case 'signed':
      return proveSigned(message, registration, ports, at);
    case 'hmac-sha256':
    case 'bearer':
      return proveLegacy(message, registration, { mode: registration.mode, ports, at });
    case 'token':
      return proveToken(message, registration);
  }
}

async function proveSigned(
  message: ReceivedMessage,
  registration: WebhookRegistration,
  ports: ProofPorts,
  at: Instant,
): Promise<Proof | ProofFailure> {
  const names = dialects[registration.dialect];
  const profile = webhookProfile({
    requestTag: names.requestTag,
    webhookTag: names.webhookTag,
    useMember: names.keyUseMember,
  });
  const verdict = await verifySignature(message, profile, ports, at);
  const { steps } = verdict;
  if (!verdict.ok) {
    if (verdict.unavailable)
      return unavailable(verdict.code, 'The keys could not be fetched: try again.', steps);
    const refusal = signatureRefusal(verdict.code, notAccepted, steps);
    if (verdict.signer === undefined || verdict.fault !== 'body_malformed') return refusal;
    return { ...refusal, by: { sender: senderOf(verdict.signer), keyid: verdict.signer.keyid } };
  }
  const { agentUrl, keyid } = verdict.signer;
  if (agentUrl !== registration.sellerAgentUrl)
    return signatureRefusal(signatureCode('webhook', 'key_unknown'), "The key is not this seller's.", steps);
  return {
    ok: true,
    sender: senderOf(verdict.signer),
    keyid,
    steps,
    ...(verdict.json === undefined ? {} : { json: verdict.json }),
  };
}

/** Keys that only one tenant trusts have their own keyspace, so that they cause no duplicates at other tenants. */
function senderOf({ agentUrl, keyspace }: VerifiedSigner): string {
  return keyspace ?? agentUrl;
}

/**
 * Verifies the older modes. The protocol has no codes for their failures, so they are answered with the plain
 * challenge of their scheme. Senders treat that as transient, which fits a secret in rotation.
 */
async function proveLegacy(
  message: ReceivedMessage,
  registration: WebhookRegistration,
  {
    mode,
    ports,
    at,
  }: { readonly mode: 'hmac-sha256' | 'bearer'; readonly ports: ProofPorts; readonly at: Instant },
): Promise<Proof | ProofFailure> {
  const secret = await ports.secret?.();
  if (secret === undefined)
    return unavailable('secret_unavailable', 'The secret of this address cannot be read: try again.', []);
  const [names, ...others] = legacyNames(registration.dialect);
  // Only answers to mutations change a buy; a report is evidence that is compared with the seller's answers.
  const agreement =
    mode === 'bearer' ? { mode, secret, isMutating: registration.kind !== 'report' } : { mode, secret };
  const verdict = verifyLegacyWebhook(message, agreement, { names, at, others });
  const by = { sender: connectionSender(registration) };
  if (verdict.ok)
    return {
      ok: true,
      ...by,
      steps: verdict.steps,
      ...(verdict.json === undefined ? {} : { json: verdict.json }),
    };
  if (verdict.fault === 'secret_unusable')
    return unavailable('secret_unavailable', 'The secret of this address cannot be used.', verdict.steps);
  if (verdict.code !== undefined) {
    const refusal = signatureRefusal(verdict.code, 'The message is not accepted.', verdict.steps);
    return verdict.isAuthentic ? { ...refusal, by } : refusal;
  }
  return {
    ok: false,
    httpStatus: 401,
    code: `webhook_legacy_${verdict.fault}`,
    message: 'The message does not prove its sender.',
    wwwAuthenticate: mode === 'bearer' ? 'Bearer' : 'HMAC-SHA256',
    steps: verdict.steps,
  };
}

function unavailable(code: string, message: string, steps: readonly VerificationStep[]): ProofFailure {
  return { ok: false, httpStatus: 503, code, message, steps };
}
