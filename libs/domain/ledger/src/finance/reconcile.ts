import { atOnce } from '@switchyard/values';
import {
  exceeds,
  toleranceIn,
  type BilledLine,
  type BookedInvoice,
  type PackageFigures,
  type ReconcileInput,
} from './compared-figures.js';
import { createBreak, subjectOf, type FoundBreak } from './create-break.js';
import { guessCause } from './guess-cause.js';
import { groupBy } from '../group-by.js';
import type { InvoiceLine } from './invoice.js';

export interface Reconciliation {
  /** Number of comparisons without a difference. */
  readonly matched: number;
  readonly breaks: readonly FoundBreak[];
  /** Amounts that were compared and differ within the tolerance: the difference by its subject. */
  readonly agreed: ReadonlyMap<string, bigint>;
}

/** `reconciliationWork` without a pause. */
export const reconcile = (input: ReconcileInput): Reconciliation => atOnce(reconciliationWork(input));

/** Number of packages or lines that are compared between two pauses. */
const comparedAtOnce = 500;

/**
 * Compares ordered, delivered and invoiced amounts, seller by seller, and yields so that other work can run. Lines
 * with a package are compared with it. Where one line of a buy has no package, its lines are compared with all its
 * packages; lines without a buy with the other deliveries in their currency (docs/ledger.md#reconciliation).
 */
export function* reconciliationWork(input: ReconcileInput): Generator<undefined, Reconciliation> {
  const packages = groupBy(input.packages, ({ seller }) => seller);
  const invoices = groupBy(input.invoices, ({ seller }) => seller);
  const sellers = [...new Set([...packages.keys(), ...invoices.keys()])].sort();
  const found: Reconciliation[] = [];
  for (const seller of sellers) {
    found.push(yield* reconcileSeller(input, packages.get(seller) ?? [], invoices.get(seller) ?? []));
    yield;
  }
  return {
    matched: found.reduce((sum, { matched }) => sum + matched, 0),
    agreed: new Map(found.flatMap(({ agreed }) => [...agreed])),
    breaks: found
      .flatMap(({ breaks }) => breaks)
      .toSorted((left, right) => compareText(left.fingerprint, right.fingerprint)),
  };
}

