import type { PackageRequest } from '@switchyard/protocol';
import type { Offer, OfferedPrice } from '../model/offer.js';
import type { Connection } from '@switchyard/sellers';

export interface PlannedPackage {
  readonly position: number;
  /** As requested, with the seller's own product id. */
  readonly request: PackageRequest;
  readonly offer: Offer;
  readonly price: OfferedPrice;
  readonly budgetMicros: bigint;
  readonly bidMicros?: bigint;
  /** True where the package comes from an allocation of a proposal and not from the buyer. */
  readonly isDerived?: boolean;
}

/** The input of the plan: the connections, and what their sellers quoted. */
export interface MarketKnowledge {
  readonly connections: ReadonlyMap<string, Connection>;
  /** By prefixed product id. */
  readonly offers: ReadonlyMap<string, Offer>;
  /** Slugs of sellers that were queried for a product and returned no catalogue. */
  readonly silent?: ReadonlySet<string>;
}
