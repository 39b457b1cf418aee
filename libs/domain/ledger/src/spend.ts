/** The debt to one seller in one currency. */
export interface SellerSpend {
  readonly seller: string;
  readonly currency: string;
  readonly spendMicros: bigint;
  /** The same as decimal text in major units. */
  readonly spend: string;
}

/** A running sum of postings. */
export interface Balance {
  readonly account: string;
  readonly seller: string;
  readonly day: string;
  readonly currency: string;
  readonly amountMicros: bigint;
}

/** The amount of an entry for one package on one day: its postings are the sums of these. */
export interface PackageMove {
  readonly sellerBuyId: string;
  readonly mediaBuyId: string;
  readonly seller: string;
  readonly packageRef: string;
  readonly day: string;
  readonly currency: string;
  readonly amountMicros: bigint;
}
