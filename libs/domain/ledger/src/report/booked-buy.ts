import type { Instant } from '@switchyard/values';

/** A seller's buy with what the ledger needs to check reports. */
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
  /** Time zones that were said for its seller, account or products, by weight: IANA names. */
  readonly zones?: readonly string[];
  /** What becomes of a figure over the end of a month; split unless set. */
  readonly longPeriods?: LongPeriods;
  /** Streams whose last report has arrived. */
  readonly ended: readonly StreamEnd[];
}

export type LongPeriods = 'split' | 'hold';

export interface BookedPackage {
  /** The seller's own package id; absent until reported. */
  readonly ref?: string;
  readonly buyerRef?: string;
  readonly budgetMicros: bigint;
}

/** The `final` report of a stream. Without `stream` the stream is unknown: then all have ended. */
export interface StreamEnd {
  readonly stream?: string;
  readonly sequenceNumber?: number;
  readonly reportedAt: Instant;
}
