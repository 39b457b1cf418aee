import { verifyStream, type Anchor, type Block, type Checkpoint, type StreamHead } from '@switchyard/journal';
import type { JsonObject } from '@switchyard/values';
import type { ChangeRow } from './entry/commitment-entry.js';
import type { AssignmentRow } from './entry/assignment-entry.js';
import type { EntryRow, PostingRow } from './entry/audit-entry.js';
import { LedgerAudit, type LedgerProblem } from './ledger-audit.js';
import type { StoredVersion } from './report/report-version.js';
import type { Balance } from './spend.js';

export interface LedgerVerification {
  readonly ok: boolean;
  /** Entries that are stored. */
  readonly entries: bigint;
  readonly head: StreamHead;
  /** The first hundred. */
  readonly problems: readonly LedgerProblem[];
  readonly problemTotal: number;
  /** What a checkpoint at this head holds: micros by account, seller and currency. */
  readonly sums: JsonObject;
}

export interface LedgerVerifyOptions {
  readonly anchors?: readonly Anchor[];
  readonly since?: Checkpoint;
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
  /** Blocks beyond this number, in order. */
  pages(after: bigint): AsyncIterable<LedgerPage>;
  balances(): AsyncIterable<Balance>;
  /** The same added up over all days. */
  totals(): Promise<readonly Omit<Balance, 'day'>[]>;
  /** Changes of commitments, those that stand in no block yet included. */
  changes(): AsyncIterable<ChangeRow>;
  changesNamed(ids: readonly string[]): AsyncIterable<ChangeRow>;
  /** Assignments of buys to campaigns that stand in the chain, or only those of these ids. */
  assignments(ids?: readonly string[]): AsyncIterable<AssignmentRow>;
  /** The running sums of what counts. */
  spent(): AsyncIterable<SpentOnPackage>;
  counts(): Promise<LedgerCounts>;
  /** Packages whose sums by day are not what the texts of the entries add up to. Needs texts that are whole. */
  packagesThatDiffer(): AsyncIterable<string>;
}

/**
 * Checks a whole ledger: the chain verifies up to the head; every row is what its hashed entry says; every entry
 * balances; balances are the sums of postings; and for every seller buy the figures that count are those that the
 * entries say, add up to what was posted, and to the running sums of its packages; changes of commitments and
 * assignments are what their entries say.
 *
 * After a fault in the chain the other checks still run, so that whoever has to repair it sees what else was touched.
 * `anchors` are remembered blocks, as for `verifyStream`.
 *
 * With `since` only what came after that checkpoint is read: the chain from there to the head, its entries, their rows
 * and changes, and the balances added up by seller. Rows before it, and sums of single days and packages, are not.
 */
export async function verifyLedger(
  source: LedgerSource,
  { anchors = [], since }: LedgerVerifyOptions = {},
): Promise<LedgerVerification> {
  const audit = new LedgerAudit();
  const pages = source.pages(since?.head.number ?? 0n)[Symbol.asyncIterator]();
  const next = async (): Promise<IteratorResult<Block>> => {
    const step = await pages.next();
    if (step.done === true) return { done: true, value: undefined };
    audit.page(step.value);
    return { done: false, value: step.value.block };
  };
  // Without `return`, so that the walk over the pages survives the verifier's stop at the first fault.
  const blocks = { [Symbol.asyncIterator]: () => ({ next }) };
  const chain = await verifyStream(blocks, source.head, anchors, since?.head);
  if (!chain.ok) audit.chainFault(chain);
  while ((await next()).done !== true);

  const sums = audit.totals(since?.sums);
  const entries = since === undefined ? await compareWhole(source, audit) : source.head.entryTotal;
  if (since !== undefined) {
    audit.compareTotals(await source.totals(), sums);
    for await (const change of source.changesNamed(audit.changeIds())) audit.compareChange(change);
    for await (const one of source.assignments(audit.assignmentIds())) audit.compareAssignment(one);
  }
  if (since === undefined) audit.compareLeft();
  if (since === undefined && audit.isClean())
    for await (const at of source.packagesThatDiffer()) audit.packageDiffers(at);
  const { problems, total } = audit.finish();
  return { ok: total === 0, entries, head: source.head, problems, problemTotal: total, sums };
}

/** What can be said of a ledger that was read from its first entry. Answers how many entries are stored. */
async function compareWhole(source: LedgerSource, audit: LedgerAudit): Promise<bigint> {
  const counts = await source.counts();
  audit.compareCounts(counts);
  for await (const balance of source.balances()) audit.compareBalance(balance);
  for await (const spent of source.spent()) audit.compareSpent(spent);
  for await (const change of source.changes()) audit.compareChange(change);
  for await (const one of source.assignments()) audit.compareAssignment(one);
  return counts.entries;
}
