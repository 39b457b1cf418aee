import type { Brand } from '../brand/brand.js';

/** Reference to an account: an id that we (or the seller) issued, or the natural key. */
export type AccountRef =
  | { readonly accountId: string }
  | { readonly brand: Brand; readonly operator: string; readonly sandbox?: boolean };
