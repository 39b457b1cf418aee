import {
  exceeds,
  expectedOf,
  isCountLate,
  isCountMissing,
  toleranceIn,
  type BilledLine,
  type BookedInvoice,
  type PackageFigures,
  type ReconcileInput,
} from './compared-figures.js';
import { createBreak, subjectOf, type FoundBreak } from './create-break.js';
import { amountsOf, countedText, notInvoiced, nothingExplained, type Explained } from './delivery-breaks.js';
import { byIssue, contentOf, duplicateOf } from './duplicates.js';
import { groupsOf, held, isHeld, type BilledGroup, type FoundLine } from './find-targets.js';
import { guessCause } from './guess-cause.js';
import { groupBy } from '../group-by.js';
import type { InvoiceLine } from './invoice.js';

/** The comparison of one seller. */
export class SellerComparison {
  matched = 0;
  readonly breaks: FoundBreak[] = [];
  /** What is owed less than delivered, by what was agreed. */
  readonly settled: FoundBreak[] = [];
  readonly agreed = new Map<string, bigint>();
  /** What a difference of an invoice explains already: its packages, by the kind. */
  readonly explained: Explained = nothingExplained();
  private readonly taken = new Set<PackageFigures>();
  /** Differences that are explained once the days and the evidence of their packages are here. */
  private readonly unexplained: (() => void)[] = [];
  /** The packages of these differences. */
  readonly differing = new Set<PackageFigures>();

  constructor(
    private readonly input: ReconcileInput,
    private readonly packages: readonly PackageFigures[],
    private readonly invoices: readonly BookedInvoice[],
  ) {}

  /** Explains what was found to differ, one difference after another. */
  *explain(): Generator<void> {
    for (const one of this.unexplained) yield one();
  }

  private explainLater(figures: readonly PackageFigures[], explain: () => void): void {
    for (const figure of figures) this.differing.add(figure);
    this.unexplained.push(explain);
  }

  compareGroup({ lines, figures }: BilledGroup): void {
    for (const figure of figures) this.taken.add(figure);
    const repetition = this.repetitionIn(lines, figures);
    const counted = lines.filter(({ line }) => line.invoice !== repetition?.invoice);
    if (repetition !== undefined) this.breaks.push(repetition.found);
    this.compare(
      figures,
      counted.map(({ line }) => line),
      counted.find(({ wrongPo }) => wrongPo !== undefined),
    );
    this.settle(figures, counted);
    this.breaks.push(...counted.flatMap(ofSeveralClients), ...awaitedCounts(figures, counted));
  }

  /** What an agreement leaves between delivery and what is owed, unless lines of the document take it off themselves. */
  private settle(figures: readonly PackageFigures[], found: readonly FoundLine[]): void {
    const commission = sumOf(found.filter(({ type }) => type === 'commission').map(({ line }) => line));
    const counted = figures.reduce((sum, { countedMicros }) => sum + countedMicros, 0n);
    const rest = sumOfExpected(figures) - counted - commission;
    const [figure] = figures;
    const terms = figures.map(({ terms: of }) => of);
    const late = figures.find(isCountLate);
    if ((rest === 0n && late === undefined) || figure === undefined) return;
    const [kind, why] = terms.some((of) => of?.isNet === true)
      ? (['gross_net', 'It is billed net of commission'] as const)
      : late !== undefined
        ? (['third_party', lateText(late)] as const)
        : terms.some((of) => of?.isThirdPartyBilled === true)
          ? (['third_party', 'The count of the third party has to be paid'] as const)
          : (['billed_to_order', 'Nothing above the order has to be paid'] as const);
    const buys = [...new Set(figures.map(({ mediaBuyId }) => mediaBuyId))].sort();
    const ofOne = {
      mediaBuyId: figure.mediaBuyId,
      ...(figures.length === 1 && { packageRef: figure.packageRef }),
    };
    const place = { ...billedPlace(found.map(({ line }) => line)), ...(buys.length === 1 && ofOne) };
    const cause = `${why}, as agreed.${kind === 'third_party' ? countedText(figures) : ''}`;
    const about = `agreed of ${buys[0] ?? ''}`;
    this.settled.push(
      createBreak(kind, { ...place, ...amountsOf(figures), differenceMicros: rest, cause }, about),
    );
  }

