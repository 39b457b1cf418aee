import type { Micros } from '@switchyard/money';
import type { Instant } from '@switchyard/values';

/**
 * What a brand's principal lets this relay do in its name at one seller: which tasks, until when, for how much.
 *
 * It is a right that a request is checked against, never a credential: holding its id proves nothing.
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
  /** First instant at which it no longer holds. */
  readonly until: Instant;
  /** Ceiling of the sum of all buys under it; absent: none was set. */
  readonly budget?: { readonly ceiling: Micros; readonly currency: string };
  readonly revokedAt?: Instant;
  /** Who granted it: the principal itself, or an admin who noted what shows that he may. */
  readonly grantedBy: { readonly principalId: string; readonly evidence?: string };
}

/** A delegation with what was committed under it so far, in its own currency. */
export interface DelegationStanding {
  readonly delegation: Delegation;
  readonly committed: Micros;
}
