import type { Buffer } from 'node:buffer';
import type { Instant, PageRead } from '@switchyard/values';
import type { GrantRecord } from './grant-directory.js';
import type { VouchedIdentity } from './identity-directory.js';
import type { Principal } from './principal.js';
import type { GrantScope } from './reach.js';
import type { TenantScope } from './scope.js';

/** Somebody who is let in with a role in a scope, once it takes the invitation up. */
export interface Invitation extends TenantScope {
  readonly id: string;
  /** In small letters. */
  readonly email: string;
  readonly role: string;
  readonly scope: GrantScope;
  /** UUID of the principal who invites. */
  readonly invitedBy: string;
  readonly createdAt: Instant;
  readonly expiresAt: Instant;
  readonly withdrawnAt?: Instant;
  readonly acceptedAt?: Instant;
  /** Whom it has become. */
  readonly principalId?: string;
}

/** Who comes in, with the one way in that it chose. */
export interface Newcomer {
  readonly principal: Principal;
  readonly grant: GrantRecord;
  readonly password?: { readonly email: string; readonly hash: string };
  readonly identity?: VouchedIdentity;
}

export interface InvitationPage extends PageRead {
  readonly isOpen?: boolean;
  /** UUID: only those of this principal. */
  readonly invitedBy?: string;
}

/** The port that `adapters/store` implements. Methods reject when the database cannot be reached. */
export interface InvitationRepository {
  /**
   * Withdraws the open ones to the same address in the same commit, so that one link lets its person in: all, or those of
   * one inviter. The ids of those.
   */
  add(
    scope: TenantScope,
    invitation: Invitation,
    hash: Buffer,
    invitedBy?: string,
  ): Promise<readonly string[]>;
  /** The newest first; the key is `[createdAt, id]`. Open ones at `at`, or those that are not. */
  list(scope: TenantScope, page: InvitationPage, at: Instant): Promise<readonly Invitation[]>;
  /** False where there is no open invitation of this id, or none of this inviter. */
  withdraw(scope: TenantScope, id: string, at: Instant, invitedBy?: string): Promise<boolean>;
  /** The look-up without a tenant: open ones, the newest first. */
  open(
    by: { readonly hash: Buffer } | { readonly email: string },
    at: Instant,
  ): Promise<readonly Invitation[]>;
  /** `over`: somebody was faster. `taken`: the name, the e-mail address or the identity is somebody's already. */
  accept(invitation: Invitation, newcomer: Newcomer, at: Instant): Promise<'accepted' | 'over' | 'taken'>;
}
