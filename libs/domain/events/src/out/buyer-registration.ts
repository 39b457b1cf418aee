import type { WireProfile } from '@switchyard/protocol';
import type { WebhookMode } from '@switchyard/signing';
import type { Instant } from '@switchyard/values';

/** The events of an address: changes of one task, or delivery reports of its media buy. */
export type RegistrationChannel = 'task' | 'report';

/** The format of the sent events, which depends on the registration and not on the transport of the request. */
export type RegistrationEnvelope = 'mcp' | 'a2a-0.3' | 'a2a-1.0';

/** An address that a buyer registered for events. Stored once, together with its operation. */
export interface BuyerRegistration {
  readonly id: string;
  readonly organizationId: string;
  readonly principalId: string;
  readonly operationId: string;
  readonly mediaBuyId?: string;
  readonly channel: RegistrationChannel;
  readonly envelope: RegistrationEnvelope;
  /** Fixed at registration; no answer of a receiver changes it. */
  readonly mode: WebhookMode;
  /** As the buyer sent it, with its query. */
  readonly url: string;
  /** The buyer's `operation_id`, echoed verbatim; absent where it gave none. */
  readonly buyerOperationId?: string;
  /** The A2A conversation of the task. */
  readonly contextId?: string;
  /** The sealed secrets of this address: see `CallbackSecrets`. */
  readonly credentialId?: string;
  /** `hourly`, `daily` or `monthly`; only for reports. */
  readonly frequency?: string;
  readonly profile: WireProfile;
  readonly createdAt: Instant;
}

/** The sealed secrets of a registration, together in one credential of the vault. */
export interface CallbackSecrets {
  /** Echoed in every webhook. */
  readonly token?: string;
  /** The shared secret or Bearer credential of a legacy registration. */
  readonly credentials?: string;
}
