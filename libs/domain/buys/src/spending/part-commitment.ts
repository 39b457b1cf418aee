import { sumMicros, type Micros } from '@switchyard/money';
import { isBuyOver, type MediaBuyStatus } from '@switchyard/protocol';
import type { Instant } from '@switchyard/values';
import type { MonthAmount } from '../model/limit.js';
import { spreadOverMonths, type SpendTime } from './spend-months.js';

/**
 * What a seller's part of a buy is for the limits. `winding_down`: it is over, and its seller's final figures are not
 * known yet. `final`: nothing more is expected of it.
 */
export type SpendState = 'pending' | 'live' | 'winding_down' | 'final';

interface PackageFacts {
  readonly budget: Micros;
  /** The budget that it had before it was lowered, until a report says what was spent of that; else zero. */
  readonly kept: Micros;
  /** What the ledger counts of it. */
  readonly booked: Micros;
  readonly isCanceled: boolean;
  /** False for a canceled package that its seller never named. */
  readonly isMade: boolean;
  /** Its figures are final, to its end. */
  readonly isFinal: boolean;
  /** False if its flight had not begun when it ended. */
  readonly hasBegun: boolean;
  /** What its cancellation costs by the quoted terms, at most. */
  readonly fee: Micros;
}

/** What is known of a seller's part of a buy, in one currency. */
export interface PartFacts {
  readonly status: MediaBuyStatus;
  /** A person has ended its commitment. */
  readonly isEnded: boolean;
  /** The packages that the seller has accepted. */
  readonly packages: readonly PackageFacts[];
  /** What the ledger counts of packages that are not among them. */
  readonly bookedElsewhere: Micros;
  readonly invoiced: Micros;
}

/** What one request committed at a seller. */
export interface Commitment {
  readonly id: string;
  readonly state: 'pending' | 'committed' | 'released';
  readonly amount: Micros;
  /** What counts in each month. */
  readonly months: readonly MonthAmount[];
  /** The day of the commitment, `YYYY-MM-DD`. */
  readonly from: string;
}

interface JudgedPart {
  readonly state: SpendState;
  /** What is committed for the accepted packages. */
  readonly due: Micros;
  /** The greater of booked and invoiced: no commitment is less. */
  readonly least: Micros;
}

/**
 * What a part commits (docs/protocol/media-buys.md#spending-limits). Until the final figures of all its packages are
 * known, each package counts with its budget, or what it delivered above it; the one before a lowered budget counts until
 * the next report. Then what was delivered or invoiced counts, with the fee of a cancellation. What ended before its
 * flight began, and is neither booked nor invoiced, counts with that fee at once.
 */
export function judgePart(part: PartFacts): JudgedPart {
  const { packages, status, invoiced } = part;
  const ofPackages = sumMicros(packages.map((item) => item.booked));
  const booked = part.bookedElsewhere + ofPackages;
  const least = larger(booked, invoiced);
  if (packages.length === 0) return { state: 'pending', due: least, least };
  const isOver = isBuyOver(status);
  // Money beside the packages can be of one that never began: only the final figures of all of them say.
  const isFinal = isOver && (part.isEnded || packages.every(least > ofPackages ? hasFigures : isDone));
  if (isFinal) {
    const fees = status === 'rejected' ? 0n : sumMicros(packages.map(({ fee }) => fee));
    return { state: 'final', due: least + fees, least };
  }
  const kept = packages.map((item) => {
    const isOut = !isOver && item.isCanceled && isDone(item);
    return isOut ? item.booked + item.fee : larger(larger(item.budget, item.kept), item.booked);
  });
  const due = larger(part.bookedElsewhere + sumMicros(kept), invoiced);
  return { state: isOver ? 'winding_down' : 'live', due, least };
}

const hasFigures = (item: PackageFacts): boolean => item.isFinal || !item.isMade;

const isDone = (item: PackageFacts): boolean => hasFigures(item) || (!item.hasBegun && item.booked <= 0n);

/** How long after its seller's own times a part still waits for final figures before a person may end it. */
const graceMs = 10 * 86_400_000;

/**
 * From when on a person may end the commitment of a part that is winding down, without final figures: the delay that
 * its seller declared and the deadline of its terms are over, and ten days more.
 */
export function endableFrom({
  overSince,
  delayMinutes,
  deadlineHours,
}: {
  readonly overSince: Instant;
  readonly delayMinutes: number;
  readonly deadlineHours: number;
}): Instant {
  return overSince + Math.max(0, delayMinutes) * 60_000 + Math.max(0, deadlineHours) * 3_600_000 + graceMs;
}

/**
 * The commitments of a part as they must be now. They are filled from the oldest; the newest takes what is more than all
 * of them. What counts in a month is never less than what is booked there.
 *
 * @param bookedIn what the ledger counts of the part, by month
 */
export function recommit(
  commitments: readonly Commitment[],
  { due, least, state }: JudgedPart,
  { bookedIn, ...time }: Omit<SpendTime, 'from'> & { readonly bookedIn: ReadonlyMap<string, Micros> },
): readonly Commitment[] {
  const rows = filled(commitments, state === 'pending' ? undefined : due, least);
  const left = new Map([...bookedIn].toSorted(([one], [other]) => (one < other ? -1 : 1)));
  const last = rows.findLastIndex((row) => row.state !== 'released');
  return rows.map((row, at) => {
    if (row.state === 'released') return row;
    const booked = at === last ? left : takeBooked(left, row.amount);
    return { ...row, months: spreadOverMonths(row.amount, { ...time, from: row.from }, booked) };
  });
}

function filled(
  commitments: readonly Commitment[],
  due: Micros | undefined,
  least: Micros,
): readonly Commitment[] {
  const has = (state: Commitment['state']): boolean => commitments.some((row) => row.state === state);
  const pending = sumMicros(commitments.filter((row) => row.state === 'pending').map(({ amount }) => amount));
  // A seller that delivers what it has refused, or not accepted yet, is counted too.
  if (!has('committed') && has('pending')) {
    const last = commitments.findLastIndex((row) => row.state === 'pending');
    const missing = larger(least - pending, 0n);
    return commitments.map((row, at) => (at === last ? { ...row, amount: row.amount + missing } : row));
  }
  if (!has('committed') && least > 0n)
    return commitments.map((row, at) =>
      at === commitments.length - 1 ? { ...row, state: 'committed', amount: least } : row,
    );
  const newest = commitments.findLastIndex((row) => row.state === 'committed');
  const committed = commitments.filter((row) => row.state === 'committed').map(({ amount }) => amount);
  let room = larger(due ?? sumMicros(committed), least);
  return commitments.map((row, at) => {
    if (row.state !== 'committed') return row;
    const amount = larger(at === newest || row.amount > room ? room : row.amount, 0n);
    room -= amount;
    return { ...row, amount };
  });
}

/** Takes what was booked first, up to an amount, out of `left`. */
function takeBooked(left: Map<string, Micros>, amount: Micros): ReadonlyMap<string, Micros> {
  const taken = new Map<string, Micros>();
  let room = amount;
  for (const [month, sum] of left) {
    if (sum <= 0n || room <= 0n) continue;
    const part = sum < room ? sum : room;
    taken.set(month, part);
    left.set(month, sum - part);
    room -= part;
  }
  return taken;
}

function larger(one: Micros, other: Micros): Micros {
  return one > other ? one : other;
}
