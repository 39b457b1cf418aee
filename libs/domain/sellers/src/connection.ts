import type { AccountRef, Capabilities, Dialect, Form } from '@switchyard/protocol';
import type { Instant } from '@switchyard/values';

export type SellerKind = 'sales' | 'signals';
/**
 * `suspended`: no new requests go to it, and what runs there goes on. `removed`: its credentials are revoked, and only
 * history names it.
 */
export type ConnectionState = 'onboarding' | 'live' | 'failed' | 'disabled' | 'suspended' | 'removed';

/**
 * Bearer is for reports alone: for callbacks of mutations it is refused, and those stay signed
 * (docs/protocol/webhooks-in.md#registration).
 */
export type LegacyWebhooks = false | 'hmac-sha256' | 'bearer';

/** How a seller takes the registration of its delivery reports; `none`: not at all. */
export type ReportRegistration = 'signed' | 'hmac-sha256' | 'none';

/** One organization's relationship with one seller. The slug is the seller's name in every prefixed id. */
export interface Connection {
  readonly id: string;
  readonly organizationId: string;
  readonly slug: string;
  readonly name: string;
  readonly agentUrl: string;
  readonly protocol: 'mcp' | 'a2a';
  readonly dialect: Dialect;
  /** As configured; `auto` follows what the seller declares (docs/protocol/requests-and-versions.md#forms). */
  readonly configuredForm: 'auto' | Form;
  /** What we speak to it. */
  readonly form: Form;
  readonly kinds: readonly SellerKind[];
  readonly state: ConnectionState;
  readonly stateReason?: string;
  /** Set while it is suspended only until its last buy is over. */
  readonly drainingSince?: Instant;
  readonly account?: AccountRef;
  readonly capabilities?: Capabilities;
  readonly capabilitiesAt?: Instant;
  /** Tools that the seller lists over MCP, each with its argument names; absent where unknown. */
  readonly tools?: Readonly<Record<string, readonly string[]>>;
  /** An admin's own pins; they win over discovery. */
  readonly pinnedJwksUri?: string;
  readonly pinnedBrandJsonUrl?: string;
  /** The key set that discovery named first, or that a person accepted since. */
  readonly foundJwksUri?: string;
  /** The live credential, if the seller wants one. */
  readonly credentialId?: string;
  /** The sealed secret that this connection's idempotency keys are made with. */
  readonly keyCredentialId?: string;
  /** Set by an admin for a seller that cannot sign its webhooks: the older mode that its registrations ask for. */
  readonly legacyWebhooks: LegacyWebhooks;
  /** Learnt from a refusal; absent: as the seller's capabilities and release say. */
  readonly reportRegistration?: ReportRegistration;
  /** Set by an admin: it wants the relay's signature on everything, and so can take no sealed request. */
  readonly wantsRelaySignature?: true;
  /** The sealed secret of that mode. */
  readonly webhookCredentialId?: string;
  readonly isSandbox: boolean;
}
