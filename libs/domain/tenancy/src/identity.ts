import type { Instant } from '@switchyard/values';

/** An external name that identifies one of our principals. An admin registered it, or its person signed in with it. */
export interface VouchedIdentity {
  /** UUID. */
  readonly id: string;
  readonly principalId: string;
  readonly kind: IdentityKind;
  /** The `iss` of a JWT or of a provider; empty for a certificate. */
  readonly issuer: string;
  /** The `sub` of the issuer; for a certificate `dns:HOST`, `uri:URI`, `email:ADDRESS` or `subject:DN`. */
  readonly subject: string;
  readonly createdAt: Instant;
  /** When the principal proved it: with a token of the issuer, or with a certificate and our token together. */
  readonly provedAt?: Instant;
}

/**
 * Who vouches for the name: an issuer of tokens, the authority that signed a client certificate, or the provider that a
 * person signs in with. A name of kind `sign_in` opens sessions and is not a credential for the API.
 */
export type IdentityKind = 'jwt' | 'certificate' | 'sign_in';
