import { verifyStream, type Anchor, type Checkpoint, type StreamHead } from '@switchyard/journal';
import type { JsonObject } from '@switchyard/values';
import type { LedgerArchive } from './ledger-source.js';
import { auditPages, LedgerAudit, type LedgerProblem } from './ledger-audit.js';
import type { LedgerSource } from './ledger-source.js';

export interface LedgerVerification {
  readonly ok: boolean;
  /** Number of stored entries. */
  readonly entries: bigint;
  readonly head: StreamHead;
  /** The first hundred. */
  readonly problems: readonly LedgerProblem[];
  readonly problemTotal: number;
  /** Content for a checkpoint at this head: micros by account, seller and currency. */
  readonly sums: JsonObject;
  /** Set if the beginning of the ledger is archived: it was not read. */
  readonly archive?: LedgerArchive;
  /** Number of anchors in the archived part, which were not compared. Set with `archive`. */
  readonly uncheckedAnchors?: number;
}

export interface LedgerVerifyOptions {
  readonly anchors?: readonly Anchor[];
  readonly since?: Checkpoint;
}

/**
 * Verifies a whole ledger: the chain up to the head; every row against its hashed entry; the balance of every entry;
 * balances against the sums of postings; for every seller buy the counted figures against the entries, the posted
 * amounts and the running sums of its packages; changes of commitments and assignments against their entries; the
 * spending limits against what is booked of their buys.
 *
 * After a fault in the chain the other checks still run, so that all damage is found. `anchors` as in `verifyStream`.
 *
 * With `since`, only what came after that checkpoint is read: the chain from there to the head, its entries, their
 * rows and changes, and the balances added up by seller. Earlier rows, and sums of single days and packages, are not.
 * An archive of the source is such a checkpoint too: where it is the later one, reading begins there.
 */
export async function verifyLedger(
  source: LedgerSource,
  { anchors = [], since: from }: LedgerVerifyOptions = {},
): Promise<LedgerVerification> {
  const audit = new LedgerAudit();
  const { archive } = source;
  const since = archive !== undefined && archive.head.number > (from?.head.number ?? 0n) ? archive : from;
  const first = since?.head.number ?? 0n;
  const wanted = anchors.filter(({ number }) => number > first);
  await auditPages(audit, source.pages(first), (blocks) =>
    verifyStream(blocks, source.head, wanted, since?.head),
  );

  const sums = audit.totals(since?.sums);
  const entries = since === undefined ? await compareWhole(source, audit) : source.head.entryTotal;
  if (since !== undefined) {
    audit.compareTotals(await source.totals(), sums);
    for await (const change of source.changesNamed(audit.changeIds())) audit.compareChange(change);
    for await (const assignment of source.assignments(audit.assignmentIds()))
      audit.compareAssignment(assignment);
  }
  if (since === undefined) audit.compareLeft();
  if (since === undefined && audit.isClean())
    for await (const at of source.packagesThatDiffer()) audit.packageDiffers(at);
  for (const sum of await source.limitSums()) audit.compareLimit(sum);
  const { problems, total } = audit.finish();
  return {
    ok: total === 0,
    entries,
    head: source.head,
    problems,
    problemTotal: total,
    sums,
    ...(archive === undefined
      ? {}
      : { archive, uncheckedAnchors: anchors.filter(({ number }) => number <= archive.head.number).length }),
  };
}

/** The comparisons of a ledger that was read from its first entry. Returns the number of stored entries. */
async function compareWhole(source: LedgerSource, audit: LedgerAudit): Promise<bigint> {
  const counts = await source.counts();
  audit.compareCounts(counts);
  for await (const balance of source.balances()) audit.compareBalance(balance);
  for await (const spent of source.spent()) audit.compareSpent(spent);
  for await (const change of source.changes()) audit.compareChange(change);
  for await (const assignment of source.assignments()) audit.compareAssignment(assignment);
  return counts.entries;
}
