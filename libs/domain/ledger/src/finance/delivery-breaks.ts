import {
  decidingCount,
  exceeds,
  expectedOf,
  toleranceIn,
  type BookedInvoice,
  type PackageFigures,
  type ReconcileInput,
} from './compared-figures.js';
import { createBreak, type FoundBreak } from './create-break.js';
import { percentText } from './tolerance.js';

/** Packages whose difference is a part of another one that was found, by its kind. */
export type Explained = Readonly<Record<'billed_to_order' | 'third_party', Set<PackageFigures>>>;

export const nothingExplained = (): Explained => ({ billed_to_order: new Set(), third_party: new Set() });

/** Whether a delivery may differ, whatever is explained. It looks at amounts alone. */
export const mayDiffer = (input: ReconcileInput) => {
  const found = ofDelivery(input, nothingExplained(), () => []);
  return (figure: PackageFigures): boolean => found(figure).length > 0;
};

/** The differences of a delivery that do not depend on invoices. */
export function ofDelivery(
  input: ReconcileInput,
  explained: Explained,
  evidenceOf = ({ evidence }: PackageFigures): readonly string[] => evidence,
) {
  return (packageFigures: PackageFigures): readonly FoundBreak[] => {
    const breaks: FoundBreak[] = [];
    const { orderedMicros, spentInAllMicros, bothWays } = packageFigures;
    // Its days next to the period show a month that the seller cuts elsewhere.
    if (packageFigures.isBeside === true) return breaks;
    if (
      orderedMicros !== undefined &&
      packageFigures.terms?.isCapped !== true &&
      !explained.billed_to_order.has(packageFigures) &&
      exceeds(input, [packageFigures], spentInAllMicros - orderedMicros, orderedMicros)
    )
      breaks.push(
        createBreak('over_delivery', {
          ...placeOf(packageFigures),
          tolerance: toleranceIn(input, [packageFigures], orderedMicros),
          differenceMicros: spentInAllMicros - orderedMicros,
          cause: 'More was delivered than ordered, over the whole life of the package.',
          evidence: evidenceOf(packageFigures),
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
            evidence: evidenceOf(packageFigures),
          }),
        );
    }
    const counts = explained.third_party.has(packageFigures)
      ? undefined
      : twoCounts(packageFigures, evidenceOf(packageFigures));
    return counts === undefined ? breaks : [...breaks, counts];
  };
}

/** How far a third party may count from the seller where nothing was agreed, in hundredths of a percent. */
const usualVariance = 1_000;

/** The break of two counts that differ by more than was agreed, whatever was invoiced. */
function twoCounts(figure: PackageFigures, evidence: readonly string[]): FoundBreak | undefined {
  const { thirdPartyMicros, thirdPartySource = 'The third party', countedMicros, terms } = figure;
  if (thirdPartyMicros === undefined) return undefined;
  const differenceMicros = thirdPartyMicros - countedMicros;
  const deciding = decidingCount(figure);
  const allowed = terms?.maxVarianceHundredths ?? usualVariance;
  const size = differenceMicros < 0n ? -differenceMicros : differenceMicros;
  if (size * 10_000n <= deciding * BigInt(allowed)) return undefined;
  const agreed = terms?.maxVarianceHundredths === undefined ? 'usual' : 'agreed';
  const place = placeOf(figure);
  return createBreak(
    'third_party',
    {
      ...place,
      differenceMicros,
      cause: `${thirdPartySource} and the seller count differently, by more than the ${agreed} ${percentText(allowed)} %.${countedText([figure])}`,
      evidence,
    },
    'third_party',
  );
}

/** From what the figures of a third party were computed, a sentence behind others; empty where they were amounts. */
export function countedText(figures: readonly PackageFigures[]): string {
  const [first, ...others] = [...new Set(figures.flatMap(({ thirdPartyBasis: of }) => of ?? []))];
  if (first === undefined) return '';
  const more = others.length === 0 ? '' : `, and ${others.length} further packages`;
  return ` The third party counted ${first}${more}.`;
}

export function notInvoiced(invoices: readonly BookedInvoice[]) {
  return (packageFigures: PackageFigures): FoundBreak =>
    invoices.length === 0
      ? createBreak('missing_invoice', {
          ...placeOf(packageFigures),
          differenceMicros: -expectedOf(packageFigures),
          cause: 'It was delivered, and no invoice of the seller for this period is here.',
          evidence: packageFigures.evidence,
        })
      : createBreak('missing_package', {
          ...placeOf(packageFigures),
          differenceMicros: -expectedOf(packageFigures),
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

export function amountsOf(figures: readonly PackageFigures[]) {
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
