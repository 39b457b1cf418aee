import { dialects, type Form, type WebhookEnvelope } from '@switchyard/protocol';
import {
  signatureCode,
  verifySignature,
  webhookProfile,
  type ReceivedMessage,
  type SigningProfile,
  type VerificationStep,
  type VerifiedSigner,
  type VerifierPorts,
} from '@switchyard/signing';
import type { Instant } from '@switchyard/values';
import type { InboxEvent, RefusedWebhook, WebhookRegistration } from './inbox-port.js';
import { isInAgreedMode, isJson } from './precheck-webhook.js';
import { readEvent } from './read-event.js';
import { evidenceOf } from './webhook-evidence.js';

/** One webhook POST and what is known about the address it came to. */
export interface WebhookToJudge {
  readonly message: ReceivedMessage;
  readonly registration: WebhookRegistration;
  /** What the seller speaks: 2.5 bodies have no key and need not echo the operation. */
  readonly form?: Form;
  /** A new UUID: the id of the event, or of the evidence. */
  readonly newId: string;
}

/** Claim and store `event`, and answer `200` once that is committed, whether it was new or not. */
export interface AcceptedWebhook {
  readonly ok: true;
  readonly event: InboxEvent;
  readonly envelope?: WebhookEnvelope;
}

export interface WebhookRefusal {
  readonly ok: false;
  readonly httpStatus: 400 | 401 | 413 | 415 | 503;
  readonly code: string;
  readonly message: string;
  /** Exactly the header to answer with; there is no detail in it. */
  readonly wwwAuthenticate?: string;
  readonly steps: readonly VerificationStep[];
  /** To be stored before answering: present when the signature had verified, so strangers cannot fill our disk. */
  readonly evidence?: RefusedWebhook;
}

/** Largest body, in bytes. */
export const webhookBodyCap = 1024 * 1024;

/**
 * Decides what becomes of one webhook POST. The caller has read the bytes and stores the decision.
 *
 * The order is the contract: size and type before any hashing, the mode of the registration and never the looks of
 * the message, the signature before the body is parsed, and the sender from the key that verified, never from the
 * payload. Authentic but wrong in a right envelope is accepted into quarantine (ruling 23).
 */
export async function acceptWebhook(
  post: WebhookToJudge,
  ports: VerifierPorts,
  at: Instant,
): Promise<AcceptedWebhook | WebhookRefusal> {
  const { message, registration } = post;
  if (message.body.length > webhookBodyCap) {
    return plain(413, 'payload_too_large', 'The body is larger than 1 MB.');
  }
  if (!isJson(message)) return plain(415, 'unsupported_media_type', 'Webhooks are application/json.');
  if (!isInAgreedMode(message, registration)) {
    return unauthorized('webhook_mode_mismatch', [], 'This address was not registered for that mode.');
  }
  const verdict = await verifySignature(message, profileOf(registration), ports, at);
  if (!verdict.ok) {
    if (verdict.unavailable) {
      return {
        ...plain(503, verdict.code, 'The keys could not be fetched: try again.'),
        steps: verdict.steps,
      };
    }
    const refusal = unauthorized(verdict.code, verdict.steps, 'The signature is not accepted.');
    return verdict.signer === undefined || verdict.fault !== 'body_malformed'
      ? refusal
      : withEvidence(refusal, post, verdict.signer, at);
  }
  if (verdict.signer.agentUrl !== registration.sellerAgentUrl) {
    return unauthorized(
      signatureCode('webhook', 'key_unknown'),
      verdict.steps,
      "The key is not this seller's.",
    );
  }
  const empty = { value: null, exact: new Map<string, string>() };
  const { value, exact } = verdict.json ?? empty;
  const read = readEvent(value, exact, registration, post.form);
  if (!read.ok) {
    const refusal = { ...plain(400, read.error.code, read.error.message), steps: verdict.steps };
    return withEvidence(refusal, post, verdict.signer, at);
  }
  const evidence = evidenceOf(message, registration, verdict.steps, at);
  const { kind, envelope, wrong, idempotencyKey = `body:${evidence.bodyHash}` } = read.value;
  return {
    ok: true,
    event: {
      ...evidence,
      id: post.newId,
      sender: verdict.signer.agentUrl,
      keyid: verdict.signer.keyid,
      idempotencyKey,
      kind,
      state: wrong === undefined ? 'received' : 'quarantined',
      ...(wrong === undefined ? {} : { reason: wrong }),
    },
    ...(envelope === undefined ? {} : { envelope }),
  };
}

function profileOf(registration: WebhookRegistration): SigningProfile {
  const names = dialects[registration.dialect];
  return webhookProfile({
    requestTag: names.requestTag,
    webhookTag: names.webhookTag,
    useMember: names.keyUseMember,
  });
}

function plain(httpStatus: WebhookRefusal['httpStatus'], code: string, message: string): WebhookRefusal {
  return { ok: false, httpStatus, code, message, steps: [] };
}

function unauthorized(code: string, steps: readonly VerificationStep[], message: string): WebhookRefusal {
  return { ok: false, httpStatus: 401, code, message, steps, wwwAuthenticate: `Signature error="${code}"` };
}

function withEvidence(
  refusal: WebhookRefusal,
  post: WebhookToJudge,
  signer: VerifiedSigner,
  at: Instant,
): WebhookRefusal {
  return {
    ...refusal,
    evidence: {
      ...evidenceOf(post.message, post.registration, refusal.steps, at, refusal.code),
      id: post.newId,
      code: refusal.code,
      sender: signer.agentUrl,
      keyid: signer.keyid,
    },
  };
}
