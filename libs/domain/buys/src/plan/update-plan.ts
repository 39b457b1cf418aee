import type { Finding, UpdateMediaBuyRequest } from '@switchyard/protocol';
import type { Connection } from '@switchyard/sellers';
import type { BuyerPaths } from '../apply/buyer-path.js';
import type { SellerBuy } from '../model/operation.js';
import type { PlannedPackage } from './planned-package.js';

export interface UpdatePlan {
  /** Empty where no seller has to be called: a paused buy that is paused again, or a new webhook address. */
  readonly changes: readonly PlannedChange[];
  readonly findings: readonly Finding[];
}

/** The change of one seller's part. The request has the seller's own ids. */
export interface PlannedChange {
  readonly connection: Connection;
  readonly sellerBuy: SellerBuy;
  readonly request: UpdateMediaBuyRequest;
  readonly added: readonly PlannedPackage[];
  readonly places: BuyerPaths;
}
