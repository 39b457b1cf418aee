import type { RegistrationDraft } from './registration-draft.js';
import type { Operation, Leg, MediaBuy, SellerBuy, BuyPackage, BuyChange } from './operation.js';

/** An operation with all that belongs to it, as read under one lock. */
export interface OperationState {
  readonly operation: Operation;
  readonly legs: readonly Leg[];
  readonly buy?: MediaBuy;
  readonly sellerBuys: readonly SellerBuy[];
  readonly packages: readonly BuyPackage[];
  /** Changes to store with this state, without those already stored. */
  readonly changes?: readonly BuyChange[];
  /** Addresses to store with this state, for a leg that is encoded again. */
  readonly registrations?: readonly RegistrationDraft[];
}
