import type { Instant } from '@switchyard/values';
import type { DeclaredAccount } from './account.js';
import type { TenantScope } from './scope.js';

/** An account with how it stands. A closed one stays for the record. */
export interface AccountRecord extends DeclaredAccount {
  readonly isSandbox: boolean;
  readonly closedAt?: Instant;
}

/** Accounts to open and to close, in one commit. */
export interface AccountChange {
  readonly open: readonly AccountRecord[];
  /** Ids. */
  readonly close: readonly string[];
}

/** The port that `adapters/store` implements over `principal_account`, for whoever declares accounts. */
export interface AccountBook {
  /** A principal's own, open and closed, oldest first. */
  accounts(scope: TenantScope, principalId: string): Promise<readonly AccountRecord[]>;
  /** Opens what is not open already, and closes what is; answers the accounts as they stand then. */
  apply(
    scope: TenantScope,
    principalId: string,
    change: AccountChange,
    at: Instant,
  ): Promise<readonly AccountRecord[]>;
}
