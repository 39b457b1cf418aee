import type { DeliveryReport, Finding } from '@switchyard/protocol';
import type { Instant } from '@switchyard/values';

export type ObservationSource = 'webhook' | 'pull';

/** What proves a message: it stands in the entry that the message caused, and outlives the bytes. */
export interface MessageEvidence {
  /** SHA-256 of the bytes as they came, in lower-case hex. */
  readonly sha256: string;
  /** Whom the proof names: never from the payload. */
  readonly sender: string;
  /** How the sender was proved, as it was agreed for the address. */
  readonly proof: string;
  /** Of the key that signed; absent where none did. */
  readonly keyid?: string;
}

/** One delivery report as it reached us: what the ledger is asked to apply. */
export interface Observation {
  readonly connectionId: string;
  readonly source: ObservationSource;
  /**
   * One registered address (docs/protocol/webhooks-in.md#order): its id. Of pulls: any name that stays the same for one
   * connection.
   */
  readonly stream: string;
  readonly report: DeliveryReport;
  /** When the seller said it: the envelope's timestamp. Of a pull: when the answer came. */
  readonly reportedAt: Instant;
  readonly receivedAt: Instant;
  /** The inbox event that carried it. */
  readonly eventId?: string;
  /** Of the message that carried it. */
  readonly message?: MessageEvidence;
  /** The leg that the address was made for: tells a report that came before its buy was answered from a stranger's. */
  readonly legId?: string;
  /** Set when a person admitted it from quarantine: it then counts as a stream of its own, and order is not judged. */
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
  | 'sequence_behind_time';

export interface QuarantineReason {
  readonly code: QuarantineCode;
  readonly message: string;
  /** Where in the report, as a JSON-like path of the normalised shape. */
  readonly field?: string;
}

/**
 * What became of one observation.
 *
 * `applied`: recorded, and posted as far as it changed a sum. `duplicate`: says what is already recorded. `nothing`:
 * in order, and without any figure to record. `deferred`: its buy has not been answered yet; ask again later.
 * `quarantined`: authentic and wrong; nothing of it was recorded.
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
