import type { Instant } from '@switchyard/values';
import type { PrincipalRecord } from './principal-directory.js';
import type { TenantScope } from './scope.js';
import type { IdentityKind, VouchedIdentity } from './identity.js';

/** The principal that a name identifies in one organization. */
export interface NamedPrincipal extends PrincipalRecord {
  readonly isProved: boolean;
}

/** The port that `adapters/store` implements. Methods reject when the database cannot be reached. */
export interface IdentityDirectory {
  /**
   * Returns all principals that the names identify, disabled ones too: a certificate has several names, which may
   * identify different principals. Takes no tenant, because the result determines the tenant.
   */
  find(kind: IdentityKind, issuer: string, subjects: readonly string[]): Promise<readonly NamedPrincipal[]>;
  /** Records that the principal has proved these names. */
  prove(
    scope: TenantScope,
    principalId: string,
    name: { readonly kind: IdentityKind; readonly issuer: string; readonly subjects: readonly string[] },
    at: Instant,
  ): Promise<void>;
  /** Returns the principal's identities of one kind, oldest first. */
  of(scope: TenantScope, principalId: string, kind: IdentityKind): Promise<readonly VouchedIdentity[]>;
  /**
   * Returns false if the name already identifies a principal of this organization. `heldBy`: UUID of the principal that
   * adds it, and so can act as its principal.
   */
  add(scope: TenantScope, identity: VouchedIdentity, heldBy?: string): Promise<boolean>;
  /** Returns what was removed; `undefined` if it does not exist, or with `own`, is not of this kind and principal. */
  remove(
    scope: TenantScope,
    identityId: string,
    at: Instant,
    own?: { readonly principalId: string; readonly kind: IdentityKind },
  ): Promise<Pick<VouchedIdentity, 'principalId' | 'kind'> | undefined>;
}
