import type { WireProfile } from '@switchyard/protocol';
import type { WebhookMode } from '@switchyard/signing';
import type { Instant } from '@switchyard/values';

/** What an address was registered for: news of one task, or delivery reports of the media buy that came of it. */
export type RegistrationChannel = 'task' | 'report';

/** The registration channel decides the shape of what is sent, whatever transport the request came by. */
export type RegistrationEnvelope = 'mcp' | 'a2a-0.3' | 'a2a-1.0';

/** An address that a buyer gave us for events. Written once, together with its operation. */
export interface BuyerRegistration {
  readonly id: string;
  readonly organizationId: string;
  readonly principalId: string;
  readonly operationId: string;
  readonly mediaBuyId?: string;
  readonly channel: RegistrationChannel;
  readonly envelope: RegistrationEnvelope;
  /** Agreed at registration; nothing that a receiver answers changes it. */
  readonly mode: WebhookMode;
  /** As the buyer gave it, its query included. */
  readonly url: string;
  /** The buyer's `operation_id`, echoed verbatim; absent where it gave none. */
  readonly buyerOperationId?: string;
  /** The conversation of A2A that the task belongs to. */
  readonly contextId?: string;
  /** The sealed secrets of this address: see `CallbackSecrets`. */
  readonly credentialId?: string;
  /** `hourly`, `daily` or `monthly`; for reports alone. */
  readonly frequency?: string;
  readonly profile: WireProfile;
  readonly createdAt: Instant;
}

/** What of a registration is sealed, together, in one credential of the vault. */
export interface CallbackSecrets {
  /** Echoed with every webhook. */
  readonly token?: string;
  /** The shared secret or Bearer credential of a legacy registration. */
  readonly credentials?: string;
}