function* reconcileSeller(
  input: ReconcileInput,
  packages: readonly PackageFigures[],
  all: readonly BookedInvoice[],
): Generator<undefined, Reconciliation> {
  const { invoices, duplicates } = withoutDuplicates(all);
  const breaks: FoundBreak[] = [...duplicates];
  for (let at = 0; at < packages.length; at += comparedAtOnce) {
    breaks.push(...packages.slice(at, at + comparedAtOnce).flatMap(ofDelivery(input)));
    yield;
  }
  let matched = 0;
  let compared = 0;
  const agreed = new Map<string, bigint>();
  const compare = (figures: readonly PackageFigures[], lines: readonly BilledLine[]): void => {
    const found = compareAmounts(input, figures, lines, agreed);
    if (found.length === 0) matched += 1;
    breaks.push(...found);
  };
  // A seller may have thousands of packages and lines, so packages are looked up by buy.
  const ofBuy = groupBy(packages, ({ sellerMediaBuyId }) => sellerMediaBuyId);
  const billed = invoices.flatMap((invoice) => invoice.lines.map((line) => ({ ...line, invoice })));
  const others = new Set(invoices.filter((invoice) => isOtherCurrency(invoice, packages, ofBuy)));
  // A line is in the currency of the buy that it names. What it names is known to the seller alone: as its invoice.
  const isRight = ({ sellerMediaBuyId, invoice }: BilledLine): boolean => {
    const [own] = ofBuy.get(sellerMediaBuyId ?? '') ?? [];
    return own === undefined ? !others.has(invoice) : own.currency === invoice.currency;
  };
  const right = billed.filter(isRight);
  const wrong = billed.filter((line) => !isRight(line));
  breaks.push(...wrongCurrency(wrong, packages));
  const named = right.filter(({ sellerMediaBuyId }) => sellerMediaBuyId !== undefined);
  const loose = right.filter(({ sellerMediaBuyId }) => sellerMediaBuyId === undefined);
  const taken = new Set<PackageFigures>();
  // Where one line names the whole buy, all its lines are compared together, so that nothing counts twice.
  const wholeBuys = new Set(
    named.filter((line) => line.packageRef === undefined).map(({ sellerMediaBuyId }) => sellerMediaBuyId),
  );
  const keyOfLine = ({ sellerMediaBuyId, packageRef = '', invoice: { currency } }: BilledLine): string =>
    JSON.stringify([sellerMediaBuyId, wholeBuys.has(sellerMediaBuyId) ? '' : packageRef, currency]);
  for (const lines of groupBy(named, keyOfLine).values()) {
    const line = lines.find(({ packageRef }) => packageRef === undefined) ?? lines[0];
    const figures = (ofBuy.get(line?.sellerMediaBuyId ?? '') ?? []).filter((figure) => isMeant(line, figure));
    for (const figure of figures) taken.add(figure);
    compare(figures, lines);
    compared += 1;
    if (compared % comparedAtOnce === 0) yield;
  }
  const rest = packages.filter((item) => !taken.has(item) && item.countedMicros !== 0n);
  if (loose.length > 0) {
    for (const [currency, lines] of groupBy(loose, ({ invoice }) => invoice.currency))
      compare(
        rest.filter((figure) => figure.currency === currency),
        lines,
      );
  } else {
    // Of what a line in another currency names it is known to be invoiced; where it names nothing known, it may be any of it.
    const inOther = new Set(wrong.map(({ sellerMediaBuyId = '' }) => sellerMediaBuyId));
    if ([...inOther].every((id) => ofBuy.has(id)))
      breaks.push(
        ...rest.filter((figure) => !inOther.has(figure.sellerMediaBuyId)).map(notInvoiced(invoices)),
      );
  }
  return { matched, breaks, agreed };
}

function isMeant(line: BilledLine | undefined, packageFigures: PackageFigures): boolean {
  if (line?.sellerMediaBuyId !== packageFigures.sellerMediaBuyId) return false;
  return line.packageRef === undefined || line.packageRef === packageFigures.packageRef;
}

function isOtherCurrency(
  invoice: BookedInvoice,
  packages: readonly PackageFigures[],
  ofBuy: ReadonlyMap<string, readonly PackageFigures[]>,
): boolean {
  const named = new Set(invoice.lines.flatMap(({ sellerMediaBuyId }) => sellerMediaBuyId ?? []));
  const meant = [...named].flatMap((id) => ofBuy.get(id) ?? []);
  const near = meant.length > 0 ? meant : packages;
  return near.length > 0 && near.every(({ currency }) => currency !== invoice.currency);
}

function wrongCurrency(
  lines: readonly BilledLine[],
  packages: readonly PackageFigures[],
): readonly FoundBreak[] {
  return [...groupBy(lines, ({ invoice }) => invoice)].map(([invoice, ofInvoice]) => {
    const expected = [...new Set(packages.map(({ currency }) => currency))].join(', ');
    return createBreak('currency', {
      seller: invoice.seller,
      currency: invoice.currency,
      invoicedMicros: sumOf(ofInvoice),
      differenceMicros: sumOf(ofInvoice),
      cause: `The invoice ${invoice.number} is in ${invoice.currency}, and the buys are in ${expected}.`,
      evidence: [invoice.id],
    });
  });
}

