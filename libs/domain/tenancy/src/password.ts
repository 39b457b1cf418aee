import type { Instant } from '@switchyard/values';
import type { TenantScope } from './scope.js';

/** After `attempts` wrong passwords in a row an address is locked for `lockMs` milliseconds. */
export const passwordLock = { attempts: 10, lockMs: 15 * 60_000 } as const;

/** The stored form of a password. */
interface PasswordHolder extends TenantScope {
  readonly principalId: string;
  /** Argon2id, in PHC form. */
  readonly hash: string;
}

/** The port that `adapters/store` implements. Methods reject when the database cannot be reached. */
export interface PasswordRepository {
  /** Looks up without a tenant. Returns `undefined` if no principal has this address, or the principal is disabled. */
  find(email: string): Promise<PasswordHolder | undefined>;
  /**
   * Counts an attempt before its password is checked, so that concurrent attempts are counted too. Returns false if the
   * address is locked.
   */
  claimAttempt(scope: TenantScope, principalId: string, at: Instant): Promise<boolean>;
  /** Resets the count of attempts, after a correct password. */
  forgetAttempts(scope: TenantScope, principalId: string): Promise<void>;
  /** Sets address and hash and ends all sessions of the person. Returns false if another principal has this address. */
  set(
    scope: TenantScope,
    wanted: Omit<PasswordHolder, 'organizationId'> & { email: string },
    at: Instant,
  ): Promise<boolean>;
  /** Returns the address and hash of one person. */
  of(
    scope: TenantScope,
    principalId: string,
  ): Promise<{ readonly email: string; readonly hash: string } | undefined>;
}
