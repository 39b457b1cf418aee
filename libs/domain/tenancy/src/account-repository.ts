import type { Instant, PageRead } from '@switchyard/values';
import type { AccountHold, DeclaredAccount } from './account.js';
import type { Reach } from './reach.js';
import type { TenantScope } from './scope.js';

/** An account with how it stands. A closed one stays for the record. */
export interface AccountRecord extends DeclaredAccount {
  readonly isSandbox: boolean;
  readonly createdAt: Instant;
  readonly closedAt?: Instant;
}

/** An account that is to be opened: when, the book says. It begins as an active one. */
export type NewAccount = Omit<AccountRecord, 'createdAt' | 'closedAt' | 'hold'>;

/** An open account as an admin sees it. */
export interface AccountOfSomebody extends AccountRecord {
  readonly principalId: string;
  readonly principalName: string;
  /** Why it is held, in an admin's words. */
  readonly holdReason?: string;
  readonly heldAt?: Instant;
}

/** Which accounts a list shows. */
export interface AccountFilter extends PageRead {
  readonly id?: string;
  readonly principalId?: string;
  /** Lower case. */
  readonly brandDomain?: string;
  readonly status?: 'active' | AccountHold;
  readonly reach?: Reach;
}

/** From one standing to another; absent is active. */
export interface HoldChange {
  readonly from?: AccountHold;
  readonly to?: AccountHold;
  readonly reason: string;
  /** Changes nothing unless the account is held for this reason: whoever set a hold for another one lifts it. */
  readonly onlyIfReason?: string;
}

/** Accounts to open and to close, in one commit. */
export interface AccountChange {
  readonly open: readonly NewAccount[];
  /** Ids. */
  readonly close: readonly string[];
}

/** The port that `adapters/store` implements over `principal_account`, for whoever declares accounts. */
export interface AccountRepository {
  /** A principal's own, open and closed, oldest first. */
  accounts(scope: TenantScope, principalId: string): Promise<readonly AccountRecord[]>;
  /** The media buys that are not over yet, by the open account that they were bought for. */
  liveBuys(scope: TenantScope, principalId: string): Promise<ReadonlyMap<string, readonly string[]>>;
  /** Opens what is not open already, and closes what is and is not held; answers the accounts as they stand then. */
  apply(
    scope: TenantScope,
    principalId: string,
    change: AccountChange,
    at: Instant,
  ): Promise<readonly AccountRecord[]>;
  /** The open accounts of everybody that fit, oldest first; the key is `[createdAt, id]`. */
  everybodys(scope: TenantScope, filter: AccountFilter): Promise<readonly AccountOfSomebody[]>;
  /** Holds an open account back, or lets it go. False where it does not stand as `from` says, or is not there. */
  hold(scope: TenantScope, accountId: string, change: HoldChange, at: Instant): Promise<boolean>;
}
