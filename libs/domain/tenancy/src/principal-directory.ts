import type { GrantRecord } from './grant-directory.js';
import type { VouchedIdentity } from './identity-directory.js';
import type { Buffer } from 'node:buffer';
import type { Instant } from '@switchyard/values';
import type { DeclaredAccount } from './account.js';
import type { Permissions, Principal } from './principal.js';
import type { TenantScope } from './scope.js';
import type { RequestSigner } from './signer-directory.js';

/**
 * How a secret is presented: as a bearer token, as the password of a pair of name and password, as the cookie of a
 * session in a browser, or once, as the sign-in link that opens such a session.
 */
export type TokenScheme = 'bearer' | 'basic' | 'session' | 'link';

/** What is stored of a token: its hash, never its text. */
export interface TokenRecord {
  /** UUID. */
  readonly id: string;
  readonly principalId: string;
  readonly scheme: TokenScheme;
  /** Of a session: the token that it was opened with. Revoking that one revokes the session. */
  readonly openedBy?: string;
  /** What it holds of its principal's permissions; absent: all of them, also those that are given later. */
  readonly permissions?: Permissions;
  /** SHA-256 of the token's text, 32 bytes. */
  readonly hash: Buffer;
  /** For people: what it was minted for. */
  readonly label: string;
  readonly createdAt: Instant;
  readonly expiresAt: Instant;
  readonly revokedAt?: Instant;
  /** Of a session: the browser and the address that opened it. */
  readonly device?: string;
  readonly address?: string;
  /** To the minute. */
  readonly lastUsedAt?: Instant;
}

/** What a new principal comes with, stored together with it or not at all. */
export interface Enrolment {
  readonly principal: Principal;
  readonly token?: TokenRecord;
  readonly signer?: RequestSigner;
  readonly identity?: VouchedIdentity;
  /** Roles that it has from the start. `principal.permissions` are its own, without theirs. */
  readonly grants?: readonly GrantRecord[];
}

/** A principal as an admin sees it. */
export interface PrincipalRecord {
  readonly principal: Principal;
  readonly createdAt: Instant;
  readonly disabledAt?: Instant;
}

export interface TokenMatch {
  readonly principal: Principal;
  readonly token: TokenRecord;
  /** Set when the principal as a whole was switched off. */
  readonly disabledAt?: Instant;
}

/**
 * The port that `adapters/store` implements over `principal`, `principal_token` and `principal_account`.
 * Methods reject when the database cannot be reached.
 */
export interface PrincipalDirectory {
  /**
   * The one look-up without a tenant, since it is how the tenant is found. Answers expired and revoked tokens too:
   * `admitToken` judges them.
   */
  findByTokenHash(hash: Buffer): Promise<TokenMatch | undefined>;
  find(scope: TenantScope, principalId: string): Promise<Principal | undefined>;
  findByName(scope: TenantScope, name: string): Promise<Principal | undefined>;
  list(scope: TenantScope): Promise<readonly Principal[]>;
  /** All of them with when they came and went, by name. */
  records(scope: TenantScope): Promise<readonly PrincipalRecord[]>;
  /** False when the organization has a principal of that name already. */
  create(scope: TenantScope, principal: Principal, at: Instant): Promise<boolean>;
  /** The same for a principal together with what it comes with. */
  enrol(scope: TenantScope, enrolment: Enrolment, at: Instant): Promise<boolean>;
  /** Switches a principal off: its tokens, keys and certificates act no more. False when it is off already. */
  disable(scope: TenantScope, principalId: string, at: Instant): Promise<boolean>;
  issueToken(scope: TenantScope, token: TokenRecord): Promise<void>;
  /** Tokens that are not revoked, oldest first, expired ones too, except sessions and links: an expired one is gone. */
  tokens(scope: TenantScope, principalId?: string): Promise<readonly TokenRecord[]>;
  /** A session was used. Written once in a minute at most. */
  noteUse(scope: TenantScope, tokenId: string, at: Instant): Promise<void>;
  /**
   * Stores a token in the place of another, which expires at `until` unless it would have before. One commit. False, and
   * nothing stored, where the other one was revoked meanwhile: what is revoked leaves no successor.
   */
  replaceToken(scope: TenantScope, token: TokenRecord, replacedId: string, until: Instant): Promise<boolean>;
  /** Revokes a token and the sessions that were opened with it. False when there is no such live token. */
  revokeToken(scope: TenantScope, tokenId: string, at: Instant): Promise<boolean>;
  accountsOf(scope: TenantScope, principalId: string): Promise<readonly DeclaredAccount[]>;
  /** Declaring what is declared already changes nothing. Answers the account as it is stored. */
  declareAccount(
    scope: TenantScope,
    principalId: string,
    account: DeclaredAccount,
    at: Instant,
  ): Promise<DeclaredAccount>;
}
