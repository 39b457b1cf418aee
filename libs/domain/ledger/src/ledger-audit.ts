import type { Block, StreamVerdict } from '@switchyard/journal';
import { canonicalJson, isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';
import { assignmentFacts, type AssignmentRow } from './entry/assignment-entry.js';
import { auditEntry, versionsOf, type EntryProblemCode, type PostingRow } from './entry/audit-entry.js';
import { changeFacts, type ChangeRow } from './entry/commitment-entry.js';
import type { EntryBody } from './entry/entry-body.js';
import { groupBy } from './group-by.js';
import { isBelowBooked, type LimitSum } from './limit-sum.js';
import type { StoredVersion } from './report/report-version.js';
import type { Balance } from './spend.js';
import type { SpentOnPackage } from './ledger-source.js';
import type { LedgerCounts } from './ledger-source.js';
import type { LedgerPage } from './ledger-source.js';

type LedgerProblemCode =
  | EntryProblemCode
  /** The stream of blocks is not valid. */
  | 'chain'
  /** There are more or fewer rows than the entries of the chain name. */
  | 'rows_differ'
  /** A running sum is not the sum of its postings. */
  | 'balance_differs'
  /** The counted figures differ from the entries, or from the posted sum. */
  | 'counted_differs'
  /** A package's running sum differs from its counted figures. */
  | 'spent_differs'
  /** The stored checkpoint was not made by this installation. */
  | 'checkpoint'
  /** An assignment of a buy differs from its entry, or one of the two is missing. */
  | 'assignment_differs'
  /** A change of a commitment differs from its entry, or one of the two is missing. */
  | 'change_differs'
  /** Less counts against a spending limit than is booked of its buys. */
  | 'limit_below_booked';

export interface LedgerProblem {
  readonly code: LedgerProblemCode;
  readonly message: string;
  /** An id, a block's number or the key of a sum. */
  readonly at: string;
}

/** Maximum number of returned problems; the others are only counted. */
const problemsShown = 100;

interface BuySums {
  /** Sum of `media_spend`, from the entries. */
  posted: bigint;
  /** Sum of the versions that are marked as counting. */
  counted: bigint;
  /** Ids of counting versions as numbers: sum of the entries minus sum of the rows. Zero where both agree. */
  idBalance: bigint;
}

/** Collects the results of one verification of a ledger. Used once. */
export class LedgerAudit {
  readonly #problems: LedgerProblem[] = [];
  #total = 0;
  readonly #balances = new Map<string, bigint>();
  /** By account, seller and currency. */
  readonly #totals = new Map<string, bigint>();
  readonly #buys = new Map<string, BuySums>();
  /** Counted figures by seller buy and package, minus the running sums. */
  readonly #spent = new Map<string, bigint>();
  /** Facts of changes, by the id of their entries. */
  readonly #changes = new Map<string, string>();
  readonly #changeIds: string[] = [];
  /** Facts of assignments, by the id of their entries. */
  readonly #assignments = new Map<string, string>();
  readonly #assignmentIds: string[] = [];
  #entries = 0n;
  #postings = 0n;
  #versions = 0n;

  page({ block, entryCount, rows, postings, versions }: LedgerPage): void {
    if (entryCount !== rows.length) {
      const message = `The block has ${rows.length} entries and speaks of ${entryCount}.`;
      this.#say({ code: 'rows_differ', message, at: block.number.toString() });
    }
    const linesOf = groupBy(postings, ({ entryId }) => entryId);
    const byId = new Map(versions.map((version) => [version.id, version]));
    rows.forEach((row, position) => {
      const { body, problems } = auditEntry(row, position, linesOf.get(row.id) ?? [], byId);
      for (const problem of problems) this.#say(problem);
      this.#entries += 1n;
      if (body !== undefined) this.#addEntry(body);
    });
    for (const posting of postings) this.#addPosting(posting);
    for (const version of byId.values()) this.#addVersion(version);
  }

  chainFault({ code, at }: Extract<StreamVerdict, { ok: false }>): void {
    const entry = at.entry === undefined ? '' : `, entry ${at.entry}`;
    const message = `The chain is broken: ${code} at block ${at.number}${entry}.`;
    this.#say({ code: 'chain', message, at: at.number.toString() });
  }

  compareCounts({ entries, postings, versions }: LedgerCounts): void {
    const kinds = [
      ['entries', entries, this.#entries],
      ['postings', postings, this.#postings],
      ['report versions', versions, this.#versions],
    ] as const;
    for (const [what, stored, reached] of kinds) {
      if (stored === reached) continue;
      const message = `There are ${stored} ${what}, and the chain's entries name ${reached}.`;
      this.#say({ code: 'rows_differ', message, at: what });
    }
  }

  compareBalance(balance: Balance): void {
    const key = keyOf(balance);
    const sum = this.#balances.get(key) ?? 0n;
    this.#balances.delete(key);
    if (sum === balance.amountMicros) return;
    this.#say({ code: 'balance_differs', message: 'A balance is not the sum of its postings.', at: key });
  }

  compareSpent({ sellerBuyId, packageRef, spendMicros }: SpentOnPackage): void {
    const key = `${sellerBuyId} ${packageRef}`;
    this.#spent.set(key, (this.#spent.get(key) ?? 0n) - spendMicros);
  }

  /** A change that is not in a block yet cannot be compared. */
  compareChange({ entryId, ...change }: ChangeRow): void {
    if (entryId === undefined) return;
    const recorded = this.#changes.get(entryId);
    this.#changes.delete(entryId);
    if (recorded === textOfChange(change.operationId, change.mediaBuyId, change.seller, changeFacts(change)))
      return;
    const message = 'A change of a commitment is not what its entry says.';
    this.#say({ code: 'change_differs', message, at: change.id });
  }

  /** As for changes. */
  compareAssignment(assignment: AssignmentRow): void {
    const { entryId, operationId, mediaBuyId, id } = assignment;
    if (entryId === undefined) return;
    const recorded = this.#assignments.get(entryId);
    this.#assignments.delete(entryId);
    if (recorded === textOfChange(operationId, mediaBuyId, '', assignmentFacts(assignment))) return;
    const message = 'An assignment is not what its entry says.';
    this.#say({ code: 'assignment_differs', message, at: id });
  }

  assignmentIds(): readonly string[] {
    return this.#assignmentIds;
  }

  /** Ids of the changes in the entries. */
  changeIds(): readonly string[] {
    return this.#changeIds;
  }

  /** Sums by account, seller and currency: those of a checkpoint plus those read since. */
  totals(before: JsonObject = {}): JsonObject {
    const sums = new Map(Object.entries(before).map(([key, sum]) => [key, microsOf(sum)]));
    for (const [key, sum] of this.#totals) sums.set(key, (sums.get(key) ?? 0n) + sum);
    const left = [...sums].filter(([, sum]) => sum !== 0n);
    return Object.fromEntries(left.map(([key, sum]) => [key, sum.toString()]));
  }

  /** Compares the stored balances, added up, with `totals`. */
  compareTotals(stored: readonly Omit<Balance, 'day'>[], totals: JsonObject): void {
    const left = new Map(Object.entries(totals).map(([key, sum]) => [key, microsOf(sum)]));
    for (const { amountMicros, ...key } of stored)
      left.set(totalKeyOf(key), (left.get(totalKeyOf(key)) ?? 0n) - amountMicros);
    for (const [at, difference] of left) {
      const message = 'The balances of a seller are not the sum of its postings.';
      if (difference !== 0n) this.#say({ code: 'balance_differs', message, at });
    }
  }

  compareLimit(sum: LimitSum): void {
    if (!isBelowBooked(sum)) return;
    const { limitId, limit, currency, month = '' } = sum;
    const message = `Less counts against the limit of ${limit} than is booked of its buys.`;
    this.#say({ code: 'limit_below_booked', message, at: `${limitId} ${currency} ${month}`.trimEnd() });
  }

  isClean(): boolean {
    return this.#total === 0;
  }

  packageDiffers(at: string): void {
    const message = 'The sums of a package by day are not what its entries say.';
    this.#say({ code: 'spent_differs', message, at });
  }

  /** With `rowsOnly`, changes and assignments were not compared. */
  finish({ rowsOnly = false } = {}): { readonly problems: readonly LedgerProblem[]; readonly total: number } {
    for (const at of rowsOnly ? [] : this.#changes.keys()) {
      this.#say({ code: 'change_differs', message: 'The change of this entry is not stored any more.', at });
    }
    for (const at of rowsOnly ? [] : this.#assignments.keys()) {
      const message = 'The assignment of this entry is not stored any more.';
      this.#say({ code: 'assignment_differs', message, at });
    }
    return { problems: this.#problems, total: this.#total };
  }

  /** Compares sums that need the whole ledger; not used after a checkpoint. */
  compareLeft(): void {
    for (const [at, sum] of this.#balances) {
      if (sum !== 0n) this.#say({ code: 'balance_differs', message: 'A balance is missing.', at });
    }
    for (const [at, { posted, counted, idBalance }] of this.#buys) {
      if (posted === counted && idBalance === 0n) continue;
      const message = `The figures that count are not what the entries of this seller buy say.`;
      this.#say({ code: 'counted_differs', message, at });
    }
    for (const [at, difference] of this.#spent) {
      const message = 'The running sum of a package is not what counts of it.';
      if (difference !== 0n) this.#say({ code: 'spent_differs', message, at });
    }
  }

  #addEntry(body: EntryBody): void {
    this.#postings += BigInt(body.postings.length);
    this.#versions += BigInt(versionsOf(body).length);
    const { report, assignment_id, change_id, counts_again, no_longer_counts } = body.facts;
    if (typeof change_id === 'string') this.#changeIds.push(change_id);
    if (typeof assignment_id === 'string') this.#assignmentIds.push(assignment_id);
    const text = textOfChange(body.operationId, body.mediaBuyId ?? '', body.seller, body.facts);
    if (change_id !== undefined) this.#changes.set(body.id, text);
    if (assignment_id !== undefined) this.#assignments.set(body.id, text);
    const sellerBuyId = isJsonObject(report) ? report['seller_buy_id'] : undefined;
    if (typeof sellerBuyId !== 'string') return;
    const sums = this.#sumsOf(sellerBuyId);
    for (const posting of body.postings) {
      if (posting.account === 'media_spend') sums.posted += posting.amountMicros;
    }
    const counting = versionsOf(body).filter(({ counts }) => counts === true);
    sums.idBalance += idSum(counting.map(({ id }) => id)) + idSum(counts_again) - idSum(no_longer_counts);
  }

  #addPosting(posting: PostingRow): void {
    const key = keyOf(posting);
    this.#balances.set(key, (this.#balances.get(key) ?? 0n) + posting.amountMicros);
    const total = totalKeyOf(posting);
    this.#totals.set(total, (this.#totals.get(total) ?? 0n) + posting.amountMicros);
  }

  #addVersion(version: StoredVersion): void {
    if (!version.isCurrent) return;
    const sums = this.#sumsOf(version.sellerBuyId);
    sums.counted += version.spendMicros;
    sums.idBalance -= idNumber(version.id);
    const key = `${version.sellerBuyId} ${version.packageRef}`;
    this.#spent.set(key, (this.#spent.get(key) ?? 0n) + version.spendMicros);
  }

  #sumsOf(sellerBuyId: string): BuySums {
    const known = this.#buys.get(sellerBuyId) ?? { posted: 0n, counted: 0n, idBalance: 0n };
    this.#buys.set(sellerBuyId, known);
    return known;
  }

  #say(problem: LedgerProblem): void {
    this.#total += 1;
    if (this.#problems.length < problemsShown) this.#problems.push(problem);
  }
}

/**
 * Audits all pages, and their blocks with `verify`, which may stop at the first fault: the pages after it are audited
 * too.
 */
export async function auditPages(
  audit: LedgerAudit,
  source: AsyncIterable<LedgerPage>,
  verify: (blocks: AsyncIterable<Block>) => Promise<StreamVerdict>,
): Promise<void> {
  const pages = source[Symbol.asyncIterator]();
  const next = async (): Promise<IteratorResult<Block>> => {
    const step = await pages.next();
    if (step.done === true) return { done: true, value: undefined };
    audit.page(step.value);
    return { done: false, value: step.value.block };
  };
  // Without `return`, so that the pages can be read on after the verifier stopped at a fault.
  const chain = await verify({ [Symbol.asyncIterator]: () => ({ next }) });
  if (!chain.ok) audit.chainFault(chain);
  while ((await next()).done !== true);
}

function textOfChange(operationId: string, mediaBuyId: string, seller: string, facts: JsonObject): string {
  return canonicalJson([operationId, mediaBuyId, seller, facts]);
}

function keyOf({ account, seller, day, currency }: Omit<Balance, 'amountMicros'>): string {
  return [account, seller, day, currency].join(' ');
}

function totalKeyOf({ account, seller, currency }: Omit<Balance, 'amountMicros' | 'day'>): string {
  return [account, seller, currency].join(' ');
}

/** Micros of a sum in a checkpoint. */
function microsOf(sum: JsonValue | undefined): bigint {
  return typeof sum === 'string' && /^-?\d{1,30}$/.test(sum) ? BigInt(sum) : 0n;
}

function idSum(ids: unknown): bigint {
  if (!Array.isArray(ids)) return 0n;
  return ids.reduce<bigint>((sum, id) => sum + (typeof id === 'string' ? idNumber(id) : 0n), 0n);
}

/** A UUID as a number. */
function idNumber(uuid: string): bigint {
  const digits = uuid.replaceAll('-', '');
  return /^[0-9a-f]{32}$/i.test(digits) ? BigInt(`0x${digits}`) : 0n;
}
