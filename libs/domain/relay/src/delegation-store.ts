import type { ListSort, Reach, TenantScope } from '@switchyard/tenancy';
import type { Instant, PageRead } from '@switchyard/values';
import type { Delegation, DelegationStanding } from './delegation.js';

interface Revocation {
  readonly by: string;
  readonly reason?: string;
  readonly at: Instant;
}

/** Selects delegations for a list. A reach of brands selects the delegations of the brands' own agents. */
export interface DelegationFilter extends Partial<PageRead> {
  readonly principalId?: string;
  readonly seller?: string;
  readonly reach?: Reach;
  /** `now` is the time that expiry is compared with. */
  readonly state?: { readonly is: 'active' | 'expired' | 'revoked'; readonly now: Instant };
  readonly sort?: ListSort;
}

/** The port for delegations in the database. */
export interface DelegationStore {
  grant(scope: TenantScope, delegation: Delegation): Promise<void>;
  /** Newest first unless the filter sets another order; the key is `[grantedAt, id]`. No limit returns all. */
  list(scope: TenantScope, filter: DelegationFilter): Promise<readonly DelegationStanding[]>;
  find(scope: TenantScope, id: string): Promise<DelegationStanding | undefined>;
  /** Returns false if the delegation does not exist or is already revoked. */
  revoke(scope: TenantScope, id: string, revocation: Revocation): Promise<boolean>;
}
