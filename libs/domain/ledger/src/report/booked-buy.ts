import type { Instant } from '@switchyard/values';

/** A seller's buy as the ledger needs to know it: enough to tell a right report from a wrong one. */
export interface BookedBuy {
  readonly sellerBuyId: string;
  readonly mediaBuyId: string;
  readonly operationId: string;
  readonly connectionId: string;
  /** The seller's slug. */
  readonly seller: string;
  /** The seller's own id. */
  readonly sellerMediaBuyId: string;
  /** ISO 4217; one per buy. */
  readonly currency: string;
  readonly packages: readonly BookedPackage[];
  /** Streams whose last report was seen. */
  readonly ended: readonly StreamEnd[];
}

export interface BookedPackage {
  /** The seller's own package id; absent until it said so. */
  readonly ref?: string;
  readonly buyerRef?: string;
  readonly budgetMicros: bigint;
}

/** The `final` report of a stream. Without `stream`, it is not known which one ended: then all did. */
export interface StreamEnd {
  readonly stream?: string;
  readonly sequenceNumber?: number;
  readonly reportedAt: Instant;
}
