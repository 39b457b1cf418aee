import type { JsonObject } from '@switchyard/values';

/** A seller's proposal bought as a whole: its allocations share the total, and packages beside it only override them. */
export interface ProposalPurchase {
  readonly proposalId: string;
  readonly totalBudget: {
    /** Decimal text in major units. */
    readonly amount: string;
    /** ISO 4217. */
    readonly currency: string;
  };
  /** That somebody accepted the proposal's insertion order: `io_id`, `accepted_at`, `signatory`, perhaps more. */
  readonly ioAcceptance?: JsonObject;
}
