import type { TenantScope } from '@switchyard/tenancy';
import type { Instant } from '@switchyard/values';
import type { BuyerAccount } from '../model/caller.js';

/** An account whose use one vendor bills elsewhere. */
export interface BilledElsewhere extends BuyerAccount {
  readonly connectionId: string;
}

/**
 * What vendors have said is billed off the protocol. It is an end: nothing takes it back
 * (docs/protocol/accounts.md#usage).
 */
export interface BillingRepository {
  billedElsewhere(scope: TenantScope): Promise<readonly BilledElsewhere[]>;
  /** Saying it twice changes nothing. */
  markBilledElsewhere(scope: TenantScope, marks: readonly BilledElsewhere[], at: Instant): Promise<void>;
}
