import type { ListSort, Reach, TenantScope } from '@switchyard/tenancy';
import type { Instant, PageRead } from '@switchyard/values';
import type { Delegation, DelegationStanding } from './delegation.js';

export interface Revocation {
  readonly by: string;
  readonly reason?: string;
  readonly at: Instant;
}

/** What `relay` needs of the database about delegations. */
/** Which delegations a list shows. A reach of brands means the delegations of these brands' own agents. */
export interface DelegationFilter extends Partial<PageRead> {
  readonly principalId?: string;
  readonly seller?: string;
  readonly reach?: Reach;
  /** `now` decides what has expired. */
  readonly state?: { readonly is: 'active' | 'expired' | 'revoked'; readonly now: Instant };
  readonly sort?: ListSort;
}

export interface DelegationStore {
  grant(scope: TenantScope, delegation: Delegation): Promise<void>;
  /** Newest first unless the filter says otherwise; the key is `[grantedAt, id]`. All of them without a limit. */
  list(scope: TenantScope, filter: DelegationFilter): Promise<readonly DelegationStanding[]>;
  find(scope: TenantScope, id: string): Promise<DelegationStanding | undefined>;
  /** False where it is not there, or was revoked before. */
  revoke(scope: TenantScope, id: string, revocation: Revocation): Promise<boolean>;
}
