import { isJsonObject, isoOf, type Instant, type JsonObject, type JsonValue } from '@switchyard/values';
import { reportFacts, versionFacts } from './entry-facts.js';
import type { EntryBody } from './entry-body.js';
import { unbalancedCurrencies } from './posting.js';
import type { StoredVersion } from '../report/report-version.js';

/** An entry's row: searchable columns, beside the hashed body. */
export interface EntryRow {
  readonly id: string;
  readonly position: number;
  readonly kind: string;
  readonly operationId: string;
  readonly mediaBuyId: string | null;
  readonly seller: string;
  readonly occurredAt: Instant;
  /** The hashed body; undefined where it is no entry. */
  readonly entry: EntryBody | undefined;
}

export interface PostingRow {
  readonly entryId: string;
  readonly line: number;
  readonly account: string;
  readonly seller: string;
  readonly mediaBuyId: string | null;
  readonly day: string;
  readonly currency: string;
  readonly amountMicros: bigint;
}

export type EntryProblemCode =
  | 'entry_unreadable'
  | 'entry_unbalanced'
  | 'entry_row_differs'
  | 'posting_differs'
  | 'version_missing'
  | 'version_differs';

interface EntryProblem {
  readonly code: EntryProblemCode;
  readonly message: string;
  readonly at: string;
}

interface EntryAudit {
  readonly body: EntryBody | undefined;
  readonly problems: readonly EntryProblem[];
}

/** Compares one entry's rows with its body, which the chain protects. `position` is the row's position in its block. */
export function auditEntry(
  row: EntryRow,
  position: number,
  postings: readonly PostingRow[],
  versions: ReadonlyMap<string, StoredVersion>,
): EntryAudit {
  const body = row.entry;
  const problems: EntryProblem[] = [];
  const report = (code: EntryProblemCode, message: string, at: string) =>
    problems.push({ code, message, at });
  if (body === undefined) {
    report('entry_unreadable', 'The body is no entry.', row.id);
    return { body, problems };
  }
  if (unbalancedCurrencies(body.postings).length > 0) {
    report('entry_unbalanced', 'The lines do not sum to zero.', row.id);
  }
  if (!isSameRow(row, body) || row.position !== position) {
    report('entry_row_differs', 'The row is not what its body says.', row.id);
  }
  if (!areSamePostings(postings, body)) {
    report('posting_differs', 'The postings are not those of the body.', row.id);
  }
  if (!areMovesPosted(body)) {
    report('posting_differs', 'What the entry moves by package and day is not what its lines post.', row.id);
  }
  for (const facts of versionsOf(body)) {
    const id = typeof facts['id'] === 'string' ? facts['id'] : '';
    const version = versions.get(id);
    if (version === undefined) report('version_missing', 'A report version is not stored any more.', id);
    else if (!isSameVersion(version, facts, body))
      report('version_differs', 'A report version was edited.', id);
  }
  return { body, problems };
}

/** The report versions in an entry's body. */
export function versionsOf(body: EntryBody): readonly JsonObject[] {
  const { versions } = body.facts;
  return Array.isArray(versions) ? versions.filter(isJsonObject) : [];
}

/** What an entry adds by package and day, where its text states it (docs/ledger.md#the-days-of-a-figure). */
export function movesIn({ facts }: Pick<EntryBody, 'facts'>): readonly StatedMove[] | undefined {
  const { moves } = facts;
  if (!Array.isArray(moves)) return undefined;
  return moves.flatMap((move) => {
    if (!Array.isArray(move)) return [];
    const [packageRef, day, micros] = move;
    const isMove = typeof packageRef === 'string' && typeof day === 'string' && typeof micros === 'string';
    return isMove && /^-?\d{1,19}$/.test(micros) ? [{ packageRef, day, micros: BigInt(micros) }] : [];
  });
}

interface StatedMove {
  readonly packageRef: string;
  readonly day: string;
  readonly micros: bigint;
}

/** Whether the stated moves of each day are what `media_spend` has of that day. */
function areMovesPosted(body: EntryBody): boolean {
  const moves = movesIn(body);
  if (moves === undefined) return true;
  const days = new Map<string, bigint>();
  const add = (day: string, micros: bigint): void => void days.set(day, (days.get(day) ?? 0n) + micros);
  for (const { day, micros } of moves) add(day, micros);
  for (const { account, day, amountMicros } of body.postings)
    if (account === 'media_spend') add(day, -amountMicros);
  return [...days.values()].every((left) => left === 0n);
}

function isSameRow(row: EntryRow, body: EntryBody): boolean {
  return (
    row.id === body.id &&
    row.kind === body.kind &&
    row.operationId === body.operationId &&
    row.mediaBuyId === body.mediaBuyId &&
    row.seller === body.seller &&
    isoOf(row.occurredAt) === body.occurredAt
  );
}

function isSameVersion(version: StoredVersion, facts: JsonObject, body: EntryBody): boolean {
  const { counts } = facts;
  const { report } = body.facts;
  return (
    areSameMembers(
      { ...reportFacts(version), ...versionFacts(version), ...(counts === undefined ? {} : { counts }) },
      // A version may have members of its own where the others of the entry have another value.
      { ...(isJsonObject(report) ? report : {}), ...facts },
    ) &&
    version.entryId === body.id &&
    version.operationId === body.operationId &&
    version.mediaBuyId === body.mediaBuyId &&
    version.seller === body.seller
  );
}

function areSameMembers(written: JsonObject, reported: JsonObject): boolean {
  const names = Object.keys(written);
  return (
    Object.keys(reported).length === names.length &&
    names.every((name) => Object.hasOwn(reported, name) && isSameValue(written[name], reported[name]))
  );
}

/** Members are plain, but for the calendar. */
function isSameValue(written: JsonValue | undefined, reported: JsonValue | undefined): boolean {
  if (!isJsonObject(written)) return written === reported;
  return isJsonObject(reported) && areSameMembers(written, reported);
}

function areSamePostings(
  postings: readonly PostingRow[],
  { postings: lines, seller, mediaBuyId }: EntryBody,
) {
  const byLine = new Map(postings.map((row) => [row.line, row]));
  if (postings.length !== lines.length || byLine.size !== lines.length) return false;
  return lines.every((reported, line) => {
    const row = byLine.get(line);
    return (
      row?.account === reported.account &&
      row.seller === seller &&
      row.mediaBuyId === mediaBuyId &&
      row.day === reported.day &&
      row.currency === reported.currency &&
      row.amountMicros === reported.amountMicros
    );
  });
}
