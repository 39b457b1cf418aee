import {
  toleranceFor,
  type BilledLine,
  type PackageFigures,
  type ReconcileInput,
} from './compared-figures.js';
import type { BreakKind } from './create-break.js';
import { shiftDay } from './period.js';

interface Cause {
  readonly kind: BreakKind;
  readonly cause: string;
}

/**
 * Guesses why an invoice differs from the delivery: the first explanation that makes both equal. The figures
 * beside it allow a check; without an explanation it is `unknown`.
 */
export function guessCause(
  input: ReconcileInput,
  figures: readonly PackageFigures[],
  lines: readonly BilledLine[],
  invoiced: bigint,
): Cause {
  const near = (amount: bigint): boolean => isNear(input, figures, amount, invoiced);
  const delivered = sum(figures, (packageFigures) => packageFigures.countedMicros);
  const missing = figures.filter(
    (figure) => near(delivered - figure.countedMicros) && figure.countedMicros > 0n,
  );
  const [left] = missing;
  if (left !== undefined && figures.length > 1)
    return {
      kind: 'missing_package',
      cause: `The invoice fits without the package ${left.packageRef || left.sellerMediaBuyId}.`,
    };
  for (const days of [1, -1])
    if (
      near(
        sum(figures, (packageFigures) =>
          inDays(packageFigures, shiftDay(input.from, days), shiftDay(input.to, days)),
        ),
      )
    )
      return {
        kind: 'time_zone_cut',
        cause: `The seller's month starts on another day: the invoice fits the days from ${shiftDay(input.from, days)} on.`,
      };
  for (const window of new Set(figures.flatMap(({ windows }) => [...windows.keys()])))
    if (
      near(
        sum(figures, (packageFigures) => packageFigures.windows.get(window) ?? packageFigures.countedMicros),
      )
    )
      return {
        kind: 'window_mismatch',
        cause: `The invoice fits the measurement window ${window === '' ? 'without a name' : window}.`,
      };
  if (
    near(
      sum(figures, (packageFigures) => packageFigures.countedAtIssueMicros ?? packageFigures.countedMicros),
    )
  )
    return {
      kind: 'late_report',
      cause: 'The invoice fits what was known when it was issued: figures came or changed after it.',
    };
  const units = sum(figures, (packageFigures) => packageFigures.units ?? 0n);
  const billed = sum(lines, (line) => line.units ?? 0n);
  if (billed > 0n && units > 0n && near((delivered * billed) / units))
    return {
      kind: 'unknown',
      cause: `Same price, other count: they billed ${billed > units ? billed - units : units - billed} ${billed > units ? 'more' : 'fewer'} than were delivered.`,
    };
  if (billed > 0n && units > 0n && (billed > units ? billed - units : units - billed) * 50n <= units)
    return { kind: 'price', cause: 'The units are those that were delivered: the price is another one.' };
  return { kind: 'unknown', cause: 'No single cause makes both the same.' };
}

function inDays({ days }: PackageFigures, from: string, to: string): bigint {
  return sum([...days], ([day, amount]) => (day >= from && day < to ? amount : 0n));
}

function isNear(input: ReconcileInput, figures: readonly PackageFigures[], amount: bigint, invoiced: bigint) {
  if (figures.length === 0) return false;
  // Narrower than the usual tolerance: an explanation must fit.
  const { absoluteMicros } = toleranceFor(input, figures);
  const size = amount > invoiced ? amount - invoiced : invoiced - amount;
  return size <= absoluteMicros;
}

function sum<T>(items: readonly T[], amountOf: (item: T) => bigint): bigint {
  return items.reduce((total, item) => total + amountOf(item), 0n);
}
