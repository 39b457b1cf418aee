import { canonicalJson, isJsonObject, isoOf, type Instant, type JsonObject } from '@switchyard/values';
import { reportFacts, versionFacts } from './entry-facts.js';
import { readEntryBody, type EntryBody } from './entry-body.js';
import { unbalancedCurrencies } from './posting.js';
import type { StoredVersion } from './report-version.js';

/** An entry's row: what can be searched for, beside the body that was hashed. */
export interface EntryRow {
  readonly id: string;
  readonly position: number;
  readonly kind: string;
  readonly operationId: string;
  readonly mediaBuyId: string | null;
  readonly seller: string;
  readonly occurredAt: Instant;
  readonly body: string;
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

export interface EntryProblem {
  readonly code: EntryProblemCode;
  readonly message: string;
  readonly at: string;
}

export interface EntryAudit {
  readonly body: EntryBody | undefined;
  readonly problems: readonly EntryProblem[];
}

/** Holds one entry's rows against its body, which is what the chain vouches for. `position` is the row's place in its block. */
export function auditEntry(
  row: EntryRow,
  position: number,
  postings: readonly PostingRow[],
  versions: ReadonlyMap<string, StoredVersion>,
): EntryAudit {
  const body = readEntryBody(row.body);
  const problems: EntryProblem[] = [];
  const say = (code: EntryProblemCode, message: string, at: string) => problems.push({ code, message, at });
  if (body === undefined) {
    say('entry_unreadable', 'The body is no entry.', row.id);
    return { body, problems };
  }
  if (unbalancedCurrencies(body.postings).length > 0) {
    say('entry_unbalanced', 'The lines do not sum to zero.', row.id);
  }
  const rowText = canonicalJson([
    row.id,
    row.kind,
    row.operationId,
    row.mediaBuyId,
    row.seller,
    isoOf(row.occurredAt),
  ]);
  const bodyText = canonicalJson([
    body.id,
    body.kind,
    body.operationId,
    body.mediaBuyId,
    body.seller,
    body.occurredAt,
  ]);
  if (rowText !== bodyText || row.position !== position) {
    say('entry_row_differs', 'The row is not what its body says.', row.id);
  }
  if (postingText(postings) !== expectedPostings(body)) {
    say('posting_differs', 'The postings are not those of the body.', row.id);
  }
  for (const facts of versionsOf(body)) {
    const id = typeof facts['id'] === 'string' ? facts['id'] : '';
    const version = versions.get(id);
    if (version === undefined) say('version_missing', 'A report version is not stored any more.', id);
    else if (!isSameVersion(version, facts, body)) say('version_differs', 'A report version was edited.', id);
  }
  return { body, problems };
}

/** The versions that an entry's body brings. */
export function versionsOf(body: EntryBody): readonly JsonObject[] {
  const { versions } = body.facts;
  return Array.isArray(versions) ? versions.filter(isJsonObject) : [];
}

function isSameVersion(version: StoredVersion, facts: JsonObject, body: EntryBody): boolean {
  return (
    canonicalJson({ ...versionFacts(version), counts: facts['counts'] }) === canonicalJson(facts) &&
    canonicalJson(reportFacts(version)) === canonicalJson(body.facts['report']) &&
    version.entryId === body.id &&
    version.operationId === body.operationId &&
    version.mediaBuyId === body.mediaBuyId &&
    version.seller === body.seller
  );
}

function postingText(postings: readonly PostingRow[]): string {
  return canonicalJson(
    postings
      .toSorted((left, right) => left.line - right.line)
      .map((row) => [
        row.line,
        row.account,
        row.seller,
        row.mediaBuyId,
        row.day,
        row.currency,
        row.amountMicros.toString(),
      ]),
  );
}

function expectedPostings(body: EntryBody): string {
  return canonicalJson(
    body.postings.map((posting, line) => [
      line,
      posting.account,
      body.seller,
      body.mediaBuyId,
      posting.day,
      posting.currency,
      posting.amountMicros.toString(),
    ]),
  );
}
