/** A buyer's account with us: the pair of an advertiser and who acts for it (docs/protocol/accounts.md#two-planes). */
export interface DeclaredAccount {
  /** UUID: the `account_id` that we issued. */
  readonly id: string;
  /** The advertiser's domain, lower case. */
  readonly brandDomain: string;
  /** Empty where the brand has one identity only. */
  readonly brandId: string;
  /** The operator's domain, lower case. */
  readonly operator: string;
  /** What an admin holds it back for; absent: it is active. */
  readonly hold?: AccountHold;
}

/** Why an open account is not active, as its buyers are told. */
export type AccountHold = 'payment_required' | 'suspended';