  /** A document of a group that fits without it. */
  private repetitionIn(
    lines: readonly FoundLine[],
    figures: readonly PackageFigures[],
  ): { readonly invoice: BookedInvoice; readonly found: FoundBreak } | undefined {
    const documents = groupBy(lines, ({ line }) => line.invoice);
    const all = sumOf(lines.map(({ line }) => line));
    if (documents.size < 2 || this.isNear(figures, lines.length, all)) return undefined;
    const inOrder = [...documents].toSorted(([left], [right]) => byIssue(right, left));
    for (const [invoice, own] of inOrder) {
      const amount = sumOf(own.map(({ line }) => line));
      if (amount <= 0n || !this.isNear(figures, lines.length - own.length, all - amount)) continue;
      const first = inOrder.find(([other]) => other !== invoice)?.[0];
      return { invoice, found: duplicateOf(invoice, first, amount, 'Its delivery is billed without it') };
    }
    return undefined;
  }

  private isNear(figures: readonly PackageFigures[], lines: number, amount: bigint): boolean {
    const expected = sumOfExpected(figures);
    const rest = amount - expected;
    return !exceeds(this.input, figures, rest < 0n ? -rest : rest, expected, lines);
  }

  private compare(figures: readonly PackageFigures[], lines: readonly BilledLine[], wrong?: FoundLine): void {
    const [line] = lines;
    const [figure] = figures;
    if (line === undefined || figure === undefined) return;
    const invoicedMicros = sumOf(lines);
    const buys = new Set(figures.map(({ mediaBuyId }) => mediaBuyId));
    const isNamed =
      line.sellerMediaBuyId !== undefined || line.packageRef !== undefined || line.poNumber !== undefined;
    const refs = new Set(lines.map(({ packageRef }) => packageRef));
    const ofOne = buys.size === 1 && isNamed;
    const place = {
      seller: line.invoice.seller,
      currency: line.invoice.currency,
      invoicedMicros,
      ...(ofOne && { mediaBuyId: figure.mediaBuyId }),
      ...(ofOne && refs.size === 1 && line.packageRef !== undefined && { packageRef: figure.packageRef }),
    };
    const differenceMicros = invoicedMicros - sumOfExpected(figures);
    const isAgreed = this.isNear(figures, lines.length, invoicedMicros);
    if (isAgreed && (ofOne || !isNamed)) this.agreed.set(subjectOf(place), differenceMicros);
    if (isAgreed && wrong?.wrongPo === undefined) this.matched += 1;
    else
      this.explainLater(figures, () => {
        const invoices = new Set(lines.map(({ invoice }) => invoice.id));
        const evidence = [...invoices, ...figures.flatMap((each) => each.evidence)];
        if (wrong !== undefined) this.breaks.push(...wrongPoOf(wrong, { ...place, evidence }));
        if (isAgreed) return;
        const { kind, cause } = guessCause(this.input, figures, lines, invoicedMicros);
        if (kind === 'billed_to_order' || kind === 'third_party')
          for (const each of figures) this.explained[kind].add(each);
        const tolerance = toleranceIn(this.input, figures, sumOfExpected(figures));
        const about = ofOne || !isNamed ? 'amount' : `amount of ${[...buys].sort()[0] ?? ''}`;
        const found = { ...place, evidence, ...amountsOf(figures), differenceMicros, cause, tolerance };
        this.breaks.push(createBreak(kind, found, about));
      });
  }

  /** Lines that name a buy or a package that was not delivered, each thing by itself. */
  takeUnknown(lines: readonly FoundLine[]): void {
    const unknown = lines.filter(({ isUnknown, type }) => isUnknown && isHeld(type)).map(({ line }) => line);
    const keyOf = ({ sellerMediaBuyId, packageRef, invoice: { currency } }: BilledLine): string =>
      JSON.stringify([sellerMediaBuyId, packageRef, currency]);
    for (const of of groupBy(unknown, keyOf).values()) {
      const [line] = of;
      if (line === undefined) continue;
      const named = [line.sellerMediaBuyId, line.packageRef].filter((name) => name !== undefined).join(', ');
      const about = line.sellerMediaBuyId === undefined ? 'amount' : `amount of ${line.sellerMediaBuyId}`;
      this.breaks.push(
        createBreak(
          'unknown',
          {
            ...billedPlace(of),
            differenceMicros: sumOf(of),
            cause: `Nothing was delivered in this period by what the invoice ${line.invoice.number} names: ${named}.`,
            ...(line.packageRef !== undefined && { packageRef: line.packageRef }),
          },
          about,
        ),
      );
    }
  }

