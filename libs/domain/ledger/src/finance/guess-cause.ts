import {
  expectedOf,
  toleranceFor,
  type BilledLine,
  type PackageFigures,
  type ReconcileInput,
} from './compared-figures.js';
import type { BreakKind } from './create-break.js';
import { countedText } from './delivery-breaks.js';
import { shiftDay } from './period.js';
import { percentText } from './tolerance.js';

export interface Cause {
  readonly kind: BreakKind;
  readonly cause: string;
}

/** The lines of a group, what they bill, and the packages that they name. */
interface Rest {
  readonly figures: readonly PackageFigures[];
  readonly lines: readonly BilledLine[];
  readonly invoiced: bigint;
}

/** The commission of an agency where nothing else was agreed, in hundredths of a percent. */
const usualCommission = 1_500;

/**
 * Explains why an invoice differs from the delivery. An explanation must make both equal within the absolute tolerance,
 * change the figure, and name what it assumes. All that fit are named, and the first is the kind
 * (docs/ledger.md#reconciliation).
 */
export function guessCause(
  input: ReconcileInput,
  figures: readonly PackageFigures[],
  lines: readonly BilledLine[],
  invoiced: bigint,
): Cause {
  const rest: Rest = { figures, lines, invoiced };
  const expected = sum(figures, expectedOf);
  const fits = (amount: bigint): boolean =>
    figures.length > 0 && amount !== expected && isNear(input, figures, amount, invoiced);
  const counted = sum(figures, ({ countedMicros }) => countedMicros);
  const judge: Judge = {
    expected,
    counted,
    fits,
    changes: (amount) => amount !== counted && fits(amount),
    input,
  };
  const found = explanations.flatMap((explain) => explain(rest, judge));
  const [first, ...others] = found;
  if (first === undefined) return { kind: 'unknown', cause: 'No single cause makes both the same.' };
  const also = others.filter(({ kind }) => kind !== first.kind).map(({ cause }) => cause);
  return also.length === 0 ? first : { ...first, cause: `${first.cause} It also fits: ${also.join(' ')}` };
}

interface Judge {
  readonly input: ReconcileInput;
  readonly expected: bigint;
  /** Whether an amount is what was billed, and another one than what is expected. */
  readonly fits: (amount: bigint) => boolean;
  /** The count of the seller. It is not what is expected where another count is owed. */
  readonly counted: bigint;
  /** Whether an amount fits and is not that count. */
  readonly changes: (amount: bigint) => boolean;
}

type Explanation = (rest: Rest, judge: Judge) => readonly Cause[];

const grossNet: Explanation = ({ figures }, { expected, fits }) => {
  const [terms] = figures.flatMap(({ terms: of }) => of ?? []);
  const hundredths = terms?.commissionHundredths ?? usualCommission;
  const share = BigInt(10_000 - hundredths);
  const of = `${percentText(hundredths)} %${terms?.commissionHundredths === undefined ? ' commission, as is usual' : ' commission, as agreed'}`;
  if (fits((expected * share) / 10_000n)) return [{ kind: 'gross_net', cause: `It is net of ${of}.` }];
  return fits((expected * 10_000n) / share) ? [{ kind: 'gross_net', cause: `It is gross, with ${of}.` }] : [];
};

const taxInside: Explanation = ({ lines }, { expected, fits }) => {
  const rates = new Map<string, readonly [bigint, bigint]>();
  for (const { invoice } of lines) {
    const { netMicros: net, taxMicros: tax } = invoice;
    if (net !== undefined && tax !== undefined && net > 0n && tax > 0n) rates.set(invoice.id, [net, tax]);
  }
  return [...rates.values()]
    .filter(([net, tax]) => fits((expected * (net + tax)) / net))
    .slice(0, 1)
    .map(() => ({ kind: 'tax_inside', cause: 'The tax of the document stands in the amount too.' }));
};

const otherMonths: Explanation = ({ figures }, { input, expected, fits }) => {
  const months = new Map<string, bigint>();
  for (const { otherMonths: of, spentInAllMicros, countedMicros } of figures)
    for (const [month, micros] of of ?? [['', spentInAllMicros - countedMicros] as const])
      months.set(month, (months.get(month) ?? 0n) + micros);
  const known = [...months].filter(([, micros]) => micros !== 0n).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const own = input.from.slice(0, 7);
  const before = known.filter(([month]) => month < own).toReversed();
  const after = known.filter(([month]) => month > own);
  for (const part of [before, after, [...before, ...after]]) {
    let amount = expected;
    for (const [at, [, micros]] of part.entries()) {
      amount += micros;
      if (!fits(amount)) continue;
      const names = part.slice(0, at + 1).map(([month]) => month);
      const which = names.includes('') ? 'other months' : names.toSorted().join(', ');
      return [
        {
          kind: 'other_months',
          cause: `It bills what was delivered in ${which} too, which no document bills.`,
        },
      ];
    }
  }
  return [];
};

