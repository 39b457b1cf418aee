import type { PackageFigures } from './compared-figures.js';
import type { BreakKind } from './create-break.js';
import { daysOfPeriod, shiftDay, type AccountingPeriod } from './period.js';

/** What usually becomes of a difference, and why. */
interface Proposal {
  readonly as: 'expected' | 'dispute' | 'accept' | 'write-off' | 'corrected';
  readonly because: string;
}

/** A difference of at most this much is too small to follow: one unit of the currency. */
const smallMicros = 1_000_000n;

/**
 * What a person usually decides about a difference. Undefined where its kind and its sign do not say it: the person has to
 * find out first.
 */
export function proposedDecision({
  kind,
  differenceMicros,
}: {
  readonly kind: BreakKind;
  readonly differenceMicros: bigint;
}): Proposal | undefined {
  const size = differenceMicros < 0n ? -differenceMicros : differenceMicros;
  switch (kind) {
    case 'missing_invoice':
    case 'missing_package':
      return differenceMicros < 0n
        ? { as: 'expected', because: 'It was delivered, and its invoice has not come yet.' }
        : undefined;
    case 'time_zone_cut':
      return differenceMicros < 0n
        ? { as: 'expected', because: 'The seller bills the days that are left out with another month.' }
        : undefined;
    case 'duplicate_invoice':
      return { as: 'dispute', because: 'The same lines are billed twice.' };
    case 'over_delivery':
      return { as: 'dispute', because: 'Nobody ordered what was delivered above the order.' };
    case 'price':
    case 'units':
    case 'currency':
    case 'gross_net':
    case 'tax_inside':
    case 'unordered_fee':
    case 'unassigned_line':
      return differenceMicros > 0n
        ? { as: 'dispute', because: 'The invoice does not have what was agreed.' }
        : undefined;
    case 'billed_to_order':
      return { as: 'accept', because: 'What was delivered above the order is not billed.' };
    case 'exchanged':
      return { as: 'corrected', because: 'Both amounts agree once they stand at the right order.' };
    case 'wrong_po':
      return { as: 'corrected', because: 'The amounts agree; only the number of the order differs.' };
    default:
      return size <= smallMicros
        ? { as: 'write-off', because: 'It is at most one unit of the currency.' }
        : undefined;
  }
}

/** One UTC day of the period: what was delivered, and whether the invoice has it. */
interface BilledDay {
  /** YYYY-MM-DD. */
  readonly day: string;
  readonly micros: bigint;
  readonly isInvoiced: boolean;
}

/**
 * The days of a period with what was delivered on each. A seller that cuts the month elsewhere leaves out the days at one
 * end; without an invoice no day is billed; otherwise it is not known by days, and all count as billed.
 */
export function billedDays(
  period: AccountingPeriod,
  { kind, invoicedMicros }: { readonly kind: BreakKind; readonly invoicedMicros?: bigint },
  figures: readonly Pick<PackageFigures, 'days'>[],
): readonly BilledDay[] {
  const { from, to } = daysOfPeriod(period);
  const on = (day: string): bigint => figures.reduce((sum, { days }) => sum + (days.get(day) ?? 0n), 0n);
  const days: string[] = [];
  for (let day = from; day < to; day = shiftDay(day, 1)) days.push(day);
  const leftOut = kind === 'time_zone_cut' && invoicedMicros !== undefined ? cutDay() : undefined;
  return days.map((day) => ({
    day,
    micros: on(day),
    isInvoiced: invoicedMicros !== undefined && day !== leftOut,
  }));

  /** The day that the invoice leaves out: the first or the last, whichever makes the amounts equal. */
  function cutDay(): string | undefined {
    const billed = (first: string, end: string): bigint => {
      let sum = 0n;
      for (let day = first; day < end; day = shiftDay(day, 1)) sum += on(day);
      return sum;
    };
    const away = (by: 1 | -1): bigint => {
      const size = billed(shiftDay(from, by), shiftDay(to, by)) - (invoicedMicros ?? 0n);
      return size < 0n ? -size : size;
    };
    return away(1) <= away(-1) ? days[0] : days.at(-1);
  }
}
