import type { Instant } from '@switchyard/values';
import type { TenantScope } from './scope.js';

/** An account with its status. A closed account is kept as a record. */
export interface AccountRecord extends DeclaredAccount {
  readonly isSandbox: boolean;
  readonly createdAt: Instant;
  readonly closedAt?: Instant;
}

/** An account to open. The repository sets its time. It starts active. */
export type NewAccount = Omit<AccountRecord, 'createdAt' | 'closedAt' | 'hold'>;

/** A change of the hold; an absent member means active. */
export interface HoldChange {
  readonly from?: AccountHold;
  readonly to?: AccountHold;
  readonly reason: string;
  /** Changes nothing unless the hold has this reason, so that holds with another reason are not lifted. */
  readonly onlyIfReason?: string;
}

/** Accounts to open and to close in one transaction. */
export interface AccountChange {
  readonly open: readonly NewAccount[];
  /** Ids. */
  readonly close: readonly string[];
}

/** The port that `adapters/store` implements over `principal_account`. */
export interface AccountRepository {
  /** Open and closed accounts of the principal, oldest first. */
  accounts(scope: TenantScope, principalId: string): Promise<readonly AccountRecord[]>;
  /** Media buys that have not ended, grouped by the open account that they were bought for. */
  liveBuys(scope: TenantScope, principalId: string): Promise<ReadonlyMap<string, readonly string[]>>;
  /** Opens missing accounts, and closes open ones that are not held. Returns the accounts after the change. */
  apply(
    scope: TenantScope,
    principalId: string,
    change: AccountChange,
    at: Instant,
  ): Promise<readonly AccountRecord[]>;
  /** Sets or lifts a hold. Returns false if the account does not exist or its hold is not `from`. */
  hold(scope: TenantScope, accountId: string, change: HoldChange, at: Instant): Promise<boolean>;
}

/** A buyer's account with us: an advertiser and the operator that acts for it (docs/protocol/accounts.md#two-planes). */
export interface DeclaredAccount {
  /** UUID: the `account_id` that we issued. */
  readonly id: string;
  /** The advertiser's domain, lower case. */
  readonly brandDomain: string;
  /** Empty if the brand has only one identity. */
  readonly brandId: string;
  /** The operator's domain, lower case. */
  readonly operator: string;
  /** Why an admin holds the account; absent if it is active. */
  readonly hold?: AccountHold;
}

/** Why an open account is not active, as reported to its buyers. */
export type AccountHold = 'payment_required' | 'suspended';
