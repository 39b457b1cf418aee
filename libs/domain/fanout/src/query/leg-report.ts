import type { SellerRow } from '@switchyard/protocol';

/** What a leg says about itself; who it was and how long it took are added by the fan-out. */
export type LegReport<Value> = Omit<SellerRow, 'seller' | 'elapsed_ms'> & { readonly value?: Value };
