import type { Buffer } from 'node:buffer';
import type { Instant } from '@switchyard/values';
import type { GrantRecord } from './grant-directory.js';
import type { VouchedIdentity } from './identity.js';
import type { DeclaredAccount } from './account-repository.js';
import type { Principal } from './principal.js';
import type { Permissions } from './grant.js';
import type { TenantScope } from './scope.js';
import type { SignInPolicy } from './sign-in-policy.js';
import type { RequestSigner } from './signer-directory.js';

/**
 * How a secret is presented: as a bearer token, as the password of HTTP Basic, as the session cookie of a browser, or
 * once, as the sign-in link that opens such a session.
 */
export type TokenScheme = 'bearer' | 'basic' | 'session' | 'link' | 'scim';

/** What is stored of a token: its hash, never its text. */
export interface TokenRecord {
  /** UUID. */
  readonly id: string;
  readonly principalId: string;
  readonly scheme: TokenScheme;
  /** For a session: the token that opened it. Revoking that token revokes the session. */
  readonly openedBy?: string;
  /** The part of the principal's permissions that the token has; absent: all of them, also later ones. */
  readonly permissions?: Permissions;
  /** SHA-256 of the token's text, 32 bytes. */
  readonly hash: Buffer;
  /** Text for people: the purpose of the token. */
  readonly label: string;
  readonly createdAt: Instant;
  readonly expiresAt: Instant;
  readonly revokedAt?: Instant;
  /** For a session: the browser and the address that opened it. */
  readonly device?: string;
  readonly address?: string;
  /** Precise to the minute. */
  readonly lastUsedAt?: Instant;
  /** For a session: when its person last showed a password or a factor again; absent since it was opened. */
  readonly authenticatedAt?: Instant;
  /** For a session: its person has to set up a second factor before anything else. */
  readonly factorDue?: true;
}

/** A new principal with its credentials and roles, stored in one transaction. */
export interface Enrolment {
  readonly principal: Principal;
  /** UUID of the principal that makes it, and so can act as it. */
  readonly heldBy?: string;
  readonly token?: TokenRecord;
  readonly signer?: RequestSigner;
  readonly identity?: VouchedIdentity;
  /** Initial roles. `principal.permissions` are its own, without those of its roles. */
  readonly grants?: readonly GrantRecord[];
}

/** A principal as shown to an admin. */
export interface PrincipalRecord {
  readonly principal: Principal;
  readonly createdAt: Instant;
  readonly disabledAt?: Instant;
  /** Names of the principals that made it or were given a credential of it. */
  readonly heldBy?: readonly string[];
}

export interface TokenMatch {
  readonly principal: Principal;
  readonly token: TokenRecord;
  /** Set if the principal is disabled. */
  readonly disabledAt?: Instant;
  /** What its organization has set for sessions. */
  readonly policy?: Partial<Pick<SignInPolicy, 'stepUpMs' | 'idleMs'>>;
}

/**
 * The port that `adapters/store` implements over `principal`, `principal_token` and `principal_account`.
 * Methods reject when the database cannot be reached.
 */
export interface PrincipalDirectory {
  /**
   * Looks up without a tenant, because the result determines the tenant. Returns expired and revoked tokens too:
   * `admitToken` checks them.
   */
  findByTokenHash(hash: Buffer): Promise<TokenMatch | undefined>;
  find(scope: TenantScope, principalId: string): Promise<Principal | undefined>;
  findByName(scope: TenantScope, name: string): Promise<Principal | undefined>;
  list(scope: TenantScope): Promise<readonly Principal[]>;
  /** Returns one principal with the times when it was created and disabled. */
  record(
    scope: TenantScope,
    by: { readonly id: string } | { readonly name: string },
  ): Promise<PrincipalRecord | undefined>;
  /** Returns names by id. */
  names(scope: TenantScope, principalIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Returns false if the organization already has a principal with this name. */
  create(scope: TenantScope, principal: Principal, at: Instant): Promise<boolean>;
  /** As `create`, together with the credentials and roles of the principal. */
  enrol(scope: TenantScope, enrolment: Enrolment, at: Instant): Promise<boolean>;
  /** Disables a principal with its tokens, keys and certificates. Returns false if it is already disabled. */
  disable(scope: TenantScope, principalId: string, at: Instant): Promise<boolean>;
  /** `heldBy`: UUID of the principal that is given the token, and so can act as its principal. */
  issueToken(scope: TenantScope, token: TokenRecord, heldBy?: string): Promise<void>;
  /** Tokens that are not revoked, oldest first. Expired ones are included, except sessions and links. */
  tokens(scope: TenantScope, principalId?: string): Promise<readonly TokenRecord[]>;
  /** Records that the person of a session has shown a password or a factor again. */
  noteAuthentication(scope: TenantScope, tokenId: string, at: Instant): Promise<void>;
  /** Records that the person has a second factor now: none of its sessions demands one any more. */
  settleFactor(scope: TenantScope, principalId: string): Promise<void>;
  /** Records the use of a session, at most once a minute. */
  noteUse(scope: TenantScope, tokenId: string, at: Instant): Promise<void>;
  /**
   * Stores a token that replaces another, in one transaction; `heldBy` as in `issueToken`. The other expires at `until`, or earlier if it would
   * have. Returns false and stores nothing if the other was revoked: a revoked token has no successor.
   */
  replaceToken(
    scope: TenantScope,
    token: TokenRecord,
    replaced: { readonly id: string; readonly until: Instant; readonly heldBy?: string },
  ): Promise<boolean>;
  /** Revokes a token and the sessions that it opened. Returns false if there is no such live token. */
  revokeToken(scope: TenantScope, tokenId: string, at: Instant): Promise<boolean>;
  accountsOf(scope: TenantScope, principalId: string): Promise<readonly DeclaredAccount[]>;
  /** Declaring an existing account changes nothing. Returns the stored account. */
  declareAccount(
    scope: TenantScope,
    principalId: string,
    account: DeclaredAccount,
    at: Instant,
  ): Promise<DeclaredAccount>;
}
