import type { Buffer } from 'node:buffer';
import type { Dialect } from '@switchyard/protocol';
import type { UnclaimedNonce, VerificationStep, WebhookMode } from '@switchyard/signing';
import type { Instant } from '@switchyard/values';

/**
 * The purpose of an address. `task` and `report` use the envelope of the protocol, `a2a` the native bodies of
 * A2A. `events` belongs to an agent and no request, for example to a rights agent. The registration determines the format; the reader only checks it
 * (docs/protocol/webhooks-in.md#registration).
 */
export type RegistrationKind = 'task' | 'report' | 'a2a' | 'events';

/**
 * How an address is authenticated. `token` is for native A2A of a seller that does not sign. It only proves that the
 * sender has the address, not the content, so such a body is never applied; the seller is polled instead.
 */
export type RegistrationMode = WebhookMode | 'token';

/**
 * An address that was given to a seller. It is stored before the request that contains it is sent, because
 * the first webhook may arrive before the answer.
 */
export interface WebhookRegistration {
  /** The last segment of the address. It cannot be guessed, but proves nothing: the signature does. */
  readonly id: string;
  readonly organizationId: string;
  readonly connectionId: string;
  /** Absent at an address of the kind `events`. */
  readonly legId?: string;
  readonly operationId?: string;
  readonly kind: RegistrationKind;
  /** The mode at registration decides how a webhook is authenticated; the message itself never does. */
  readonly mode: RegistrationMode;
  /** Id of the shared secret of an older mode, in the vault. */
  readonly credentialId?: string;
  /** SHA-256 of the token in native A2A posts, in lower-case hex. */
  readonly tokenHash?: string;
  /** The `operation_id` that the seller must echo in task webhooks. */
  readonly sellerOperationId: string;
  readonly dialect: Dialect;
  /** The seller that may use this address: the verified sender must be equal, byte for byte. */
  readonly sellerAgentUrl: string;
}

/** The kind of an inbox event. The first three, `creative_status` and `rights_revoked` change data; the others are only shown. */
export type InboxEventKind =
  | 'task_status'
  | 'delivery_report'
  | 'impairment'
  | 'collection_list_changed'
  | 'property_list_changed'
  | 'artifacts'
  | 'rights_revoked'
  | 'creative_status'
  | 'feed_changed'
  | 'account_status'
  | 'capabilities_changed'
  | 'other';

/** The raw message and the verdict on it: enough to verify it again without Switchyard. */
export interface WebhookEvidence {
  readonly registrationId: string;
  readonly organizationId: string;
  readonly connectionId: string;
  /** The header list as received, with credentials replaced by `[secret]`. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
  /** SHA-256 of the original bytes, lower-case hex. */
  readonly bodyHash: string;
  readonly verdict: WebhookVerdict;
  readonly receivedAt: Instant;
}

export interface WebhookVerdict {
  readonly method: string;
  readonly url: string;
  readonly steps: readonly VerificationStep[];
  /** The code of a refusal. */
  readonly code?: string;
}

/** A verified webhook, to be claimed and stored in one statement. */
export interface InboxEvent extends WebhookEvidence {
  /** A new UUID, from the caller of `acceptWebhook`. */
  readonly id: string;
  /**
   * Identity of the signer: the `agent_url` whose key verified the message. In older modes the connection
   * whose secret was used, because a shared secret only identifies its connection. Never from the payload.
   */
  readonly sender: string;
  /** The keyspace of the event's key. Absent: the sender's own. */
  readonly keyspace?: Keyspace;
  readonly keyid?: string;
  /** Set where the nonce of its signature is still to be claimed, in the same statement. */
  readonly nonce?: UnclaimedNonce;
  /** Set where the bytes contained a secret: the vault's copy of the original. `body` has `[secret]` in its place. */
  readonly sealedId?: string;
  /**
   * The sender's own key; for bodies without one (2.5), `body:` and the body's hash
   * (docs/protocol/webhooks-in.md#duplicates).
   */
  readonly idempotencyKey: string;
  readonly kind: InboxEventKind;
  /**
   * `quarantined` where the message is authentic but wrong (docs/protocol/webhooks-in.md#quarantine);
   * `reason` is then the code of the error.
   */
  readonly state: 'received' | 'quarantined';
  readonly reason?: string;
}

/**
 * The keyspace of an event that was not proven by a signature. An HMAC over the body shares the keyspace of
 * the signing seller, so that two copies of one event are one (docs/protocol/webhooks-in.md#duplicates). It
 * never suppresses a signed event with another content.
 */
interface Keyspace {
  readonly owner: string;
  readonly isWeaker: true;
}

/**
 * A webhook that was answered with an error and whose bytes are stored
 * (docs/protocol/webhooks-in.md#quarantine).
 */
export interface RefusedWebhook extends WebhookEvidence {
  readonly id: string;
  readonly code: string;
  /**
   * `quarantined` where the message has one meaning and only its envelope is wrong: a person may still admit
   * it. An ambiguous message stays refused.
   */
  readonly state: 'refused' | 'quarantined';
  /** The likely kind. */
  readonly kind: InboxEventKind;
  /** Set when the signature had verified before the refusal. */
  readonly sender?: string;
  readonly keyid?: string;
  /** As in an event. */
  readonly sealedId?: string;
}

/**
 * The port that `adapters/store` implements.
 *
 * Contract: `claimAndStore` claims `(sender, idempotencyKey)` and stores the event in one statement, and resolves
 * after the commit: only then may the sender get `200`. The keyspace of claims spans all registrations, organizations
 * and processes (docs/protocol/webhooks-in.md#duplicates). Of concurrent calls with one (sender, key) exactly one
 * returns `stored`. The others store no event: they are counted, and return `duplicate`, or `changed` when their body
 * differs; the first copy wins. Only a signed event is stored beside a first copy with another body and a weaker
 * proof (`Keyspace`); it is also counted as changed. A crash between claim and store leaves neither. An event whose
 * nonce was claimed before is `replayed`: neither claimed nor counted. Rejects only when the database fails; the sender
 * then gets `503`.
 */
export interface InboxStore {
  /** `changed` is a duplicate with another body than the first copy: stored as a finding, and never applied. */
  claimAndStore(event: InboxEvent): Promise<'stored' | 'duplicate' | 'changed' | 'replayed'>;
  /**
   * Stores the evidence of a refusal, once per (registration, body hash), so that retries of one broken
   * message are one row.
   */
  storeRefused(refused: RefusedWebhook): Promise<'stored' | 'duplicate'>;
}

/** Finds the registration of an address; undefined for an address that was never given out. */
export interface WebhookRegistrations {
  find(registrationId: string): Promise<WebhookRegistration | undefined>;
}
