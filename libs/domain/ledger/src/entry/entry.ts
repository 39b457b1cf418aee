import { hashOfBody } from '@switchyard/journal';
import { err, ok, type Instant, type JsonObject, type Result } from '@switchyard/values';
import { bodyOfEntry, readEntryBody } from './entry-body.js';
import { faultOfPosting, unbalancedCurrencies, type Posting, type PostingFault } from './posting.js';

/**
 * The kind of an entry. `delivery`: figures of facts that had none. `restatement`: figures that replace
 * others. `observation`: a report that changed no sum, or a refused transition. `impairment`: an impairment
 * of a live buy (docs/protocol/media-buys.md#impairments). `bought`, `changed`, `canceled`: changes of a
 * commitment (docs/ledger.md#commitments and docs/ledger.md#facts-versions-and-finality). `assignment`: which
 * client and campaign a buy belongs to from then on (docs/ledger.md#assignments). `invoice`: a seller's
 * invoice. `adjustment`: the resolution of a break. `accrual`: the uninvoiced amount of a period, and its
 * reversal. `period`: a period was closed or reopened (docs/ledger.md#closing-a-period). `payment`: a full or
 * partial payment of an invoice. `exchange`: the difference of the rates between invoice and payment
 * (docs/ledger.md#payments).
 */
const entryKinds = [
  'delivery',
  'restatement',
  'observation',
  'impairment',
  'bought',
  'changed',
  'canceled',
  'assignment',
  'invoice',
  'adjustment',
  'accrual',
  'period',
  'payment',
  'exchange',
] as const;

const moving: ReadonlySet<string> = new Set([
  'delivery',
  'restatement',
  'invoice',
  'adjustment',
  'accrual',
  'payment',
  'exchange',
]);

export type EntryKind = (typeof entryKinds)[number];

export interface EntryDraft {
  readonly id: string;
  readonly kind: EntryKind;
  readonly operationId: string;
  readonly mediaBuyId?: string;
  /** The seller's slug. */
  readonly seller: string;
  /** When it was received. */
  readonly occurredAt: Instant;
  readonly postings: readonly Posting[];
  /** The complete evidence for the postings; it is hashed with them. */
  readonly facts: JsonObject;
}

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