  /**
   * Lines that name nothing. A document that names nothing at all is compared with the other deliveries in its currency;
   * beside named lines, a fee was not ordered, and another line cannot be assigned. An equal amount is proposed, and never
   * taken.
   */
  takeOpen(lines: readonly FoundLine[], wrong: readonly BilledLine[]): void {
    const open = lines.filter(({ targets, isUnknown }) => targets.length === 0 && !isUnknown);
    const naming = new Set(lines.filter(({ targets }) => targets.length > 0).map(({ line }) => line.invoice));
    const credits = new Set(held(lines).map(({ line }) => line));
    const rest = this.packages.filter((item) => !this.taken.has(item) && item.countedMicros !== 0n);
    const fees = lines.filter(({ type, isUnknown }) => type === 'fee' && !isUnknown);
    const beside = open.filter(
      ({ type, line }) => isHeld(type) && naming.has(line.invoice) && !credits.has(line),
    );
    const loose = open.filter(({ type, line }) => isHeld(type) && !naming.has(line.invoice));
    for (const [invoice, of] of groupBy(fees, ({ line }) => line.invoice)) {
      const media = held(lines.filter(({ line }) => line.invoice === invoice));
      if (!this.isAgreedFee(of, media)) this.addOpen('unordered_fee', invoice, of, rest);
    }
    for (const [invoice, of] of groupBy(beside, ({ line }) => line.invoice))
      this.addOpen('unassigned_line', invoice, of, rest);
    for (const [currency, of] of groupBy(loose, ({ line }) => line.invoice.currency)) {
      const figures = rest.filter((figure) => figure.currency === currency);
      const ofLoose = of.map(({ line }) => line);
      if (figures.length > 0) this.compare(figures, ofLoose);
      else
        this.breaks.push(
          createBreak('unknown', {
            ...billedPlace(ofLoose),
            differenceMicros: sumOf(ofLoose),
            cause: `Nothing was delivered in this period by what the invoice ${ofLoose[0]?.invoice.number ?? ''} names.`,
          }),
        );
    }
    if (loose.length > 0) return;
    // Of what a line in another currency names it is known to be invoiced; where it names nothing known, it may be any of it.
    const ofBuy = groupBy(this.packages, ({ sellerMediaBuyId }) => sellerMediaBuyId);
    const inOther = new Set(wrong.map(({ sellerMediaBuyId = '' }) => sellerMediaBuyId));
    if (![...inOther].every((id) => ofBuy.has(id))) return;
    const left = rest.filter((figure) => !inOther.has(figure.sellerMediaBuyId) && expectedOf(figure) !== 0n);
    const missing = notInvoiced(this.invoices);
    for (const figure of left) this.explainLater([figure], () => this.breaks.push(missing(figure)));
  }

  /** Whether fees are within what was agreed of the media beside them. */
  private isAgreedFee(fees: readonly FoundLine[], media: readonly FoundLine[]): boolean {
    const figures = [...fees, ...media].flatMap(({ targets }) => targets);
    const agreed = figures.flatMap(({ terms }) => terms?.feeHundredths ?? []);
    const most = agreed.reduce((left, right) => (left > right ? left : right), 0);
    const allowed = (sumOf(media.map(({ line }) => line)) * BigInt(most)) / 10_000n;
    const over = sumOf(fees.map(({ line }) => line)) - allowed;
    return agreed.length > 0 && !exceeds(this.input, figures, over, allowed, fees.length);
  }

  private addOpen(
    kind: 'unordered_fee' | 'unassigned_line',
    invoice: BookedInvoice,
    found: readonly FoundLine[],
    rest: readonly PackageFigures[],
  ): void {
    const lines = found.map(({ line }) => line);
    const amount = sumOf(lines);
    const equal = rest.filter(
      (figure) => figure.currency === invoice.currency && expectedOf(figure) === amount,
    );
    const [only, another] = equal;
    const probably =
      only === undefined || another !== undefined
        ? ''
        : ` It probably bills ${only.packageRef || only.sellerMediaBuyId}, which has the same amount.`;
    const words = lines.map(({ description }) => description).filter((text) => text !== undefined);
    const what = words.length === 0 ? '' : ` (${words.slice(0, 3).join(', ').slice(0, 200)})`;
    const cause =
      kind === 'unordered_fee'
        ? `The invoice ${invoice.number} has a fee that nobody ordered${what}.`
        : `The invoice ${invoice.number} has a line that names nothing that was bought${what}.`;
    this.breaks.push(
      createBreak(
        kind,
        { ...billedPlace(lines), differenceMicros: amount, cause: `${cause}${probably}` },
        `${kind} of ${invoice.number}`,
      ),
    );
  }

