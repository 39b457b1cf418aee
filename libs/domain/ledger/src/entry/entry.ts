import { hashOfBody } from '@switchyard/journal';
import { err, ok, type Result } from '@switchyard/values';
import { bodyOfEntry, readEntryBody } from './entry-body.js';
import { faultOfPosting, unbalancedCurrencies, type Posting, type PostingFault } from './posting.js';
import type { EntryDraft, EntryKind } from './entry-draft.js';

const moving: ReadonlySet<string> = new Set([
  'delivery',
  'restatement',
  'invoice',
  'adjustment',
  'accrual',
  'payment',
  'exchange',
  'void',
  'client_invoice',
  'client_payment',
]);

/** A balanced record, never edited. `body` is its canonical text, `hash` its SHA-256. */
export interface LedgerEntry extends EntryDraft {
  readonly body: string;
  readonly hash: string;
}

interface EntryError {
  readonly code: 'unbalanced' | 'postings_not_allowed' | PostingFault;
  readonly message: string;
}

/** Creates an entry. Refuses accounts outside the chart, and lines that do not sum to zero in every currency. */
export function createEntry(draft: EntryDraft): Result<LedgerEntry, EntryError> {
  if (!moving.has(draft.kind) && draft.postings.length > 0) {
    return err({ code: 'postings_not_allowed', message: `An entry of kind ${draft.kind} moves no money.` });
  }
  for (const [line, posting] of draft.postings.entries()) {
    const fault = faultOfPosting(posting);
    if (fault !== undefined) return err({ code: fault, message: `Line ${line} cannot be posted.` });
  }
  const unbalanced = unbalancedCurrencies(draft.postings);
  if (unbalanced.length > 0) {
    return err({ code: 'unbalanced', message: `The lines do not sum to zero in ${unbalanced.join(', ')}.` });
  }
  const body = bodyOfEntry(draft);
  return ok({ ...draft, body, hash: hashOfBody(body) });
}

/** The entry of a draft that our own rules made. Throws an `Error` where it is refused: the fault is in the rule. */
export function entryOf(draft: EntryDraft): LedgerEntry {
  const entry = createEntry(draft);
  if (!entry.ok) throw new Error(`An entry of kind ${draft.kind} cannot stand: ${entry.error.code}.`);
  return entry.value;
}

/** Restores the entry of a stored body; undefined where the text was not written by `createEntry`. */
export function restoreEntry(text: string): LedgerEntry | undefined {
  const read = readEntryBody(text);
  if (read === undefined) return undefined;
  const { mediaBuyId, occurredAt, ...rest } = read;
  const made = createEntry({
    ...rest,
    kind: rest.kind as EntryKind,
    postings: rest.postings as readonly Posting[],
    occurredAt: Date.parse(occurredAt),
    ...(mediaBuyId === null ? {} : { mediaBuyId }),
  });
  return made.ok && made.value.body === text ? made.value : undefined;
}