/** Separates invoices that repeat another one: the same currency, days, lines and total, under another number. */
function withoutDuplicates(all: readonly BookedInvoice[]): {
  readonly invoices: readonly BookedInvoice[];
  readonly duplicates: readonly FoundBreak[];
} {
  const firstOf = new Map<string, BookedInvoice>();
  const duplicates: FoundBreak[] = [];
  const inOrder = all.toSorted((left, right) =>
    left.issuedOn === right.issuedOn
      ? compareText(left.number, right.number)
      : compareText(left.issuedOn, right.issuedOn),
  );
  for (const invoice of inOrder) {
    const content = contentOf(invoice);
    const first = firstOf.get(content);
    if (first === undefined) firstOf.set(content, invoice);
    else
      duplicates.push(
        createBreak('duplicate_invoice', {
          seller: invoice.seller,
          currency: invoice.currency,
          invoicedMicros: invoice.totalMicros,
          differenceMicros: invoice.totalMicros,
          cause: `The invoice ${invoice.number} bills the same lines as ${first.number}.`,
          evidence: [first.id, invoice.id],
        }),
      );
  }
  return { invoices: [...firstOf.values()], duplicates };
}

function contentOf({
  currency,
  totalMicros,
  lines,
  period,
  serviceFrom = period,
  serviceTo = period,
}: BookedInvoice): string {
  const each = lines.map((line) =>
    [line.sellerMediaBuyId ?? '', line.packageRef ?? '', line.amountMicros.toString()].join('\u0000'),
  );
  return JSON.stringify([currency, totalMicros.toString(), serviceFrom, serviceTo, each.sort()]);
}

/** The differences of a delivery that do not depend on invoices. */
function ofDelivery(input: ReconcileInput) {
  return (packageFigures: PackageFigures): readonly FoundBreak[] => {
    const breaks: FoundBreak[] = [];
    const { orderedMicros, spentInAllMicros, bothWays } = packageFigures;
    // It is only here for its days next to the period, which show a month that the seller cuts elsewhere.
    if (packageFigures.evidence.length === 0) return breaks;
    if (
      orderedMicros !== undefined &&
      exceeds(input, [packageFigures], spentInAllMicros - orderedMicros, orderedMicros)
    )
      breaks.push(
        createBreak('over_delivery', {
          ...placeOf(packageFigures),
          tolerance: toleranceIn(input, [packageFigures], orderedMicros),
          differenceMicros: spentInAllMicros - orderedMicros,
          cause: 'More was delivered than ordered, over the whole life of the package.',
          evidence: packageFigures.evidence,
        }),
      );
    if (bothWays !== undefined) {
      const { reportedMicros, polledMicros } = bothWays;
      const differenceMicros = polledMicros - reportedMicros;
      const larger = polledMicros > reportedMicros ? polledMicros : reportedMicros;
      if (
        exceeds(input, [packageFigures], differenceMicros < 0n ? -differenceMicros : differenceMicros, larger)
      )
        breaks.push(
          createBreak('late_report', {
            ...placeOf(packageFigures),
            tolerance: toleranceIn(input, [packageFigures], polledMicros),
            differenceMicros,
            cause:
              'What the seller pushed is not what it answers when it is asked: a report is missing or late.',
            evidence: packageFigures.evidence,
          }),
        );
    }
    return breaks;
  };
}

