import type { AccountRef, Dialect, Form } from '@switchyard/protocol';
import type { Secret } from '@switchyard/values';

/** Why an administrative request did not happen. The door turns the code into an HTTP status. */
export interface AdminFailure {
  readonly code:
    | 'INVALID_REQUEST'
    | 'CREDENTIAL_REQUIRED'
    | 'DOMAIN_NOT_PROVED'
    | 'INSUFFICIENT_PERMISSIONS'
    | 'NOT_FOUND'
    | 'CONFLICT'
    | 'UNAVAILABLE';
  readonly message: string;
  /** Path of the offending member of the request. */
  readonly field?: string;
  readonly suggestion?: string;
  /**
   * Set where the same request may do as it stands, a moment later: somebody was faster. Any other CONFLICT is with what
   * stands there, a name that is taken for one, and ends with another request alone.
   */
  readonly recovery?: 'transient';
}

/** A seller to onboard. The token is sealed by the vault before anything else happens with it. */
export interface SellerDraft {
  readonly slug: string;
  readonly agentUrl: string;
  readonly protocol: 'mcp' | 'a2a';
  readonly dialect: Dialect;
  readonly form?: 'auto' | Form;
  readonly token?: Secret;
  /** How the seller takes it; absent: as it took the one before, and a first one as a bearer token. */
  readonly tokenScheme?: 'bearer' | 'basic';
  readonly account?: AccountRef;
  /** Where the seller's keys are, as an admin says: wins over discovery. */
  readonly jwksUri?: string;
  readonly brandJsonUrl?: string;
  /** For a seller that cannot sign its webhooks: the older mode to ask it for. The secret is made here. */
  readonly legacyWebhooks?: 'hmac-sha256' | 'bearer';
  /** It wants the relay's signature on everything, and so takes no sealed request. */
  readonly wantsRelaySignature?: boolean;
}
