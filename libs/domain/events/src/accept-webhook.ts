import type { Buffer } from 'node:buffer';
import type { Form, WebhookChallenge, WebhookEnvelope } from '@switchyard/protocol';
import {
  signatureCode,
  usedNonceSteps,
  webhookModeMismatch,
  type ReceivedMessage,
  type VerificationStep,
} from '@switchyard/signing';
import type { Instant } from '@switchyard/values';
import { createHash } from 'node:crypto';
import { kindOfBroken } from './classify-event.js';
import { concealSecrets } from './conceal-secrets.js';
import type { InboxEvent, RefusedWebhook, WebhookEvidence, WebhookRegistration } from './inbox-port.js';
import { isInAnotherMode, isJson } from './precheck-webhook.js';
import { notAccepted, signatureRefusal, type Proof, type ProofPorts, type ProvenSender } from './proof.js';
import { proveSender } from './prove-sender.js';
import { bringsWrongToken } from './prove-token.js';
import { readEvent } from './read-event.js';

/** A webhook POST, and the registration of its address. */
export interface WebhookToJudge {
  readonly message: ReceivedMessage;
  readonly registration: WebhookRegistration;
  /** The seller's version: 2.5 bodies have no key and need not echo the operation. */
  readonly form?: Form;
  /** A new UUID: the id of the event, or of the evidence. */
  readonly newId: string;
}

/** The caller must store `event`, and answer `200` after the commit, whether it was new or not. */
export interface AcceptedWebhook {
  readonly ok: true;
  readonly event: InboxEvent;
  readonly envelope?: WebhookEnvelope;
  /** To be echoed, if it is expected. */
  readonly challenge?: WebhookChallenge;
  /** The original bytes, if they contain a secret: to be sealed, and referenced by the event, before it is stored. */
  readonly toSeal?: Buffer;
}

export interface WebhookRefusal {
  readonly ok: false;
  readonly httpStatus: 400 | 401 | 413 | 415 | 503;
  readonly code: string;
  readonly message: string;
  /** The exact header of the answer; it contains no details. */
  readonly wwwAuthenticate?: string;
  readonly steps: readonly VerificationStep[];
  /** To be stored before the answer. Set only for a proven sender, so that strangers cannot fill the disk. */
  readonly evidence?: RefusedWebhook;
  /** As in `AcceptedWebhook`. */
  readonly toSeal?: Buffer;
}

/** Largest body, in bytes. */
const webhookBodyCap = 1024 * 1024;

/**
 * Decides about one webhook POST. The caller has read the bytes and stores the decision.
 *
 * The order is the contract: size and type before any hashing; the mode from the registration and never from
 * the message; the proof before the body is parsed; the sender from the key or secret that proved it, never
 * from the payload. A wrong event in a valid envelope is accepted into quarantine
 * (docs/protocol/webhooks-in.md#quarantine).
 */
export async function acceptWebhook(
  post: WebhookToJudge,
  ports: ProofPorts,
  at: Instant,
): Promise<AcceptedWebhook | WebhookRefusal> {
  const { message, registration } = post;
  if (message.body.length > webhookBodyCap) {
    return plain(413, 'payload_too_large', 'The body is larger than 1 MB.');
  }
  if (!isJson(message, registration.kind))
    return plain(415, 'unsupported_media_type', 'Webhooks are application/json.');
  if (isInAnotherMode(message, registration))
    return signatureRefusal(webhookModeMismatch, 'This address was not registered for that mode.', []);
  const proof = await proveSender(message, registration, ports, at);
  if (!proof.ok) {
    const { by, ...refusal } = proof;
    if (by === undefined) return refusal;
    const concealed = concealSecrets(message.body, null, await ownSecrets(ports));
    const hiding = concealed === undefined ? {} : { toSeal: message.body };
    const stored = { state: 'refused', kind: 'other' } as const;
    return withEvidence({ ...refusal, ...hiding }, { post, stored, by, at, concealed });
  }
  if (bringsWrongToken(message, registration)) {
    const code = signatureCode('webhook', 'invalid');
    return { ...signatureRefusal(code, 'The token is not the one of this address.', proof.steps) };
  }
  return judgeBody(post, proof, await ownSecrets(ports), at);
}

/** The refusal of a webhook whose nonce was claimed after the verdict, and had been used. */
export function replayed(judged: AcceptedWebhook | WebhookRefusal): WebhookRefusal {
  const { steps } = judged.ok ? judged.event.verdict : judged;
  return signatureRefusal(signatureCode('webhook', 'replayed'), notAccepted, usedNonceSteps(steps));
}

