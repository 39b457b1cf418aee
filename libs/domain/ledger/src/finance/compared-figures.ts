import { currencyExponent } from '@switchyard/money';
import type { InvoiceDraft, InvoiceLine } from './invoice.js';
import { toleratedMicros, usedTolerance, type Tolerance, type UsedTolerance } from './tolerance.js';

/** The figures of one package of a seller's buy in one period. All amounts are micros of `currency`. */
export interface PackageFigures {
  readonly seller: string;
  readonly sellerMediaBuyId: string;
  /** Empty for the whole buy. */
  readonly packageRef: string;
  readonly mediaBuyId: string;
  /** UUID of the client that the buy belongs to. */
  readonly clientId?: string;
  readonly currency: string;
  /** Budget of the package over its whole life. */
  readonly orderedMicros?: bigint;
  /** Counted over its whole life. */
  readonly spentInAllMicros: bigint;
  /** Counted in the period. */
  readonly countedMicros: bigint;
  /** Counted from pushed reports, and from pulled ones; absent where there are none. */
  readonly reportedMicros?: bigint;
  readonly polledMicros?: bigint;
  /** The same for reporting periods that were both pushed and pulled; absent where there are none. */
  readonly bothWays?: { readonly reportedMicros: bigint; readonly polledMicros: bigint };
  /** Every figure that counts in the period is final, as the seller says. */
  readonly isFinal?: boolean;
  /** Nothing of it counts in the period: it is here for its days next to it. */
  readonly isBeside?: boolean;
  /**
   * Counted by day: the period, the day before it and the day after it. It may be read late, with `evidence`:
   * `reconciliationWork` names the packages of which it will look at them.
   */
  readonly days: ReadonlyMap<string, bigint>;
  /** The amount that would count with each measurement window alone. */
  readonly windows: ReadonlyMap<string, bigint>;
  /** Counted on the day that the seller's invoice was issued; absent without such a day. */
  readonly countedAtIssueMicros?: bigint;
  readonly units?: bigint;
  /** A third party's figure for the period, for example an ad server's, and its name. */
  readonly thirdPartyMicros?: bigint;
  readonly thirdPartySource?: string;
  /** From what that figure was computed, in words: `12,000 impressions x 11.18 CPM`; absent where it was an amount. */
  readonly thirdPartyBasis?: string;
  /** PO number of the buy's campaign. */
  readonly poNumber?: string;
  /** Other names of what was bought: references of the buyer, insertion order, campaign. */
  readonly names?: readonly string[];
  /** What was agreed; absent where nothing is known. */
  readonly terms?: BillingTerms;
  /** Delivered in other months and billed by no document, by month, `YYYY-MM`; absent where months are not known. */
  readonly otherMonths?: ReadonlyMap<string, bigint>;
  /** Ids of the counted report versions. */
  readonly evidence: readonly string[];
}

/** What was agreed about how a package is billed. */
export interface BillingTerms {
  /** The count of the third party decides what is owed, and not that of the seller. */
  readonly isThirdPartyBilled?: boolean;
  /** When the party whose count decides has to have said its final one; absent where nothing was agreed. */
  readonly finalCount?: { readonly dueOn: string; readonly isOver: boolean };
  /** How far the two counts may differ, in hundredths of a percent of the count that decides. */
  readonly maxVarianceHundredths?: number;
  /** Commission of the agency, in hundredths of a percent; `isNet`: the seller bills without it. */
  readonly commissionHundredths?: number;
  readonly isNet?: boolean;
  /** Nothing above the order is owed. */
  readonly isCapped?: boolean;
  /** Fees up to this part of the media of a document were agreed, in hundredths of a percent. */
  readonly feeHundredths?: number;
}

/** What is owed for the period: the count that decides, without commission where it is billed net, up to the order. */
export function expectedOf(figure: PackageFigures): bigint {
  const { terms = {}, countedMicros, orderedMicros, spentInAllMicros } = figure;
  const counted = decidingCount(figure);
  const left =
    terms.isCapped === true && orderedMicros !== undefined
      ? orderedMicros - (spentInAllMicros - countedMicros)
      : counted;
  const capped = left < counted ? (left < 0n ? 0n : left) : counted;
  return terms.isNet === true
    ? (capped * BigInt(10_000 - (terms.commissionHundredths ?? 0))) / 10_000n
    : capped;
}

/**
 * The count that decides: that of the agreed party. Where it has said no final one by the deadline, that of the other party.
 * What a person imported of a third party is its final count.
 */
export function decidingCount(figure: PackageFigures): bigint {
  const { terms = {}, thirdPartyMicros, countedMicros } = figure;
  const isTheirs = (terms.isThirdPartyBilled === true) !== isCountLate(figure);
  return isTheirs ? (thirdPartyMicros ?? countedMicros) : countedMicros;
}

/** Whether the party whose count decides has said no final one by its deadline, and the other party has a count. */
export const isCountLate = (figure: PackageFigures): boolean =>
  figure.terms?.finalCount?.isOver === true && isCountMissing(figure);

/** Whether the count that decides is not here, or is not final while the other party has one. */
export const isCountMissing = ({ terms, thirdPartyMicros, isFinal }: PackageFigures): boolean =>
  terms?.isThirdPartyBilled === true
    ? thirdPartyMicros === undefined
    : thirdPartyMicros !== undefined && isFinal !== true;

export interface BookedInvoice extends Omit<InvoiceDraft, 'dueOn'> {
  readonly id: string;
  readonly seller: string;
}

export interface ReconcileInput {
  /** First day of the period and the first day after it. */
  readonly from: string;
  readonly to: string;
  readonly packages: readonly PackageFigures[];
  readonly invoices: readonly BookedInvoice[];
  /** The tolerance for a seller and, where all compared amounts belong to one, a client. */
  readonly toleranceOf: (seller: string, clientId?: string) => Tolerance;
}

/** A line with its invoice. */
export interface BilledLine extends InvoiceLine {
  readonly invoice: BookedInvoice;
}

/** Whether a difference is above the tolerance, or above half a minor unit for each of so many lines. */
export function exceeds(
  input: ReconcileInput,
  figures: readonly PackageFigures[],
  size: bigint,
  of: bigint,
  lines = 0,
): boolean {
  const minor = 10n ** BigInt(6 - currencyExponent(figures[0]?.currency ?? ''));
  return size > toleratedMicros(toleranceFor(input, figures), of) && size * 2n > minor * BigInt(lines);
}

export const toleranceIn = (
  input: ReconcileInput,
  figures: readonly PackageFigures[],
  of: bigint,
): UsedTolerance => usedTolerance(toleranceFor(input, figures), of);

/** The tolerance of the figures; for figures of several clients, that of their seller. */
export function toleranceFor(
  { toleranceOf }: Pick<ReconcileInput, 'toleranceOf'>,
  figures: readonly PackageFigures[],
): Tolerance {
  const [packageFigures] = figures;
  const isOfOne = figures.every(({ clientId }) => clientId === packageFigures?.clientId);
  return toleranceOf(packageFigures?.seller ?? '', isOfOne ? packageFigures?.clientId : undefined);
}
