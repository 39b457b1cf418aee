import type { TenantScope } from '@switchyard/tenancy';
import type { Instant } from '@switchyard/values';
import type { BuyerAccount } from '../model/caller.js';

/** An account whose usage a vendor bills outside of the protocol. */
export interface BilledElsewhere extends BuyerAccount {
  readonly connectionId: string;
}

/**
 * Accounts that vendors bill outside of the protocol. A mark is permanent (docs/protocol/accounts.md#usage).
 */
export interface BillingRepository {
  billedElsewhere(scope: TenantScope): Promise<readonly BilledElsewhere[]>;
  /** Idempotent. */
  markBilledElsewhere(scope: TenantScope, marks: readonly BilledElsewhere[], at: Instant): Promise<void>;
}