/** The secrets that a seller could echo: those for its webhooks, and our credentials at the seller. */
async function ownSecrets({ secret, localCredentials }: ProofPorts): Promise<readonly string[]> {
  const shared = (await secret?.())?.useText((text) => text) ?? '';
  return [...(shared === '' ? [] : [shared]), ...((await localCredentials?.()) ?? [])];
}

function judgeBody(
  post: WebhookToJudge,
  proof: Proof,
  secrets: readonly string[],
  at: Instant,
): AcceptedWebhook | WebhookRefusal {
  const { message, registration } = post;
  const { value, exact } = proof.json ?? { value: null, exact: new Map<string, string>() };
  const read = readEvent(value, exact, registration, post.form);
  const concealed = concealSecrets(message.body, value, secrets);
  const hiding = concealed === undefined ? {} : { toSeal: message.body };
  if (!read.ok) {
    const refusal = { ...plain(400, read.error.code, read.error.message), steps: proof.steps, ...hiding };
    // Authentic, with one meaning: a person may find in it what the envelope lacks
    // (docs/protocol/webhooks-in.md#quarantine).
    const stored = { state: 'quarantined', kind: kindOfBroken(value) } as const;
    return withEvidence(refusal, { post, stored, by: proof, at, concealed });
  }
  const evidence = withBody(evidenceOf(message, registration, { steps: proof.steps, at }), concealed);
  const { kind, envelope, challenge, wrong, idempotencyKey = `body:${evidence.bodyHash}` } = read.value;
  return {
    ok: true,
    ...hiding,
    event: {
      ...evidence,
      id: post.newId,
      sender: proof.sender,
      ...(proof.keyid === undefined ? {} : { keyid: proof.keyid }),
      ...keyspaceOf(registration),
      idempotencyKey,
      kind,
      state: wrong === undefined ? 'received' : 'quarantined',
      ...(wrong === undefined ? {} : { reason: wrong }),
    },
    ...(envelope === undefined ? {} : { envelope }),
    ...(challenge === undefined ? {} : { challenge }),
  };
}

/** Only an HMAC covers the whole body. Events proven by Bearer or token have a keyspace of their own. */
function keyspaceOf({ mode, sellerAgentUrl }: WebhookRegistration): Pick<InboxEvent, 'keyspace'> {
  return mode === 'hmac-sha256' ? { keyspace: { owner: sellerAgentUrl, isWeaker: true } } : {};
}

function plain(httpStatus: WebhookRefusal['httpStatus'], code: string, message: string): WebhookRefusal {
  return { ok: false, httpStatus, code, message, steps: [] };
}

function withBody(evidence: WebhookEvidence, concealed: Buffer | undefined): WebhookEvidence {
  return concealed === undefined ? evidence : { ...evidence, body: concealed };
}

/** A refused webhook whose sender is known. */
interface ProvenRefusal {
  readonly post: WebhookToJudge;
  readonly stored: Pick<RefusedWebhook, 'state' | 'kind'>;
  readonly by: ProvenSender;
  readonly at: Instant;
  /** The body without our secrets, if it contains one. */
  readonly concealed: Buffer | undefined;
}

function withEvidence(
  refusal: WebhookRefusal,
  { post, stored, by, at, concealed }: ProvenRefusal,
): WebhookRefusal {
  const evidence = evidenceOf(post.message, post.registration, {
    steps: refusal.steps,
    at,
    code: refusal.code,
  });
  return {
    ...refusal,
    evidence: {
      ...withBody(evidence, concealed),
      ...stored,
      id: post.newId,
      code: refusal.code,
      sender: by.sender,
      ...(by.keyid === undefined ? {} : { keyid: by.keyid }),
    },
  };
}

const secretHeaders =
  /^(?:authorization|proxy-authorization|cookie|x-a2a-notification-token|x-.*(?:-auth|token|secret|key))$/i;

interface JudgedMessage {
  readonly steps: readonly VerificationStep[];
  readonly at: Instant;
  readonly code?: string | undefined;
}

/** The received message with the verdict, without the secrets in its headers. */
function evidenceOf(
  message: ReceivedMessage,
  registration: WebhookRegistration,
  { steps, at, code }: JudgedMessage,
): WebhookEvidence {
  return {
    registrationId: registration.id,
    organizationId: registration.organizationId,
    connectionId: registration.connectionId,
    headers: message.headers.map(([name, value]) => [name, secretHeaders.test(name) ? '[secret]' : value]),
    body: message.body,
    bodyHash: createHash('sha256').update(message.body).digest('hex'),
    verdict: {
      method: message.method,
      url: message.url,
      steps,
      ...(code === undefined ? {} : { code }),
    },
    receivedAt: at,
  };
}
