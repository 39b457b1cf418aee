import type { OpenStream, StreamHead } from '@switchyard/journal';
import type { ObjectFilter, TenantScope } from '@switchyard/tenancy';
import type { Instant, PageRead } from '@switchyard/values';
import type { LedgerEntry } from './entry/entry.js';
import type { Observation, ReportOutcome } from './report/observation.js';
import type { LedgerVerification, LedgerVerifyOptions } from './verify-ledger.js';

export interface PackageDelivered {
  readonly seller: string;
  readonly packageRef: string;
  readonly spendMicros: bigint;
  /** Absent where a report gave none. */
  readonly impressions?: bigint;
  /** When its seller last reported of it. */
  readonly asOf: Instant;
}

/** What the ledger needs of the database. `Tx` is the adapter's transaction, handed to work that has to commit with it. */
export interface LedgerStore<Tx = unknown> {
  /**
   * Applies a batch of reports in one transaction and one block, in the order given; one outcome per observation.
   *
   * One batch of an organization runs at a time. `alongside` runs in the same transaction, after the outcomes are
   * known: there the caller marks its inbox events. If it throws, nothing of the batch happened.
   */
  applyReports(
    scope: TenantScope,
    batch: readonly Observation[],
    options: {
      readonly now: Instant;
      readonly alongside?: (tx: Tx, outcomes: readonly ReportOutcome[]) => Promise<void>;
    },
  ): Promise<readonly ReportOutcome[]>;
  /**
   * Ties changes of commitments, and then assignments, that stand in no block yet to the end of the stream, oldest first
   * and at most `limit` of each, a block of each; answers how many. A change is tied once, however often and by however many this is called.
   */
  bookChanges(scope: TenantScope, now: Instant, limit: number): Promise<number>;
  /** Appends entries that rest on no report, as one block, inside the caller's transaction. */
  append(tx: Tx, entries: readonly LedgerEntry[], now: Instant): Promise<void>;
  /** What counts of one media buy of ours, by seller and the seller's own package id; '' is the whole seller buy. */
  deliveredBy(scope: TenantScope, mediaBuyId: string): Promise<readonly PackageDelivered[]>;
  /** The entries of one media buy of ours, oldest first; the key is `[id]`. None of a buy that is not in reach. */
  entriesOf(
    scope: TenantScope,
    mediaBuyId: string,
    of?: Partial<PageRead> & Pick<ObjectFilter, 'reach'>,
  ): Promise<readonly LedgerEntry[]>;
  /** Hands the whole stream to `read`, page by page, as one snapshot of the database shows it. */
  stream<T>(scope: TenantScope, read: (stream: OpenStream) => Promise<T>): Promise<T>;
  /** Where the organization's stream stands; the empty stream before its first entry. */
  head(scope: TenantScope): Promise<StreamHead>;
  /** Reads everything once, or what came after a checkpoint, in one snapshot, page by page. */
  verify(scope: TenantScope, options?: LedgerVerifyOptions): Promise<LedgerVerification>;
}
