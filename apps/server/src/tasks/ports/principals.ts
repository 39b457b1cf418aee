import type { Permissions, PrincipalKind } from '@switchyard/tenancy';
import type { Result } from '@switchyard/values';
import type { AdminFailure } from './admin.js';
import type { SignerDraft } from './identity.js';
import type { PrincipalCaller } from '../task-call.js';

/*
 * The views below leave the house as they stand, so their members carry the names of the wire. None holds a secret.
 */

export interface TokenView {
  readonly token_id: string;
  readonly scheme: 'bearer' | 'basic';
  readonly label: string;
  /** Present where the token holds less than its principal. */
  readonly permissions?: Permissions;
  readonly created_at: string;
  readonly expires_at: string;
}

/** A name that others vouch for. */
export interface IdentityView {
  readonly identity_id: string;
  readonly kind: 'jwt' | 'certificate';
  readonly issuer?: string;
  readonly subject: string;
}

export interface PrincipalView {
  readonly principal_id: string;
  readonly name: string;
  readonly kind: PrincipalKind;
  readonly permissions: Permissions;
  readonly brand_domain?: string;
  readonly transitional: boolean;
  readonly legacy: boolean;
  readonly created_at: string;
  readonly revoked_at?: string;
  readonly tokens: readonly TokenView[];
  readonly identities: readonly IdentityView[];
}

/** A secret that was just made. It is shown this once. */
export interface NewCredential {
  readonly principal_id: string;
  readonly token_id: string;
  /** For `Authorization: Bearer`. */
  readonly token?: string;
  /** For `Authorization: Basic`. */
  readonly username?: string;
  readonly password?: string;
  readonly expires_at: string;
  /** Of a rotation: until when the replaced one is good. */
  readonly previous_until?: string;
}

/** What a principal is made of. Without permissions it gets what is usual for its kind. */
export interface PrincipalDraft {
  readonly name: string;
  readonly kind: PrincipalKind;
  readonly permissions?: Permissions;
  readonly brandDomain?: string;
  readonly transitional: boolean;
  readonly legacy: boolean;
  /** The agent that signs as it. */
  readonly signer?: SignerDraft;
  /** A name that others vouch for. Stored with the principal or not at all, as it says who it is. */
  readonly identity?: IdentityDraft;
  /** `none` for one that signs, or that others vouch for. */
  readonly scheme: 'bearer' | 'basic' | 'none';
  readonly ttlSeconds?: number;
}

export interface TokenDraft {
  readonly scheme: 'bearer' | 'basic';
  /** No more than the principal holds; absent: all of it. */
  readonly permissions?: Permissions;
  readonly ttlSeconds?: number;
}

export interface RotateRequest {
  /** Needed where the principal has several tokens. */
  readonly tokenId?: string;
  /** How long the old one stays good beside the new one. */
  readonly overlapSeconds: number;
  readonly ttlSeconds?: number;
}

export interface IdentityDraft {
  readonly kind: 'jwt' | 'certificate';
  readonly issuer: string;
  readonly subject: string;
  /** Of a JWT: a token of that issuer about that subject, which shows that whoever registers it can get one. */
  readonly proof?: string;
}

/**
 * Principals and what they show themselves with. Nobody makes, or acts on, a principal that may do what he may not: a
 * permission to write principals is no way to all the others.
 */
export interface PrincipalAdmin {
  list(caller: PrincipalCaller): Promise<readonly PrincipalView[]>;
  add(
    caller: PrincipalCaller,
    draft: PrincipalDraft,
  ): Promise<Result<PrincipalView & Partial<NewCredential>, AdminFailure>>;
  addToken(
    caller: PrincipalCaller,
    name: string,
    draft: TokenDraft,
  ): Promise<Result<NewCredential, AdminFailure>>;
  rotate(
    caller: PrincipalCaller,
    name: string,
    query: RotateRequest,
  ): Promise<Result<NewCredential, AdminFailure>>;
  /** Switches the principal off for good, with all that it shows itself with. */
  revoke(caller: PrincipalCaller, name: string): Promise<Result<object, AdminFailure>>;
  revokeToken(caller: PrincipalCaller, tokenId: string): Promise<Result<object, AdminFailure>>;
  addIdentity(
    caller: PrincipalCaller,
    name: string,
    draft: IdentityDraft,
  ): Promise<Result<IdentityView, AdminFailure>>;
  removeIdentity(caller: PrincipalCaller, identityId: string): Promise<Result<object, AdminFailure>>;
}
