/** A buyer's account with us: an advertiser and the operator that acts for it (docs/protocol/accounts.md#two-planes). */
export interface DeclaredAccount {
  /** UUID: the `account_id` that we issued. */
  readonly id: string;
  /** The advertiser's domain, lower case. */
  readonly brandDomain: string;
  /** Empty if the brand has only one identity. */
  readonly brandId: string;
  /** The operator's domain, lower case. */
  readonly operator: string;
  /** Why an admin holds the account; absent if it is active. */
  readonly hold?: AccountHold;
}

/** Why an open account is not active, as reported to its buyers. */
export type AccountHold = 'payment_required' | 'suspended';
