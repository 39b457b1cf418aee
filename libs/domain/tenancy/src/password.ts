import type { Instant } from '@switchyard/values';
import type { TenantScope } from './scope.js';

/** After how many wrong passwords in a row an address is locked, and for how long, in milliseconds. */
export const passwordLock = { attempts: 10, lockMs: 15 * 60_000 } as const;

/** What is stored of a password. */
export interface PasswordHolder extends TenantScope {
  readonly principalId: string;
  /** Argon2id, in PHC form. */
  readonly hash: string;
  readonly lockedUntil?: Instant;
}

/** The port that `adapters/store` implements. Methods reject when the database cannot be reached. */
export interface PasswordRepository {
  /** The one look-up without a tenant. Nothing where nobody has this address, or where its principal is switched off. */
  find(email: string): Promise<PasswordHolder | undefined>;
  /**
   * Counts an attempt before its password is looked at, so that attempts at the same time are counted too. False where
   * the address is locked.
   */
  claimAttempt(scope: TenantScope, principalId: string, at: Instant): Promise<boolean>;
  /** Forgets the attempts: the password was right. */
  forgetAttempts(scope: TenantScope, principalId: string): Promise<void>;
  /** Sets address and hash and ends every session of the person. False where somebody else has this address. */
  set(
    scope: TenantScope,
    wanted: Omit<PasswordHolder, 'organizationId'> & { email: string },
    at: Instant,
  ): Promise<boolean>;
  /** The address and hash of one person. */
  of(
    scope: TenantScope,
    principalId: string,
  ): Promise<{ readonly email: string; readonly hash: string } | undefined>;
}
