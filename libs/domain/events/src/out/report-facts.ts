import type { MediaBuyStatus } from '@switchyard/protocol';
import type { Instant, JsonObject } from '@switchyard/values';
import type { BuyerRegistration } from './buyer-registration.js';

/** One figure that counts in the books at present: of one package of one seller, or of a seller's whole buy. */
export interface CountedFigure {
  readonly seller: string;
  /** The seller's own package id; empty for a figure of its whole buy. */
  readonly packageRef: string;
  readonly buyerRef?: string;
  /** Half-open, UTC. */
  readonly start: Instant;
  readonly end: Instant;
  readonly spendMicros: bigint;
  readonly impressions?: bigint;
  readonly clicks?: bigint;
  /** When we learnt it. */
  readonly seenAt: Instant;
}

/** What a buyer was last told of one period. */
export interface ReportedPeriod {
  readonly start: Instant;
  readonly end: Instant;
  readonly figuresHash: string;
}

/** Everything that one look at one report stream is decided on. */
export interface ReportFacts {
  readonly registration: BuyerRegistration;
  readonly taskId: string;
  readonly context?: JsonObject;
  readonly buy: {
    readonly id: string;
    readonly buyerRef?: string;
    readonly status: MediaBuyStatus;
    readonly currency: string;
    /** RFC 3339. */
    readonly startTime: string;
    readonly endTime: string;
    readonly updatedAt: Instant;
  };
  /** The operation that was to make the buy has come to its end. */
  readonly isSettled: boolean;
  /** Sellers that made their part of the buy or may still make it, and whether each has sent its last report. */
  readonly sellers: readonly { readonly seller: string; readonly hasEnded: boolean }[];
  readonly figures: readonly CountedFigure[];
  readonly reportedPeriods: readonly ReportedPeriod[];
  /** The last number that was used. */
  readonly sequenceNumber: number;
}
