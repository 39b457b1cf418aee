import type { Buffer } from 'node:buffer';
import type { Form, WebhookEnvelope } from '@switchyard/protocol';
import {
  signatureCode,
  webhookModeMismatch,
  type ReceivedMessage,
  type VerificationStep,
} from '@switchyard/signing';
import type { Instant } from '@switchyard/values';
import { kindOfBroken } from './classify-event.js';
import { concealSecrets } from './conceal-secrets.js';
import type { InboxEvent, RefusedWebhook, WebhookEvidence, WebhookRegistration } from './inbox-port.js';
import { isInAnotherMode, isJson } from './precheck-webhook.js';
import { signatureRefusal, type Proof, type ProofPorts, type ProvenSender } from './proof.js';
import { proveSender } from './prove-sender.js';
import { bringsWrongToken } from './prove-token.js';
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
  /** The bytes as they came, where they hold a secret: to be sealed, and named by the event, before it is stored. */
  readonly toSeal?: Buffer;
}

export interface WebhookRefusal {
  readonly ok: false;
  readonly httpStatus: 400 | 401 | 413 | 415 | 503;
  readonly code: string;
  readonly message: string;
  /** Exactly the header to answer with; there is no detail in it. */
  readonly wwwAuthenticate?: string;
  readonly steps: readonly VerificationStep[];
  /** To be stored before answering: present when the sender was proven, so strangers cannot fill our disk. */
  readonly evidence?: RefusedWebhook;
  /** As of an accepted one. */
  readonly toSeal?: Buffer;
}

/** Largest body, in bytes. */
export const webhookBodyCap = 1024 * 1024;

/**
 * Decides what becomes of one webhook POST. The caller has read the bytes and stores the decision.
 *
 * The order is the contract: size and type before any hashing, the mode of the registration and never the looks of
 * the message, the proof before the body is parsed, and the sender from the key or the secret that proved it, never
 * from the payload. Authentic but wrong in a right envelope is accepted into quarantine
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

/** What of ours a seller may write back at us: what its webhooks are proven with, and what we call it with. */
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
    // Authentic, and with one meaning: a person may see in it what its envelope fails to say
    // (docs/protocol/webhooks-in.md#quarantine).
    const stored = { state: 'quarantined', kind: kindOfBroken(value) } as const;
    return withEvidence(refusal, { post, stored, by: proof, at, concealed });
  }
  const evidence = withBody(evidenceOf(message, registration, { steps: proof.steps, at }), concealed);
  const { kind, envelope, wrong, idempotencyKey = `body:${evidence.bodyHash}` } = read.value;
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
  };
}

/** Only an HMAC vouches for the whole body: what Bearer or a token vouches for keeps its keys to itself. */
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
  /** Its body without our secrets, where it has one of them. */
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
