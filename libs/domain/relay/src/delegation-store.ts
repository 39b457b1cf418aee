import type { TenantScope } from '@switchyard/tenancy';
import type { Instant } from '@switchyard/values';
import type { Delegation, DelegationStanding } from './delegation.js';

export interface Revocation {
  readonly by: string;
  readonly reason?: string;
  readonly at: Instant;
}

/** What `relay` needs of the database about delegations. */
export interface DelegationStore {
  grant(scope: TenantScope, delegation: Delegation): Promise<void>;
  /** Newest first; all principals of the tenant where none is named. */
  list(scope: TenantScope, filter: { readonly principalId?: string }): Promise<readonly DelegationStanding[]>;
  find(scope: TenantScope, id: string): Promise<DelegationStanding | undefined>;
  /** False where it is not there, or was revoked before. */
  revoke(scope: TenantScope, id: string, revocation: Revocation): Promise<boolean>;
}
