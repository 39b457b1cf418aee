import type { SellerRow } from '@switchyard/protocol';

/** The result of a leg; the fan-out adds its seller and duration. */
export type LegReport<Value> = Omit<SellerRow, 'seller' | 'elapsed_ms'> & { readonly value?: Value };
