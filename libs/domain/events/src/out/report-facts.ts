import type { MediaBuyStatus } from '@switchyard/protocol';
import type { Instant, JsonObject } from '@switchyard/values';
import type { BuyerRegistration } from './buyer-registration.js';

/** A currently counted figure: of one package of a seller, or of a seller's whole buy. */
export interface CountedFigure {
  readonly seller: string;
  /** The seller's own package id; empty for a figure of the whole buy. */
  readonly packageRef: string;
  readonly buyerRef?: string;
  /** The pricing model and the rate, a decimal, of a package that was bought at a fixed price. */
  readonly price?: { readonly model: string; readonly rate: string };
  /** Half-open, UTC. */
  readonly start: Instant;
  readonly end: Instant;
  readonly spendMicros: bigint;
  readonly impressions?: bigint;
  readonly clicks?: bigint;
  /** When it was received. */
  readonly seenAt: Instant;
}

/** The last report to a buyer on one period. */
export interface ReportedPeriod {
  readonly start: Instant;
  readonly end: Instant;
  readonly figuresHash: string;
}

/** The input of one plan of a report stream. */
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
  /** Whether the operation that creates the buy has ended. */
  readonly isSettled: boolean;
  /** Sellers that made their part of the buy or may still make it, and whether each has sent its last report. */
  readonly sellers: readonly { readonly seller: string; readonly hasEnded: boolean }[];
  readonly figures: readonly CountedFigure[];
  readonly reportedPeriods: readonly ReportedPeriod[];
  /** The last used number. */
  readonly sequenceNumber: number;
}
