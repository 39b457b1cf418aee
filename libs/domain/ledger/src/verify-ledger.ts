import { verifyStream, type Anchor, type Block, type StreamHead } from '@switchyard/journal';
import type { ChangeRow } from './commitment-entry.js';
import type { EntryRow, PostingRow } from './audit-entry.js';
import { LedgerAudit, type LedgerProblem } from './ledger-audit.js';
import type { StoredVersion } from './report-version.js';
import type { Balance } from './spend.js';

export interface LedgerVerification {
  readonly ok: boolean;
  /** Entries that are stored. */
  readonly entries: bigint;
  readonly head: StreamHead;
  /** The first hundred. */
  readonly problems: readonly LedgerProblem[];
  readonly problemTotal: number;
}

/** One stored block with its entries' rows in their order, their postings, and the versions that their bodies name. */
export interface LedgerPage {
  readonly block: Block;
  /** How many entries the block's own row speaks of. */
  readonly entryCount: number;
  readonly rows: readonly EntryRow[];
  readonly postings: readonly PostingRow[];
  readonly versions: readonly StoredVersion[];
}

/** What counts of one package of a seller buy, over all time. */
export interface SpentOnPackage {
  readonly sellerBuyId: string;
  readonly packageRef: string;
  readonly spendMicros: bigint;
}

/** How many rows are stored, so that one which no block reaches is missed. */
export interface LedgerCounts {
  readonly entries: bigint;
  readonly postings: bigint;
  readonly versions: bigint;
}

/** Everything that is checked, of one organization, as one snapshot of the database shows it. */
export interface LedgerSource {
  readonly head: StreamHead;
  /** Blocks in the order of their numbers. */
  pages(): AsyncIterable<LedgerPage>;
  balances(): AsyncIterable<Balance>;
  /** Changes of commitments, those that stand in no block yet included. */
  changes(): AsyncIterable<ChangeRow>;
  /** The running sums of what counts. */
  spent(): AsyncIterable<SpentOnPackage>;
  counts(): Promise<LedgerCounts>;
}

/**
 * Checks a whole ledger: the chain verifies up to the head; every row is what its hashed entry says; every entry
 * balances; balances are the sums of postings; and for every seller buy the figures that count are those that the
 * entries say, add up to what was posted, and to the running sums of its packages; changes of commitments are what
 * their entries say.
 *
 * After a fault in the chain the other checks still run, so that whoever has to repair it sees what else was touched.
 * `anchors` are remembered blocks, as for `verifyStream`.
 */
export async function verifyLedger(
  source: LedgerSource,
  anchors: readonly Anchor[] = [],
): Promise<LedgerVerification> {
  const audit = new LedgerAudit();
  const pages = source.pages()[Symbol.asyncIterator]();
  const next = async (): Promise<IteratorResult<Block>> => {
    const step = await pages.next();
    if (step.done === true) return { done: true, value: undefined };
    audit.page(step.value);
    return { done: false, value: step.value.block };
  };
  // Without `return`, so that the walk over the pages survives the verifier's stop at the first fault.
  const chain = await verifyStream({ [Symbol.asyncIterator]: () => ({ next }) }, source.head, anchors);
  if (!chain.ok) audit.chainFault(chain);
  while ((await next()).done !== true);

  const counts = await source.counts();
  audit.compareCounts(counts);
  for await (const balance of source.balances()) audit.compareBalance(balance);
  for await (const spent of source.spent()) audit.compareSpent(spent);
  for await (const change of source.changes()) audit.compareChange(change);
  const { problems, total } = audit.finish();
  return { ok: total === 0, entries: counts.entries, head: source.head, problems, problemTotal: total };
}
