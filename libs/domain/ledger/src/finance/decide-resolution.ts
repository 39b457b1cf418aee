import type { Instant } from '@switchyard/values';
import { entryOf, type LedgerEntry } from '../entry/entry.js';
import type { Posting } from '../entry/posting.js';
import type { FoundBreak } from './create-break.js';
import { movedPostings, type AccountAmounts } from './dispute.js';
import { daysOfPeriod, shiftDay } from './period.js';

/**
 * How a break can be resolved, and the account that gets its difference. `corrected` and `expected` post nothing: what is
 * expected will be billed later, and stays accrued.
 */
const resolutions = {
  accept: 'invoice_difference',
  'write-off': 'write_off',
  credit: 'seller_credit',
  dispute: 'disputed',
  corrected: undefined,
  expected: undefined,
} as const;
export type BreakResolution = keyof typeof resolutions;
export const breakResolutions = Object.keys(resolutions) as readonly BreakResolution[];

/** A break, as a resolution sees it. */
export interface JudgedBreak extends Pick<
  FoundBreak,
  | 'fingerprint'
  | 'kind'
  | 'seller'
  | 'mediaBuyId'
  | 'currency'
  | 'invoicedMicros'
  | 'differenceMicros'
  | 'cause'
  | 'evidence'
> {
  /** UUID. */
  readonly id: string;
  readonly period: string;
  readonly resolution?: BreakResolution;
}

/** Kinds whose difference is between an invoice and what is owed by delivery: only these move money. */
export const owedKinds: ReadonlySet<string> = new Set<FoundBreak['kind']>([
  'late_report',
  'window_mismatch',
  'time_zone_cut',
  'missing_package',
  'currency',
  'price',
  'duplicate_invoice',
  'gross_net',
  'tax_inside',
  'other_months',
  'billed_to_order',
  'third_party',
  'exchanged',
  'units',
  'unordered_fee',
  'unassigned_line',
  'unknown',
]);

/** What a resolution leaves on the accounts. */
export function amountsOf(
  as: BreakResolution | undefined,
  found: Pick<JudgedBreak, 'kind' | 'invoicedMicros' | 'differenceMicros'> | undefined,
): AccountAmounts {
  const account = as === undefined ? undefined : resolutions[as];
  if (found === undefined || account === undefined) return new Map();
  if (found.invoicedMicros === undefined || !owedKinds.has(found.kind)) return new Map();
  // A fee is booked on its own account, where an accepted one stays.
  const isFee = found.kind === 'unordered_fee';
  if (isFee && as === 'accept') return new Map();
  return new Map<Posting['account'], bigint>([
    [account, found.differenceMicros],
    [isFee ? 'seller_fees' : 'seller_payable', -found.differenceMicros],
  ]);
}

/** The last day of a period, or the first open day. */
export function dayOfResolution(period: string, openFrom: string | undefined): string {
  const last = shiftDay(daysOfPeriod(period).to, -1);
  return openFrom !== undefined && last < openFrom ? openFrom : last;
}

/** The documents that a difference is about. The evidence of a duplicate names the first one, and then its repetition. */
export const billedBy = ({ kind, evidence }: Pick<JudgedBreak, 'kind' | 'evidence'>): readonly string[] =>
  kind === 'duplicate_invoice' ? evidence.slice(1, 2) : evidence;

/** A document that bills a difference and is not voided. */
export interface BilledDocument {
  /** UUID. */
  readonly id: string;
  readonly totalMicros: bigint;
  /** What is not paid of it. */
  readonly openMicros: bigint;
}

/** An amount of a document that is held back. */
export interface Hold {
  /** UUID. */
  readonly invoiceId: string;
  readonly amountMicros: bigint;
}

/**
 * What a verdict holds back: a disputed amount, or one for which a credit note is owed, of the documents that bill it, the
 * largest first; of a duplicate all that is open.
 */