function compareAmounts(
  input: ReconcileInput,
  figures: readonly PackageFigures[],
  lines: readonly BilledLine[],
  agreed: Map<string, bigint>,
): readonly FoundBreak[] {
  const [line] = lines;
  const [packageFigures] = figures;
  if (line === undefined) return [];
  const invoicedMicros = sumOf(lines);
  const evidence = [...new Set(lines.map(({ invoice }) => invoice.id))];
  const place = {
    seller: line.invoice.seller,
    currency: line.invoice.currency,
    invoicedMicros,
    evidence: [...evidence, ...figures.flatMap((each) => each.evidence)],
    ...(packageFigures !== undefined &&
      line.sellerMediaBuyId !== undefined && { mediaBuyId: packageFigures.mediaBuyId }),
    ...(line.packageRef !== undefined && { packageRef: line.packageRef }),
  };
  if (packageFigures === undefined) {
    // Only the seller knows these ids: they distinguish such differences.
    const named = [line.sellerMediaBuyId, line.packageRef].filter((name) => name !== undefined).join(', ');
    const what = named === '' ? 'names' : `names: ${named}`;
    const cause = `Nothing was delivered in this period by what the invoice ${line.invoice.number} ${what}.`;
    const about = line.sellerMediaBuyId === undefined ? 'amount' : `amount of ${line.sellerMediaBuyId}`;
    return [createBreak('unknown', { ...place, differenceMicros: invoicedMicros, cause }, about)];
  }
  const wrongPo = lines.find(
    ({ poNumber }) =>
      poNumber !== undefined && packageFigures.poNumber !== undefined && poNumber !== packageFigures.poNumber,
  );
  const counted = figures.reduce((sum, each) => sum + each.countedMicros, 0n);
  const differenceMicros = invoicedMicros - counted;
  const size = differenceMicros < 0n ? -differenceMicros : differenceMicros;
  const breaks: FoundBreak[] = [];
  if (wrongPo !== undefined)
    breaks.push(
      createBreak('wrong_po', {
        ...place,
        differenceMicros: 0n,
        cause: `The invoice ${wrongPo.invoice.number} names the PO ${wrongPo.poNumber ?? ''}, the campaign ${packageFigures.poNumber ?? ''}.`,
      }),
    );
  if (!exceeds(input, figures, size, counted)) {
    agreed.set(subjectOf(place), differenceMicros);
    return breaks;
  }
  const { kind, cause } = guessCause(input, figures, lines, invoicedMicros);
  const tolerance = toleranceIn(input, figures, counted);
  return [
    ...breaks,
    createBreak(kind, { ...place, ...amountsOf(figures), differenceMicros, cause, tolerance }),
  ];
}

function notInvoiced(invoices: readonly BookedInvoice[]) {
  return (packageFigures: PackageFigures): FoundBreak =>
    invoices.length === 0
      ? createBreak('missing_invoice', {
          ...placeOf(packageFigures),
          differenceMicros: -packageFigures.countedMicros,
          cause: 'It was delivered, and no invoice of the seller for this period is here.',
          evidence: packageFigures.evidence,
        })
      : createBreak('missing_package', {
          ...placeOf(packageFigures),
          differenceMicros: -packageFigures.countedMicros,
          cause: 'Delivered, not invoiced yet.',
          evidence: [...invoices.map(({ id }) => id), ...packageFigures.evidence],
        });
}

const placeOf = (packageFigures: PackageFigures) => ({
  seller: packageFigures.seller,
  mediaBuyId: packageFigures.mediaBuyId,
  packageRef: packageFigures.packageRef,
  currency: packageFigures.currency,
  ...amountsOf([packageFigures]),
});

function amountsOf(figures: readonly PackageFigures[]) {
  const all = (pick: (packageFigures: PackageFigures) => bigint | undefined): bigint | undefined => {
    const known = figures.map(pick).filter((amount) => amount !== undefined);
    return known.length === 0 ? undefined : known.reduce((sum, amount) => sum + amount, 0n);
  };
  const ordered = all(({ orderedMicros }) => orderedMicros);
  const reported = all(({ reportedMicros }) => reportedMicros);
  const polled = all(({ polledMicros }) => polledMicros);
  const thirdParty = all(({ thirdPartyMicros }) => thirdPartyMicros);
  const sources = [...new Set(figures.flatMap(({ thirdPartySource: name }) => name ?? []))].sort();
  return {
    ...(ordered !== undefined && { orderedMicros: ordered }),
    ...(reported !== undefined && { reportedMicros: reported }),
    ...(polled !== undefined && { polledMicros: polled }),
    ...(thirdParty !== undefined && {
      thirdPartyMicros: thirdParty,
      thirdPartySource: sources.join(', '),
    }),
  };
}

function sumOf(lines: readonly InvoiceLine[]): bigint {
  return lines.reduce((sum, { amountMicros }) => sum + amountMicros, 0n);
}

function compareText(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
