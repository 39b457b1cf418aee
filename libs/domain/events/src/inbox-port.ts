import type { Buffer } from 'node:buffer';
import type { Dialect } from '@switchyard/protocol';
import type { VerificationStep, WebhookMode } from '@switchyard/signing';
import type { Instant } from '@switchyard/values';

/**
 * What an address was given for. `task` and `report` take the envelope of the protocol, `a2a` the native bodies of A2A:
 * the channel of the registration decides the format, and reading only checks it
 * (docs/protocol/webhooks-in.md#registration).
 */
export type RegistrationKind = 'task' | 'report' | 'a2a';

/**
 * How an address is authenticated. `token` is for native A2A of a seller that signs nothing: it proves who was given
 * the address, and not what was said, so nothing is applied from such a body; the seller is asked instead.
 */
export type RegistrationMode = WebhookMode | 'token';

/**
 * An address that we gave a seller. Stored before the request that carries the address leaves us, because the first
 * webhook may arrive before that request is answered.
 */
export interface WebhookRegistration {
  /** The last segment of the address. Unguessable, but it proves nothing: the signature does. */
  readonly id: string;
  readonly organizationId: string;
  readonly connectionId: string;
  readonly legId: string;
  readonly operationId: string;
  readonly kind: RegistrationKind;
  /** What was agreed at registration decides how a webhook is authenticated; what it looks like never does. */
  readonly mode: RegistrationMode;
  /** The shared secret of an older mode, in the vault. */
  readonly credentialId?: string;
  /** SHA-256 of the token that native A2A posts bring, in lower-case hex. */
  readonly tokenHash?: string;
  /** The `operation_id` that the seller has to echo on task webhooks. */
  readonly sellerOperationId: string;
  readonly dialect: Dialect;
  /** The seller that may use this address: the verified sender has to be it, byte for byte. */
  readonly sellerAgentUrl: string;
}

/**
 * What an inbox event is about. The first three change something of ours; the others are understood, stored and shown,
 * and nothing follows from them yet.
 */
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
  | 'other';

/** The raw message and our verdict on it: enough to judge it again without us. */
export interface WebhookEvidence {
  readonly registrationId: string;
  readonly organizationId: string;
  readonly connectionId: string;
  /** The header list as received, with credentials replaced by `[secret]`. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
  /** SHA-256 of the bytes as they came, lower-case hex. */
  readonly bodyHash: string;
  readonly verdict: WebhookVerdict;
  readonly receivedAt: Instant;
}

export interface WebhookVerdict {
  readonly method: string;
  readonly url: string;
  readonly steps: readonly VerificationStep[];
  /** Of the refusal, if there was one. */
  readonly code?: string;
}

/** A verified webhook, ready to be claimed and stored in one statement. */
export interface InboxEvent extends WebhookEvidence {
  /** A new UUID, from the caller of `acceptWebhook`. */
  readonly id: string;
  /**
   * Identity of the signer: the `agent_url` whose key verified. Of the older modes the connection whose secret was
   * used, because a shared secret says which connection it is of and no more. Never from the payload.
   */
  readonly sender: string;
  /** Whose keys the event's key is one of. Absent: the sender's own. */
  readonly keyspace?: Keyspace;
  readonly keyid?: string;
  /** Where the bytes held a secret: the vault's record of them as they came. `body` has `[secret]` in its place. */
  readonly sealedId?: string;
  /**
   * The sender's own key; for bodies without one (2.5), `body:` and the body's hash
   * (docs/protocol/webhooks-in.md#duplicates).
   */
  readonly idempotencyKey: string;
  readonly kind: InboxEventKind;
  /**
   * `quarantined` where the message is authentic but wrong (docs/protocol/webhooks-in.md#quarantine); `reason` then
   * says in what.
   */
  readonly state: 'received' | 'quarantined';
  readonly reason?: string;
}

/**
 * The keyspace of an event that another proof than a signature vouches for. An HMAC over the body shares the keys of the
 * seller that signs, so that the two copies of one event are one (docs/protocol/webhooks-in.md#duplicates); it never
 * suppresses what that seller signed and what reads otherwise.
 */
export interface Keyspace {
  readonly owner: string;
  readonly isWeaker: true;
}

/**
 * A webhook that was answered with an error and whose bytes are kept all the same
 * (docs/protocol/webhooks-in.md#quarantine).
 */
export interface RefusedWebhook extends WebhookEvidence {
  readonly id: string;
  readonly code: string;
  /**
   * `quarantined` where the message has one meaning and only its envelope is wrong: a person may still admit it. What can
   * be read in two ways stays refused.
   */
  readonly state: 'refused' | 'quarantined';
  /** What it seems to be about. */
  readonly kind: InboxEventKind;
  /** Set when the signature had verified before the refusal. */
  readonly sender?: string;
  readonly keyid?: string;
  /** As of an event. */
  readonly sealedId?: string;
}

/**
 * The port that `adapters/store` implements.
 *
 * Contract: `claimAndStore` claims `(sender, idempotencyKey)` and stores the event in one statement, and has
 * committed when it resolves: only then may the sender be told `200`. The claim's keyspace spans every registration,
 * organization and process (docs/protocol/webhooks-in.md#duplicates). Of many simultaneous calls with one (sender, key)
 * exactly one says `stored`; the others store no event: they are counted, and say `duplicate`, or `changed` when their
 * body differs; the first copy wins. Only a signed event is stored beside a first copy with another body whose proof
 * was weaker (`Keyspace`); it is counted as a changed copy as well. A crash between claim and store leaves neither.
 * Rejects only when the database fails, and then the sender is told `503`.
 */
export interface InboxStore {
  /** `changed` is a duplicate whose body differs from the first copy's: kept as a finding, and never applied. */
  claimAndStore(event: InboxEvent): Promise<'stored' | 'duplicate' | 'changed'>;
  /**
   * Keeps the evidence of a refusal. Collapses by (registration, body hash): retries of one
   * broken message are one row.
   */
  storeRefused(refused: RefusedWebhook): Promise<'stored' | 'duplicate'>;
}

/** Where the receiver finds what was agreed. Undefined for an address that we never gave. */
export interface WebhookRegistrations {
  find(registrationId: string): Promise<WebhookRegistration | undefined>;
}
