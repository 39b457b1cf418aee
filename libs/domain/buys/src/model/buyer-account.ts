/** An account towards buyers: the pair of advertiser and operator (docs/protocol/accounts.md#two-planes). */
export interface BuyerAccount {
  readonly brandDomain: string;
  /** Empty where the domain has one brand only. */
  readonly brandId: string;
  readonly operator: string;
}