const billedToOrder: Explanation = ({ figures }, { fits }) => {
  const room = roomOf(figures);
  return room !== undefined && room < sum(figures, expectedOf) && fits(room)
    ? [{ kind: 'billed_to_order', cause: 'It bills what was ordered, and not what was delivered above it.' }]
    : [];
};

/** What the order leaves for the period; undefined where one of the packages has no order. */
export function roomOf(figures: readonly PackageFigures[]): bigint | undefined {
  if (figures.some(({ orderedMicros }) => orderedMicros === undefined)) return undefined;
  return sum(figures, ({ orderedMicros = 0n, spentInAllMicros, countedMicros }) => {
    const left = orderedMicros - (spentInAllMicros - countedMicros);
    return left < 0n ? 0n : left;
  });
}

const missingPackage: Explanation = ({ figures }, { expected, fits }) =>
  figures.length < 2
    ? []
    : figures
        .filter((figure) => expectedOf(figure) > 0n && fits(expected - expectedOf(figure)))
        .slice(0, 1)
        .map(({ packageRef, sellerMediaBuyId }) => ({
          kind: 'missing_package',
          cause: `The invoice fits without the package ${packageRef || sellerMediaBuyId}.`,
        }));

const thirdParty: Explanation = ({ figures }, { counted, fits }) => {
  if (figures.every(({ thirdPartyMicros }) => thirdPartyMicros === undefined)) return [];
  const theirs = sum(figures, ({ thirdPartyMicros, countedMicros }) => thirdPartyMicros ?? countedMicros);
  const source = figures.find(({ thirdPartySource }) => thirdPartySource !== undefined)?.thirdPartySource;
  if (fits(theirs))
    return [
      {
        kind: 'third_party',
        cause: `It bills the count of ${source ?? 'the third party'}.${countedText(figures)}`,
      },
    ];
  return fits(counted)
    ? [{ kind: 'third_party', cause: `It bills the count of the seller.${countedText(figures)}` }]
    : [];
};

const zoneCut: Explanation = ({ figures }, { input: { from, to }, changes }) =>
  [1, -1]
    .filter((days) =>
      changes(sum(figures, (figure) => inDays(figure, shiftDay(from, days), shiftDay(to, days)))),
    )
    .slice(0, 1)
    .map((days) => ({
      kind: 'time_zone_cut',
      cause: `The seller's month starts on another day: the invoice fits the days from ${shiftDay(from, days)} on.`,
    }));

const otherWindow: Explanation = ({ figures }, { changes }) =>
  [...new Set(figures.flatMap(({ windows }) => [...windows.keys()]))]
    .filter((window) => changes(sum(figures, (figure) => figure.windows.get(window) ?? figure.countedMicros)))
    .slice(0, 1)
    .map((window) => ({
      kind: 'window_mismatch',
      cause: `The invoice fits the measurement window ${window === '' ? 'without a name' : window}.`,
    }));

const lateReport: Explanation = ({ figures }, { changes }) =>
  changes(sum(figures, (figure) => figure.countedAtIssueMicros ?? figure.countedMicros))
    ? [
        {
          kind: 'late_report',
          cause: 'The invoice fits what was known when it was issued: figures came or changed after it.',
        },
      ]
    : [];

const unitsOrPrice: Explanation = ({ figures, lines }, { counted, expected, fits }) => {
  const units = sum(figures, (figure) => figure.units ?? 0n);
  const billed = sum(lines, (line) => line.units ?? 0n);
  if (billed <= 0n || units <= 0n) return [];
  if (fits((expected * billed) / units))
    return [
      {
        kind: 'units',
        cause: `Same price, other count: they billed ${billed > units ? billed - units : units - billed} ${billed > units ? 'more' : 'fewer'} than were delivered.`,
      },
    ];
  return !fits(counted) && (billed > units ? billed - units : units - billed) * 50n <= units
    ? [{ kind: 'price', cause: 'The units are those that were delivered: the price is another one.' }]
    : [];
};

/** In the order in which they are believed where several fit. */
const explanations: readonly Explanation[] = [
  grossNet,
  taxInside,
  otherMonths,
  billedToOrder,
  missingPackage,
  thirdParty,
  zoneCut,
  otherWindow,
  lateReport,
  unitsOrPrice,
];

function inDays({ days }: PackageFigures, from: string, to: string): bigint {
  return sum([...days], ([day, amount]) => (day >= from && day < to ? amount : 0n));
}

function isNear(input: ReconcileInput, figures: readonly PackageFigures[], amount: bigint, invoiced: bigint) {
  // Narrower than the usual tolerance: an explanation must fit.
  const { absoluteMicros } = toleranceFor(input, figures);
  const size = amount > invoiced ? amount - invoiced : invoiced - amount;
  return size <= absoluteMicros;
}

function sum<T>(items: readonly T[], amountOf: (item: T) => bigint): bigint {
  return items.reduce((total, item) => total + amountOf(item), 0n);
}
