import type { Micros } from '@switchyard/money';
import type { Instant } from '@switchyard/values';
import type { TenantScope } from '@switchyard/tenancy';

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

/** Whether it is in force at an instant. */
export const isActive = ({ revokedAt, until }: Delegation, at: Instant): boolean =>
  (revokedAt === undefined || at < revokedAt) && at < until;

/** The port for delegations in the database. */
export interface DelegationStore {
  grant(scope: TenantScope, delegation: Delegation): Promise<void>;
  /** All, or those of one principal; the newest first. */
  list(scope: TenantScope, of: { readonly principalId?: string }): Promise<readonly DelegationStanding[]>;
  find(scope: TenantScope, id: string): Promise<DelegationStanding | undefined>;
  /** Returns false if the delegation does not exist or is already revoked. */
  revoke(scope: TenantScope, id: string, revocation: Revocation): Promise<boolean>;
}
