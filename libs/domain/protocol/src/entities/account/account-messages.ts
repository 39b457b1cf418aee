import type { AccountRef } from './account-ref.js';
import type { RequestExtras } from '../../message/request-extras.js';
import type { TaskError } from '../../errors/task-fault.js';
import type { Subscriber } from './subscriber.js';

export type AccountStatus =
  | 'active'
  | 'pending_approval'
  | 'rejected'
  | 'payment_required'
  | 'suspended'
  | 'closed';

/** A buyer's account: a pair of an advertiser and its operator. Domains are in lower case. */
export interface Account {
  readonly accountId: string;
  readonly brandDomain: string;
  /** Empty where the brand has one identity only. */
  readonly brandId: string;
  readonly operator: string;
  readonly status: AccountStatus;
  readonly billing: 'operator' | 'agent' | 'advertiser';
  readonly isSandbox: boolean;
  /** Who is told of changes of it. */
  readonly subscribers?: readonly Subscriber[];
}

export interface ListAccountsRequest extends RequestExtras {
  readonly status?: AccountStatus;
  readonly sandbox?: boolean;
  /** 1 to 100. */
  readonly maxResults: number;
  readonly cursor?: string;
}

export interface ListAccountsAnswer {
  readonly accounts: readonly Account[];
  readonly total: number;
  /** Present only where there are more pages. */
  readonly cursor?: string;
}

/** One row of the request. `account` names an existing account; then no other member names it. */
export interface RequestedAccount {
  readonly account?: AccountRef;
  readonly brandDomain: string;
  readonly brandId: string;
  readonly operator: string;
  readonly billing?: 'operator' | 'agent' | 'advertiser';
  readonly sandbox: boolean;
  readonly paymentTerms?: string;
  /** Members that are not used here: a warning names each. */
  readonly unused: readonly string[];
  /** All who are to be told of changes of the account; absent where the row leaves them as they are. */
  readonly subscribers?: readonly Subscriber[];
  /** Why one of them cannot be told what it asks for; its place is inside the row. */
  readonly notTold?: TaskError;
}

export interface SyncAccountsRequest extends RequestExtras {
  readonly accounts: readonly RequestedAccount[];
  readonly deleteMissing: boolean;
  readonly dryRun: boolean;
  /** All of the caller who are to be told of changes of this agent; the request then names no account. */
  readonly agent?: readonly Subscriber[];
}

/** The result for one row. */
export interface SyncedAccount {
  readonly accountId?: string;
  readonly brandDomain: string;
  readonly brandId: string;
  readonly operator: string;
  readonly action: 'created' | 'updated' | 'unchanged' | 'failed';
  readonly status: AccountStatus;
  readonly billing?: 'operator' | 'agent' | 'advertiser';
  readonly isSandbox: boolean;
  readonly errors: readonly TaskError[];
  readonly warnings: readonly string[];
  readonly subscribers?: readonly Subscriber[];
}

export interface SyncAccountsAnswer {
  readonly accounts: readonly SyncedAccount[];
  readonly dryRun: boolean;
}
