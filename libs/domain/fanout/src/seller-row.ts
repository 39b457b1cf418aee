export type SellerRowStatus = 'answered' | 'slow' | 'refused' | 'failed' | 'skipped';

/** What happened at one seller that could have been asked (ruling 12). Member names are those of the wire. */
export interface SellerRow {
  readonly seller: string;
  readonly status: SellerRowStatus;
  /** In words, for people. Holds no text of the seller beyond a short, cleaned message. */
  readonly reason: string;
  readonly code?: string;
  readonly elapsed_ms: number;
  readonly items: number;
}

/** What a leg says about itself; who it was and how long it took are added by the fan-out. */
export type LegReport<Value> = Omit<SellerRow, 'seller' | 'elapsed_ms'> & { readonly value?: Value };
