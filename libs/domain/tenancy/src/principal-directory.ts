import type { Buffer } from 'node:buffer';
import type { Instant } from '@switchyard/values';
import type { DeclaredAccount } from './account.js';
import type { Principal } from './principal.js';
import type { TenantScope } from './scope.js';

/** What is stored of a token: its hash, never its text. */
export interface TokenRecord {
  /** UUID. */
  readonly id: string;
  readonly principalId: string;
  /** SHA-256 of the token's text, 32 bytes. */
  readonly hash: Buffer;
  /** For people: what it was minted for. */
  readonly label: string;
  readonly createdAt: Instant;
  readonly expiresAt: Instant;
  readonly revokedAt?: Instant;
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
  /** False when the organization has a principal of that name already. */
  create(scope: TenantScope, principal: Principal, at: Instant): Promise<boolean>;
  mintToken(scope: TenantScope, token: TokenRecord): Promise<void>;
  /** False when there is no such live token. */
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
