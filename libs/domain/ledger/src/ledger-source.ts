import type { Block, StreamHead } from '@switchyard/journal';
import type { EntryRow, PostingRow } from './entry/audit-entry.js';
import type { StoredVersion } from './report/report-version.js';
import type { AssignmentRow } from './entry/assignment-entry.js';
import type { ChangeRow } from './entry/commitment-entry.js';
import type { LimitSum } from './limit-sum.js';
import type { Balance } from './spend.js';
import type { JsonObject } from '@switchyard/values';

/** One stored block with the rows of its entries in order, their postings, and the versions in their bodies. */
export interface LedgerPage {
  readonly block: Block;
  /** Number of entries in the block's own row. */
  readonly entryCount: number;
  readonly rows: readonly EntryRow[];
  readonly postings: readonly PostingRow[];
  readonly versions: readonly StoredVersion[];
}

/** The checked data of one organization, from one snapshot of the database. */
export interface LedgerSource {
  readonly head: StreamHead;
  /** Set if the beginning is archived: the blocks up to its head have no entries in the tables. */
  readonly archive?: LedgerArchive;
  /** Blocks after this number, in order. */
  pages(after: bigint): AsyncIterable<LedgerPage>;
  balances(): AsyncIterable<Balance>;
  /** The balances added up over all days. */
  totals(): Promise<readonly Omit<Balance, 'day'>[]>;
  /** All changes of commitments, including those in no block yet. */
  changes(): AsyncIterable<ChangeRow>;
  changesNamed(ids: readonly string[]): AsyncIterable<ChangeRow>;
  /** Assignments of buys to campaigns in the chain, or only those with these ids. */
  assignments(ids?: readonly string[]): AsyncIterable<AssignmentRow>;
  /** The running sums of counted spend. */
  spent(): AsyncIterable<SpentOnPackage>;
  counts(): Promise<LedgerCounts>;
  /** Packages whose sums by day differ from the texts of the entries. Requires intact texts. */
  packagesThatDiffer(): AsyncIterable<string>;
  /** The stored sums of packages by month and day. */
  packageMonths(): AsyncIterable<PackageMonth>;
  /** What counts against each spending limit beside what is booked of its buys. */
  limitSums(): Promise<readonly LimitSum[]>;
}

/** Number of stored rows, so that a row outside of all blocks is detected. */
export interface LedgerCounts {
  readonly entries: bigint;
  readonly postings: bigint;
  readonly versions: bigint;
}

/** The stored sums of one package in one month. */
export interface PackageMonth {
  readonly sellerBuyId: string;
  readonly mediaBuyId: string;
  readonly seller: string;
  readonly packageRef: string;
  readonly currency: string;
  /** `YYYY-MM`. */
  readonly month: string;
  readonly amountMicros: bigint;
  /** In micros; day 1 is first, null if nothing was booked. */
  readonly days: readonly (bigint | null)[];
}

/** The counted spend of one package of a seller buy, over all time. */
export interface SpentOnPackage {
  readonly sellerBuyId: string;
  readonly packageRef: string;
  readonly spendMicros: bigint;
}

/**
 * The archived beginning of an organization's ledger: its entries are in files and no longer in the tables
 * (docs/ledger.md#archive).
 */
export interface LedgerArchive {
  /** The first month that is not archived, `YYYY-MM`. */
  readonly before: string;
  /** The last archived block. */
  readonly head: StreamHead;
  /** Sums of all archived entries: micros by account, seller and currency. */
  readonly sums: JsonObject;
}
