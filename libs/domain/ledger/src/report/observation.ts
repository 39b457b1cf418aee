import type { DeliveryReport, Finding } from '@switchyard/protocol';
import type { Instant } from '@switchyard/values';

export type ObservationSource = 'webhook' | 'pull';

/** Proof of a message. It is part of the entry that the message caused, and is retained longer than the bytes. */
export interface MessageEvidence {
  /** SHA-256 of the original bytes, in lower-case hex. */
  readonly sha256: string;
  /** The proven sender, never from the payload. */
  readonly sender: string;
  /** How the sender was proven: the mode of the address. */
  readonly proof: string;
  /** Id of the signing key; absent without a signature. */
  readonly keyid?: string;
}

/** A received delivery report, to be applied by the ledger. */
export interface Observation {
  readonly connectionId: string;
  readonly source: ObservationSource;
  /**
   * Id of the registered address (docs/protocol/webhooks-in.md#order). For pulls: any constant name per
   * connection.
   */
  readonly stream: string;
  readonly report: DeliveryReport;
  /** The seller's time: the envelope's timestamp. For a pull: when the answer arrived. */
  readonly reportedAt: Instant;
  readonly receivedAt: Instant;
  /** The inbox event that contained it. */
  readonly eventId?: string;
  /** Proof of the message that contained it. */
  readonly message?: MessageEvidence;
  /** The leg of the address. It tells a report that arrived before the answer about its buy from a foreign one. */
  readonly legId?: string;
  /** Set when a person admitted it from quarantine: it is then a stream of its own, and its order is not checked. */
  readonly admitted?: { readonly by: string; readonly reason: string };
}

export type QuarantineCode =
  | 'unknown_buy'
  | 'unknown_package'
  | 'currency_mismatch'
  | 'missing_period'
  | 'bad_period'
  | 'bad_time'
  | 'bad_amount'
  | 'negative_amount'
  | 'absurd_amount'
  | 'beyond_budget'
  | 'bad_text'
  | 'repeated_row'
  | 'after_final'
  | 'sequence_behind_time'
  | 'crosses_month';

export interface QuarantineReason {
  readonly code: QuarantineCode;
  readonly message: string;
  /** Path in the normalised report. */
  readonly field?: string;
}

/**
 * The outcome of one observation.
 *
 * `applied`: recorded, and posted if it changed a sum. `duplicate`: already recorded. `nothing`: valid, but
 * without figures. `deferred`: its buy has not been answered yet; try again later. `quarantined`: authentic
 * but wrong; nothing was recorded.
 */
export type ReportOutcome =
  | {
      readonly kind: 'applied';
      readonly entryIds: readonly string[];
      readonly versions: number;
      readonly findings: readonly Finding[];
    }
  | { readonly kind: 'duplicate' | 'nothing'; readonly findings: readonly Finding[] }
  | { readonly kind: 'deferred' }
  | { readonly kind: 'quarantined'; readonly reasons: readonly QuarantineReason[] };
