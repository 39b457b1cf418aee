import type { Micros } from '@switchyard/money';
import type { Instant, PageRead } from '@switchyard/values';
import type { ListSort, Reach, TenantScope } from '@switchyard/tenancy';

/**
 * What the relay may do for a brand's principal at one seller: which tasks, until when, and up to which budget. A
 * delegation is checked against each request. It is not a credential: its id proves nothing.
 */
export interface Delegation {
  readonly id: string;
  readonly organizationId: string;
  /** The principal in whose name the relay acts. */
  readonly principalId: string;
  /** Slug of the seller's connection. */
  readonly seller: string;
  /** Canonical task names, at least one. */
  readonly tasks: readonly string[];
  readonly grantedAt: Instant;
  /** The delegation is invalid from this instant on. */
  readonly until: Instant;
  /** Limit for the sum of all buys under the delegation; absent if there is no limit. */
  readonly budget?: { readonly ceiling: Micros; readonly currency: string };
  readonly revokedAt?: Instant;
  /** Who granted it: the principal itself, or an admin, who records the evidence of his authority. */
  readonly grantedBy: { readonly principalId: string; readonly evidence?: string };
}

/** A delegation with the amount committed under it so far, in its own currency. */
export interface DelegationStanding {
  readonly delegation: Delegation;
  readonly committed: Micros;
}

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
