import { atOnce } from '@switchyard/values';
import type { BilledLine, BookedInvoice, PackageFigures, ReconcileInput } from './compared-figures.js';
import { SellerComparison } from './compare-seller.js';
import { createBreak, type FoundBreak } from './create-break.js';
import { mayDiffer, ofDelivery } from './delivery-breaks.js';
import { compareText } from './duplicates.js';
import { groupsOf, held, targetFinder, type FoundLine } from './find-targets.js';
import { groupBy } from '../group-by.js';

export interface Reconciliation {
  /** Number of comparisons without a difference. */
  readonly matched: number;
  readonly breaks: readonly FoundBreak[];
  /** What is owed less than was delivered because it was agreed: no decision is needed, and the books follow. */
  readonly settled: readonly FoundBreak[];
  /** Amounts that were compared and differ within the tolerance: the difference by its subject. */
  readonly agreed: ReadonlyMap<string, bigint>;
}

/** The packages whose days and evidence are looked at next; undefined at a pause. */
type Looked = readonly PackageFigures[] | undefined;

/** `reconciliationWork` without a pause. */
export const reconcile = (input: ReconcileInput): Reconciliation => atOnce(reconciliationWork(input));

/** Number of packages or lines that are compared between two pauses. */
const comparedAtOnce = 500;

/**
 * Compares ordered, delivered and invoiced amounts, seller by seller, and yields so that other work can run, and before it
 * looks at the days and the evidence of packages that differ: most agree, and nobody needs theirs. Lines and the
 * packages that they name are compared in groups, over all documents; lines of a document that names nothing with the
 * other deliveries in its currency (docs/ledger.md#reconciliation).
 */
export function* reconciliationWork(input: ReconcileInput): Generator<Looked, Reconciliation> {
  const packages = groupBy(input.packages, ({ seller }) => seller);
  const invoices = groupBy(input.invoices, ({ seller }) => seller);
  const sellers = [...new Set([...packages.keys(), ...invoices.keys()])].sort();
  const found: Reconciliation[] = [];
  for (const seller of sellers) {
    found.push(yield* reconcileSeller(input, packages.get(seller) ?? [], invoices.get(seller) ?? []));
    yield undefined;
  }
  return {
    matched: found.reduce((sum, { matched }) => sum + matched, 0),
    agreed: new Map(found.flatMap(({ agreed }) => [...agreed])),
    settled: found.flatMap(({ settled }) => settled),
    breaks: found
      .flatMap(({ breaks }) => breaks)
      .toSorted((left, right) => compareText(left.fingerprint, right.fingerprint)),
  };
}

function* reconcileSeller(
  input: ReconcileInput,
  packages: readonly PackageFigures[],
  all: readonly BookedInvoice[],
): Generator<Looked, Reconciliation> {
  const find = targetFinder(packages);
  const billed = all.flatMap((invoice) => invoice.lines.map((line) => find({ ...line, invoice })));
  yield undefined;
  const others = otherCurrencies(all, packages, billed);
  // A line is in the currency of the buy that it names. What it names is known to the seller alone: as its invoice.
  const isRight = ({ targets: [own], line: { invoice } }: FoundLine): boolean =>
    own === undefined ? !others.has(invoice) : own.currency === invoice.currency;
  const right = billed.filter(isRight);
  const wrong = billed.filter((line) => !isRight(line)).map(({ line }) => line);
  const comparing = new SellerComparison(input, packages, all);
  const { repeated, duplicates } = comparing.withoutDuplicates(right);
  yield undefined;
  const lines = right.filter(({ line }) => !repeated.has(line.invoice));
  for (const [at, group] of groupsOf(held(lines)).entries()) {
    comparing.compareGroup(group);
    if (at % comparedAtOnce === 0) yield undefined;
  }
  comparing.takeUnknown(lines);
  comparing.takeOpen(lines, wrong);
  const differing = new Set(comparing.differing);
  const differs = mayDiffer(input);
  for (const [at, figure] of packages.entries()) {
    if (at % comparedAtOnce === 0) yield undefined;
    if (differs(figure)) differing.add(figure);
  }
  yield [...differing];
  let at = 0;
  for (const _ of comparing.explain()) if ((at += 1) % comparedAtOnce === 0) yield undefined;
  const breaks = [...duplicates, ...wrongCurrency(wrong, packages), ...comparing.breaks];
  const ofOne = ofDelivery(input, comparing.explained);
  for (const figure of differing) {
    breaks.push(...ofOne(figure));
    if ((at += 1) % comparedAtOnce === 0) yield undefined;
  }
  const { matched, settled, agreed } = comparing;
  return { matched, breaks: withExchanged(breaks), settled, agreed };
}

/** Two rests that nothing explains and that cancel, of one seller in one currency: amounts that stand in each other's place. */
function withExchanged(breaks: readonly FoundBreak[]): readonly FoundBreak[] {
  const rests = breaks.filter(({ kind, mediaBuyId }) => kind === 'unknown' && mediaBuyId !== undefined);
  const byAmount = groupBy(rests, ({ currency, differenceMicros }) => `${currency} ${differenceMicros}`);
  const nameOf = ({ mediaBuyId = '', packageRef }: FoundBreak): string =>
    packageRef === undefined ? mediaBuyId : `${packageRef} of ${mediaBuyId}`;
  return breaks.map((found) => {
    if (found.kind !== 'unknown' || found.mediaBuyId === undefined) return found;
    const { currency, differenceMicros } = found;
    const [other, more] = byAmount.get(`${currency} ${-differenceMicros}`) ?? [];
    const [own] = byAmount.get(`${currency} ${differenceMicros}`) ?? [];
    if (other === undefined || more !== undefined || own !== found) return found;
    return {
      ...found,
      kind: 'exchanged',
      cause: `The difference of ${nameOf(other)} is the same with the other sign: their amounts were exchanged.`,
    };
  });
}

/** Invoices in another currency than everything that they name, or than all that was delivered. */
function otherCurrencies(
  all: readonly BookedInvoice[],
  packages: readonly PackageFigures[],
  lines: readonly FoundLine[],
): ReadonlySet<BookedInvoice> {
  const ofInvoice = groupBy(lines, ({ line }) => line.invoice);
  return new Set(
    all.filter((invoice) => {
      const meant = (ofInvoice.get(invoice) ?? []).flatMap(({ targets }) => targets);
      const near = meant.length > 0 ? meant : packages;
      return near.length > 0 && near.every(({ currency }) => currency !== invoice.currency);
    }),
  );
}

function wrongCurrency(
  lines: readonly BilledLine[],
  packages: readonly PackageFigures[],
): readonly FoundBreak[] {
  return [...groupBy(lines, ({ invoice }) => invoice)].map(([invoice, ofInvoice]) => {
    const amount = ofInvoice.reduce((sum, { amountMicros }) => sum + amountMicros, 0n);
    const expected = [...new Set(packages.map(({ currency }) => currency))].join(', ');
    return createBreak('currency', {
      seller: invoice.seller,
      currency: invoice.currency,
      invoicedMicros: amount,
      differenceMicros: amount,
      cause: `The invoice ${invoice.number} is in ${invoice.currency}, and the buys are in ${expected}.`,
      evidence: [invoice.id],
    });
  });
}
