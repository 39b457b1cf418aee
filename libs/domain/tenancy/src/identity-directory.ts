import type { Instant } from '@switchyard/values';
import type { PrincipalRecord } from './principal-directory.js';
import type { TenantScope } from './scope.js';

/**
 * Who vouches for the name: an issuer of tokens, the authority that signed a client certificate, or the provider that a
 * person signs in with. A name of the last kind opens sessions and is no credential at the API.
 */
export type IdentityKind = 'jwt' | 'certificate' | 'sign_in';

/** A name outside that stands for one of our principals: an admin registered it, or its person signed in with it. */
export interface VouchedIdentity {
  /** UUID. */
  readonly id: string;
  readonly principalId: string;
  readonly kind: IdentityKind;
  /** The `iss` of a JWT or of a provider; empty for a certificate. */
  readonly issuer: string;
  /** The `sub` there; of a certificate `dns:HOST`, `uri:URI`, `email:ADDRESS` or `subject:DN`. */
  readonly subject: string;
  readonly createdAt: Instant;
  /** When it was shown to be the principal's own: by a token of the issuer, or by a certificate beside our token. */
  readonly provedAt?: Instant;
}

/** Whom a name stands for in one organization. */
export interface NamedPrincipal extends PrincipalRecord {
  readonly isProved: boolean;
}

/** The port that `adapters/store` implements. Methods reject when the database cannot be reached. */
export interface IdentityDirectory {
  /**
   * Everybody whom one of the names stands for, switched off or not: a certificate carries several names, and they may
   * stand for different principals. It is without a tenant, since this is how the tenant is found.
   */
  find(kind: IdentityKind, issuer: string, subjects: readonly string[]): Promise<readonly NamedPrincipal[]>;
  /** Notes that these names are the principal's own. */
  prove(
    scope: TenantScope,
    principalId: string,
    name: { readonly kind: IdentityKind; readonly issuer: string; readonly subjects: readonly string[] },
    at: Instant,
  ): Promise<void>;
  /** Those of one kind that stand for one principal, the oldest first. */
  of(scope: TenantScope, principalId: string, kind: IdentityKind): Promise<readonly VouchedIdentity[]>;
  /** False when the name stands for somebody of this organization already. */
  add(scope: TenantScope, identity: VouchedIdentity): Promise<boolean>;
  /** False when there is no such identity; with `own`, none of this kind that stands for this principal. */
  remove(
    scope: TenantScope,
    identityId: string,
    at: Instant,
    own?: { readonly principalId: string; readonly kind: IdentityKind },
  ): Promise<boolean>;
}
