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
  /** Counted by UTC day: the period, the day before it and the day after it. */
  readonly days: ReadonlyMap<string, bigint>;
  /** The amount that would count with each measurement window alone. */
  readonly windows: ReadonlyMap<string, bigint>;
  /** Counted on the day that the seller's invoice was issued; absent without such a day. */
  readonly countedAtIssueMicros?: bigint;
  readonly units?: bigint;
  /** A third party's figure for the period, for example an ad server's, and its name. */
  readonly thirdPartyMicros?: bigint;
  readonly thirdPartySource?: string;
  /** PO number of the buy's campaign. */
  readonly poNumber?: string;
  /** Ids of the counted report versions. */
  readonly evidence: readonly string[];
}

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

export function exceeds(
  input: ReconcileInput,
  figures: readonly PackageFigures[],
  size: bigint,
  of: bigint,
): boolean {
  return size > toleratedMicros(toleranceFor(input, figures), of);
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
