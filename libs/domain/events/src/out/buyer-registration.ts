import type { WireProfile } from '@switchyard/protocol';
import type { WebhookMode } from '@switchyard/signing';
import type { TenantScope } from '@switchyard/tenancy';
import type { Instant } from '@switchyard/values';
import { endpointOf } from './endpoint-breaker.js';

/** The events of an address: changes of one task, delivery reports of its media buy, changes of an account or of this agent. */
export type RegistrationChannel = 'task' | 'report' | 'account' | 'agent';

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
  /** The buyer's name of an address that is told of an account or of this agent. */
  readonly subscriberId?: string;
  readonly accountId?: string;
  /** What such an address is told. */
  readonly eventTypes?: readonly string[];
  /** The version of this agent's capabilities that it knows. */
  readonly toldVersion?: string;
  /** Since when it is told anything; absent while it is paused. */
  readonly activeFrom?: Instant;
}

/** The sealed secrets of a registration, together in one credential of the vault. */
export interface CallbackSecrets {
  /** Echoed in every webhook. */
  readonly token?: string;
  /** The shared secret or Bearer credential of a legacy registration. */
  readonly credentials?: string;
}

/**
 * A buyer's address for display: without user information, query and fragment, and with `[redacted]` for each
 * path segment that may be a secret. Buyers put tokens into paths as well, and readers of webhook_activity
 * may be other people than the owner of the address.
 */
export function shownAddress(url: string): string {
  const [, origin = '', path = ''] = /^([a-z]+:\/\/[^/]*)(.*)$/is.exec(endpointOf(url)) ?? [];
  return origin + path.split('/').map(shownSegment).join('/');
}

const uuid = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/i;
const jwt = /eyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+/;
/** Letters and digits without separators, unlike a word: 20 of them have at least a hundred random bits. */
const random = /(?=[A-Za-z_-]*\d)(?=[\d_-]*[A-Za-z])[A-Za-z0-9]{20,}/;

function shownSegment(segment: string): string {
  return [uuid, jwt, random].some((pattern) => pattern.test(segment)) ? '[redacted]' : segment;
}

/** The native A2A addresses of a task, which buyers register one by one. */
export interface TaskCallbacks {
  /** Oldest first, including those sent with the message. */
  list(scope: TenantScope, operationId: string): Promise<readonly BuyerRegistration[]>;
  /**
   * Adds an address under the lock of its operation, so that no event is missed, and ends the one it
   * replaces. `over`: no more events will follow, and nothing was changed.
   */
  add(scope: TenantScope, registration: BuyerRegistration, replaces?: string): Promise<'added' | 'over'>;
  /** Removes an address with its unsent events. */
  remove(scope: TenantScope, registrationId: string, at: Instant): Promise<void>;
}
