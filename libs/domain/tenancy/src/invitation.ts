import type { Buffer } from 'node:buffer';
import type { Instant } from '@switchyard/values';
import type { AddressProof } from './proved-address.js';
import type { GrantRecord } from './grant-directory.js';
import type { VouchedIdentity } from './identity.js';
import type { Principal } from './principal.js';
import type { GrantScope } from './grant.js';
import type { TenantScope } from './scope.js';

/** An invitation: whoever accepts it becomes a principal with this role in this scope. */
export interface Invitation extends TenantScope {
  readonly id: string;
  /** In lower case. */
  readonly email: string;
  readonly role: string;
  readonly scope: GrantScope;
  /** UUID of the principal who invites. */
  readonly invitedBy: string;
  readonly createdAt: Instant;
  readonly expiresAt: Instant;
  readonly withdrawnAt?: Instant;
  readonly acceptedAt?: Instant;
  /** The principal that accepted it. */
  readonly principalId?: string;
}

/** The new principal, with the one credential that the person chose. It has proved the address of the invitation. */
export interface InvitedPrincipal {
  readonly principal: Principal;
  readonly grant: GrantRecord;
  readonly password?: { readonly email: string; readonly hash: string };
  readonly identity?: VouchedIdentity;
  readonly provedBy: AddressProof;
}

/** The port that `adapters/store` implements. Methods reject when the database cannot be reached. */
export interface InvitationRepository {
  /**
   * Also withdraws open invitations to the same address in the same transaction, so that only one link works: all of
   * them, or only those by `invitedBy`. Returns the withdrawn ids.
   */
  add(
    scope: TenantScope,
    invitation: Invitation,
    hash: Buffer,
    invitedBy?: string,
  ): Promise<readonly string[]>;
  /** Returns false if there is no open invitation with this id (and, if given, by this principal). */
  withdraw(scope: TenantScope, id: string, at: Instant, invitedBy?: string): Promise<boolean>;
  /** Looks up open invitations without a tenant, newest first. */
  open(
    by: { readonly hash: Buffer } | { readonly email: string },
    at: Instant,
  ): Promise<readonly Invitation[]>;
  /** `over`: the invitation is no longer open. `taken`: the name or identity is already in use. */
  accept(
    invitation: Invitation,
    newcomer: InvitedPrincipal,
    at: Instant,
  ): Promise<'accepted' | 'over' | 'taken'>;
}