  /** Documents with the lines of another one under their own number, unless both together agree with the delivery. */
  withoutDuplicates(lines: readonly FoundLine[]): {
    readonly repeated: ReadonlySet<BookedInvoice>;
    readonly duplicates: readonly FoundBreak[];
  } {
    const first = new Map<string, BookedInvoice>();
    const repeated = new Map<BookedInvoice, BookedInvoice>();
    for (const invoice of this.invoices.toSorted(byIssue)) {
      const content = contentOf(invoice);
      const known = first.get(content);
      if (known === undefined) first.set(content, invoice);
      else repeated.set(invoice, known);
    }
    if (repeated.size === 0) return { repeated: new Set(), duplicates: [] };
    const agreeing = new Set<BookedInvoice>();
    const differing = new Set<BookedInvoice>();
    for (const group of groupsOf(held(lines))) {
      const amount = sumOf(group.lines.map(({ line }) => line));
      const verdict = this.isNear(group.figures, group.lines.length, amount) ? agreeing : differing;
      for (const { line } of group.lines) verdict.add(line.invoice);
    }
    const found = [...repeated].filter(([invoice]) => differing.has(invoice) || !agreeing.has(invoice));
    return {
      repeated: new Set(found.map(([invoice]) => invoice)),
      duplicates: found.map(([invoice, other]) =>
        duplicateOf(invoice, other, invoice.totalMicros, 'It bills the same lines'),
      ),
    };
  }
}

function lateText({ terms }: PackageFigures): string {
  const [late, other] =
    terms?.isThirdPartyBilled === true ? ['third party', 'seller'] : ['seller', 'third party'];
  return `The ${late} said no final count until ${terms?.finalCount?.dueOn ?? ''}, and that of the ${other} has to be paid`;
}

/** What is billed before the third party whose count is owed has said it. */
function awaitedCounts(
  figures: readonly PackageFigures[],
  found: readonly FoundLine[],
): readonly FoundBreak[] {
  const awaited = figures.filter(
    (figure) =>
      figure.terms?.isThirdPartyBilled === true &&
      figure.terms.finalCount?.isOver === false &&
      isCountMissing(figure),
  );
  return [...groupBy(awaited, ({ mediaBuyId }) => mediaBuyId)].map(([mediaBuyId, of]) => {
    const due =
      of
        .map(({ terms }) => terms?.finalCount?.dueOn ?? '')
        .toSorted()
        .at(-1) ?? '';
    const cause = `The count of the third party has to be paid, and is not here: it is due until ${due}. Until then the invoice is held against the count of the seller.`;
    const place = { ...billedPlace(found.map(({ line }) => line)), mediaBuyId, differenceMicros: 0n, cause };
    return createBreak('third_party', { ...place, ...amountsOf(of) }, `count of ${mediaBuyId}`);
  });
}

/** The break of a line that names another purchase order than the campaign has. */
function wrongPoOf(
  { line, wrongPo }: FoundLine,
  place: Omit<FoundBreak, 'kind' | 'fingerprint' | 'differenceMicros' | 'cause'>,
): readonly FoundBreak[] {
  if (wrongPo === undefined) return [];
  const cause = `The invoice ${line.invoice.number} names the PO ${wrongPo.said}, the campaign ${wrongPo.ours}.`;
  return [createBreak('wrong_po', { ...place, differenceMicros: 0n, cause })];
}

/** A line whose name means packages of several clients: how much of it is whose, a person says. */
function ofSeveralClients({ line, targets }: FoundLine): readonly FoundBreak[] {
  const clients = new Set(targets.map(({ clientId = '' }) => clientId));
  if (clients.size < 2) return [];
  const names = [line.sellerMediaBuyId, line.packageRef, line.poNumber, line.description];
  const name = names.find((text) => text !== undefined)?.slice(0, 200) ?? '';
  const cause = `The invoice ${line.invoice.number} bills ${name}, a name that buys of ${clients.size} clients have: say what is whose.`;
  const place = { ...billedPlace([line]), differenceMicros: 0n, cause };
  return [createBreak('unassigned_line', place, `clients of ${name} in ${line.invoice.number}`)];
}

const billedPlace = (lines: readonly BilledLine[]) => ({
  seller: lines[0]?.invoice.seller ?? '',
  currency: lines[0]?.invoice.currency ?? '',
  invoicedMicros: sumOf(lines),
  evidence: [...new Set(lines.map(({ invoice }) => invoice.id))],
});

const sumOfExpected = (figures: readonly PackageFigures[]): bigint =>
  figures.reduce((sum, figure) => sum + expectedOf(figure), 0n);

function sumOf(lines: readonly InvoiceLine[]): bigint {
  return lines.reduce((sum, { amountMicros }) => sum + amountMicros, 0n);
}
