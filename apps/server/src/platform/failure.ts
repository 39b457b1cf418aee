import type { AccountRef, Dialect, SettingForm } from '@switchyard/protocol';
import type { SellerProtocol } from '@switchyard/sellers';
import type { Instant, Secret } from '@switchyard/values';

/** Why an admin request was refused. The HTTP layer maps the code to a status. */
export interface AdminFailure {
  readonly code:
    | 'INVALID_REQUEST'
    | 'CREDENTIAL_REQUIRED'
    | 'DOMAIN_NOT_PROVED'
    | 'RECENT_SIGN_IN_REQUIRED'
    | 'INSUFFICIENT_PERMISSIONS'
    | 'NOT_FOUND'
    | 'CONFLICT'
    | 'RATE_LIMITED'
    | 'UNAVAILABLE';
  readonly message: string;
  /** Path of the wrong member of the request. */
  readonly field?: string;
  readonly suggestion?: string;
  /**
   * Set if the same request may succeed a moment later, because of a concurrent change. Any other CONFLICT is with
   * existing data, such as a name that is taken, and needs another request.
   */
  readonly recovery?: 'transient';
  /** The time until a retry, in whole seconds. */
  readonly retryAfter?: number;
}

/** A seller to onboard. The vault seals the token before anything else happens. */
export interface SellerDraft {
  readonly slug: string;
  readonly agentUrl: string;
  readonly protocol: SellerProtocol;
  readonly dialect: Dialect;
  readonly form?: SettingForm;
  readonly token?: Secret;
  /** When the seller's certificate of ours ends. */
  readonly tokenEndsAt?: Instant;
  /** The token's scheme; if absent, that of the previous token, and bearer for a first one. */
  readonly tokenScheme?: 'bearer' | 'basic' | 'certificate';
  readonly account?: AccountRef;
  /** The address of the seller's keys, set by an admin: it overrides discovery. */
  readonly jwksUri?: string;
  readonly brandJsonUrl?: string;
  /** For a seller that cannot sign its webhooks: the older mode to request. The secret is made here. */
  readonly legacyWebhooks?: 'hmac-sha256' | 'bearer';
  /** The seller requires the relay's signature on everything, so it accepts no sealed request. */
  readonly wantsRelaySignature?: boolean;
}