export function holdsOf(
  { kind, invoicedMicros, differenceMicros }: JudgedBreak,
  as: BreakResolution | undefined,
  documents: readonly BilledDocument[],
): readonly Hold[] {
  const isHeld = as === 'dispute' || as === 'credit';
  if (!isHeld || differenceMicros <= 0n || invoicedMicros === undefined) return [];
  const holds: Hold[] = [];
  let left = differenceMicros;
  for (const { id, openMicros } of largestFirst(documents)) {
    if (left <= 0n) break;
    const amountMicros = kind === 'duplicate_invoice' || left > openMicros ? openMicros : left;
    if (amountMicros <= 0n) continue;
    holds.push({ invoiceId: id, amountMicros });
    left -= amountMicros;
  }
  return holds;
}

function largestFirst(documents: readonly BilledDocument[]): readonly BilledDocument[] {
  return [...documents].sort((a, b) =>
    a.totalMicros === b.totalMicros ? (a.id < b.id ? -1 : 1) : a.totalMicros > b.totalMicros ? -1 : 1,
  );
}

/** What a resolution is decided on, as it stands under the ledger's lock. */
export interface ResolutionFacts {
  readonly found: JudgedBreak;
  /** The same difference in the last round before that was resolved. */
  readonly before?: JudgedBreak;
  /** Documents that bill it (`billedBy`). */
  readonly documents: readonly BilledDocument[];
  /** The first open day, `YYYY-MM-DD`; absent if no period was closed. */
  readonly openFrom?: string;
}

export interface ResolutionDraft {
  readonly as: BreakResolution;
  readonly reason?: string;
  /** UUID of the principal. */
  readonly by: string;
}

/** A resolution that is booked. */
export interface DecidedResolution {
  readonly entry: LedgerEntry;
  readonly holds: readonly Hold[];
  /** The case that it opens: what is disputed of an invoice is one. */
  readonly dispute?: { readonly invoiceId: string; readonly amountMicros: bigint; readonly reason: string };
}

/** Decides how a break is resolved (docs/ledger.md#reconciliation): from what an earlier resolution has left, to this one. */
export function decideResolution(
  facts: ResolutionFacts,
  { as, by, reason }: ResolutionDraft,
  { entryId, at }: { readonly entryId: string; readonly at: Instant },
): DecidedResolution {
  const { found, before, documents } = facts;
  const entry = entryOf({
    id: entryId,
    kind: 'adjustment',
    operationId: found.id,
    seller: found.seller,
    occurredAt: at,
    postings: postingsOf(facts, as),
    facts: {
      break_id: found.id,
      period: found.period,
      kind: found.kind,
      currency: found.currency,
      difference_micros: found.differenceMicros.toString(),
      resolution: as,
      resolved_by: by,
      ...(reason !== undefined && { reason }),
      ...(before !== undefined && { replaces: before.id }),
    },
    ...(found.mediaBuyId !== undefined && { mediaBuyId: found.mediaBuyId }),
  });
  const [largest] = largestFirst(documents);
  const isCase = as === 'dispute' && amountsOf(as, found).size > 0 && found.differenceMicros > 0n;
  return {
    entry,
    holds: holdsOf(found, as, documents),
    ...(isCase &&
      largest !== undefined && {
        dispute: {
          invoiceId: largest.id,
          amountMicros: found.differenceMicros,
          reason: reason ?? found.cause,
        },
      }),
  };
}

/** What a resolution would post. */
export interface ResolutionPreview {
  readonly as: BreakResolution;
  readonly postings: readonly Posting[];
}

/** Every resolution of a break, with what it would post. */
export function previewResolutions(
  facts: Pick<ResolutionFacts, 'found' | 'before' | 'openFrom'>,
): readonly ResolutionPreview[] {
  return breakResolutions.map((as) => ({ as, postings: postingsOf(facts, as) }));
}

function postingsOf(
  { found, before, openFrom }: Pick<ResolutionFacts, 'found' | 'before' | 'openFrom'>,
  as: BreakResolution,
): readonly Posting[] {
  const at = { currency: found.currency, day: dayOfResolution(found.period, openFrom) };
  return movedPostings(amountsOf(before?.resolution, before), amountsOf(as, found), at);
}
