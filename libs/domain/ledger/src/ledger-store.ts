import type { OpenStream, StreamHead } from '@switchyard/journal';
import type { ListSort, ObjectFilter, TenantScope } from '@switchyard/tenancy';
import type { Instant, PageRead } from '@switchyard/values';
import type { LedgerArchive } from './ledger-source.js';
import type { LedgerEntry } from './entry/entry.js';
import type { Observation, ReportOutcome } from './report/observation.js';
import type { LedgerVerification, LedgerVerifyOptions } from './verify-ledger.js';

export interface PackageDelivered {
  readonly seller: string;
  readonly packageRef: string;
  readonly spendMicros: bigint;
  /** Absent where a report had none. */
  readonly impressions?: bigint;
  /** Time of the seller's last report on it. */
  readonly asOf: Instant;
}

/** A figure as a report has it. */
export interface ReportedFigure {
  readonly spendMicros: bigint;
  readonly impressions: bigint | null;
  readonly clicks: bigint | null;
  readonly notificationType: string;
  readonly isFinal: boolean | null;
}

/** A figure that a report would record, beside what counts now for the same package and time. */
export interface FigureChange {
  readonly mediaBuyId: string;
  readonly seller: string;
  /** The seller's package id; empty for a figure of the whole buy. */
  readonly packageRef: string;
  /** Half-open. */
  readonly periodStart: Instant;
  readonly periodEnd: Instant;
  readonly currency: string;
  readonly before?: ReportedFigure;
  readonly after: ReportedFigure;
}

/** What a report would change if it were applied now. */
export interface ReportPreview {
  readonly outcome: ReportOutcome;
  readonly changes: readonly FigureChange[];
  /** The booked spend of buys by month that would differ. */
  readonly books: readonly {
    readonly mediaBuyId: string;
    readonly seller: string;
    /** `YYYY-MM` */
    readonly month: string;
    readonly currency: string;
    readonly beforeMicros: bigint;
    readonly afterMicros: bigint;
  }[];
}

export interface EntryFilter extends Partial<PageRead>, Pick<ObjectFilter, 'reach'> {
  /** Oldest first unless set. */
  readonly sort?: ListSort;
}

/** Database functions of the ledger. `Tx` is the adapter's transaction, passed to work that must commit with it. */
export interface LedgerStore<Tx = unknown> {
  /**
   * Applies a batch of reports in one transaction and one block, in the given order; one outcome per observation.
   *
   * Only one batch of an organization runs at a time. `alongside` runs in the same transaction, after the outcomes
   * are known; the caller marks its inbox events there. If it throws, the whole batch is rolled back.
   */
  applyReports(
    scope: TenantScope,
    batch: readonly Observation[],
    options: {
      readonly now: Instant;
      readonly alongside?: (tx: Tx, outcomes: readonly ReportOutcome[]) => Promise<void>;
    },
  ): Promise<readonly ReportOutcome[]>;
  /** What a report would change. It writes nothing, and nobody waits for it. */
  preview(scope: TenantScope, report: Observation, now: Instant): Promise<ReportPreview>;
  /**
   * Appends changes of commitments, and then assignments, that are in no block yet, oldest first, at most `limit` of
   * each, in one block each. Returns their number. A change is appended once, even with repeated or concurrent calls.
   */
  bookChanges(scope: TenantScope, now: Instant, limit: number): Promise<number>;
  /** Appends entries that are not based on a report, as one block, inside the caller's transaction. */
  append(tx: Tx, entries: readonly LedgerEntry[], now: Instant): Promise<void>;
  /** The counted figures of a media buy, by seller and the seller's own package id; '' is the whole seller buy. */
  deliveredBy(scope: TenantScope, mediaBuyId: string): Promise<readonly PackageDelivered[]>;
  /** The entries of a media buy, by the time of their booking; the page key is `[id]`. Empty for a buy that is not in reach. */
  entriesOf(scope: TenantScope, mediaBuyId: string, of?: EntryFilter): Promise<readonly LedgerEntry[]>;
  /** Passes the whole stream to `read`, page by page, from one snapshot of the database. */
  stream<T>(scope: TenantScope, read: (stream: OpenStream) => Promise<T>): Promise<T>;
  /** The head of the organization's stream; the empty stream before its first entry. */
  head(scope: TenantScope): Promise<StreamHead>;
  /** The newest archive: the entries up to its head are in files. Absent if nothing is archived. */
  archive(scope: TenantScope): Promise<LedgerArchive | undefined>;
  /** Verifies the whole ledger, or what came after a checkpoint, in one snapshot, page by page. */
  verify(scope: TenantScope, options?: LedgerVerifyOptions): Promise<LedgerVerification>;
}
