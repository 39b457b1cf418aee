import type { AccountRef, Capabilities, Dialect, Form, SettingForm } from '@switchyard/protocol';
import type { ClientLogin } from './accounts/client-login.js';
import type { Instant } from '@switchyard/values';
import type { SellerProtocol } from './seller-protocol.js';

/** `rights` and `governance` decide and sell nothing. */
export type SellerKind = 'sales' | 'signals' | 'rights' | 'governance';
/**
 * `draft`: the gate has not let it through yet, and it is in no list of sellers. `suspended`: it gets no new requests, and running ones continue. `removed`: its credentials are revoked, and only
 * history refers to it.
 */
export type ConnectionState =
  | 'draft'
  | 'onboarding'
  | 'live'
  | 'failed'
  | 'disabled'
  | 'suspended'
  | 'removed';

/**
 * Bearer is for reports only: for callbacks of mutations it is refused, and those stay signed
 * (docs/protocol/webhooks-in.md#registration).
 */
export type LegacyWebhooks = false | 'hmac-sha256' | 'bearer';

/** The mode in which a seller accepts the registration of delivery reports; `none`: it accepts no registration. */
export type ReportRegistration = 'signed' | 'hmac-sha256' | 'none';

/** One organization's relationship with one seller. The slug is the seller's name in every prefixed id. */
export interface Connection {
  readonly id: string;
  readonly organizationId: string;
  readonly slug: string;
  readonly name: string;
  readonly agentUrl: string;
  readonly protocol: SellerProtocol;
  readonly dialect: Dialect;
  /** As configured; `auto` follows the seller's capabilities (docs/protocol/requests-and-versions.md#forms). */
  readonly configuredForm: SettingForm;
  /** The form of our requests to it. */
  readonly form: Form;
  readonly kinds: readonly SellerKind[];
  readonly state: ConnectionState;
  readonly stateReason?: string;
  /** Set if it is suspended only until its last buy has ended. */
  readonly drainingSince?: Instant;
  readonly account?: AccountRef;
  /** Set once our accounts there were read: then the account of a buy is that of its client. */
  readonly hasAccounts?: true;
  /** Learnt from a refusal: it shows its products to an account alone, although it may not declare that. */
  readonly wantsAccount?: true;
  readonly capabilities?: Capabilities;
  readonly capabilitiesAt?: Instant;
  /** Tools that the seller lists over MCP, each with its argument names; absent if unknown. */
  readonly tools?: Readonly<Record<string, readonly string[]>>;
  /** Set by an admin; takes precedence over discovery. */
  readonly pinnedJwksUri?: string;
  readonly pinnedBrandJsonUrl?: string;
  /** The key set that discovery found first, or that a person accepted later. */
  readonly foundJwksUri?: string;
  /** The live credential, if the seller needs one. */
  readonly credentialId?: string;
  /** Set while it is used in the name of a client that has a login of its own: `credentialId` is that login's. */
  readonly login?: ClientLogin;
  /** The sealed secret for this connection's idempotency keys. */
  readonly keyCredentialId?: string;
  /** Set by an admin for a seller that cannot sign its webhooks: the older mode to register. */
  readonly legacyWebhooks: LegacyWebhooks;
  /** Stored after a refusal; absent: the seller's capabilities and release decide. */
  readonly reportRegistration?: ReportRegistration;
  /** Set by an admin: the seller wants the relay's signature on every request, so it accepts no sealed request. */
  readonly wantsRelaySignature?: true;
  /** The sealed secret of that mode. */
  readonly webhookCredentialId?: string;
  readonly isSandbox: boolean;
}
