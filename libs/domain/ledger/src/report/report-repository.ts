import type { Instant } from '@switchyard/values';
import type { BookedBuy, StreamEnd } from './booked-buy.js';
import { isSplit, sharesOf, type Share } from '../calendar/share-days.js';
import { countFacts, countFigures, type CountedFigure } from './count-facts.js';
import { endIn } from './judge-order.js';
import { sameFact, type Fact, type ReportVersion, type StoredVersion } from './report-version.js';

/** The rows that were read for one batch. */
export interface LedgerContents {
  readonly buys: readonly BookedBuy[];
  /** Legs whose buy the seller has not answered yet. */
  readonly awaitedLegs: ReadonlySet<string>;
  /**
   * For each buy all versions whose period overlaps a reported one or that of a figure that overtook a `final` report of
   * the batch, and all that overlap one of those: `countFacts` needs whole groups.
   */
  readonly versions: readonly StoredVersion[];
  /** The current counted spend of each (seller buy, package), over all periods. */
  readonly spent: readonly {
    readonly sellerBuyId: string;
    readonly packageRef: string;
    readonly spendMicros: bigint;
  }[];
  /** The first open day, `YYYY-MM-DD`; absent where no period was closed. */
  readonly openFrom?: string;
}

/** How the counted versions of a seller buy change when new ones are recorded. */
export interface CountChange {
  readonly starts: readonly ReportVersion[];
  readonly stops: readonly ReportVersion[];
  /** What it adds to days, negative where a figure stops to stand there. */
  readonly moves: readonly MovedShare[];
}

/** A part of a figure that begins or stops to stand on a day. */
export interface MovedShare extends Share {
  readonly version: ReportVersion;
}

/** The working copy of one batch: each decision includes those before it. It does not access the database. */
export class ReportRepository {
  readonly #buys = new Map<string, BookedBuy>();
  readonly #awaited: ReadonlySet<string>;
  readonly #versions = new Map<string, ReportVersion[]>();
  /** The same by start of period, so that a year of one buy is not searched for each of its figures. */
  readonly #starts = new Map<string, Map<Instant, ReportVersion[]>>();
  /** Packages with versions by seller buy, each with its place in the order of their first ones. */
  readonly #packages = new Map<string, Map<string, number>>();
  readonly #counted = new Map<string, Map<ReportVersion, CountedFigure>>();
  readonly #ends = new Map<string, StreamEnd[]>();
  /** Seller buys of which a stream has ended. */
  readonly #withEnds = new Set<string>();
  readonly #spent = new Map<string, bigint>();
  /** The first open day; undefined where no period was closed. */
  readonly openFrom: string | undefined;

  constructor(contents: LedgerContents) {
    this.openFrom = contents.openFrom;
    for (const buy of contents.buys) {
      this.#buys.set(keyOf(buy.connectionId, buy.sellerMediaBuyId), buy);
      this.#ends.set(buy.sellerBuyId, [...buy.ended]);
      if (buy.ended.length > 0) this.#withEnds.add(buy.sellerBuyId);
    }
    this.#awaited = contents.awaitedLegs;
    for (const version of contents.versions) this.#remember(version);
    for (const [sellerBuyId, versions] of this.#versions) {
      const current = (versions as StoredVersion[]).filter((version) => version.isCurrent);
      // What a figure replaces matters only where it is split.
      const found = current.some(isSplit) ? countFigures(versions, this.#ends.get(sellerBuyId)) : undefined;
      this.#counted.set(
        sellerBuyId,
        new Map(current.map((version) => [version, found?.get(version) ?? { version, replaced: [] }])),
      );
    }
    for (const { sellerBuyId, packageRef, spendMicros } of contents.spent) {
      this.#spent.set(keyOf(sellerBuyId, packageRef), spendMicros);
    }
  }

  buy(connectionId: string, sellerMediaBuyId: string): BookedBuy | undefined {
    return this.#buys.get(keyOf(connectionId, sellerMediaBuyId));
  }

  isAwaited(legId: string | undefined): boolean {
    return legId !== undefined && this.#awaited.has(legId);
  }

  versionsOf(sellerBuyId: string): readonly ReportVersion[] {
    return this.#versions.get(sellerBuyId) ?? [];
  }

  versionsOfFact(fact: Fact): readonly ReportVersion[] {
    const known = this.#starts.get(fact.sellerBuyId)?.get(fact.periodStart) ?? [];
    return known.filter((version) => sameFact(version, fact));
  }

  /** The counted spend of one package, over all periods. */
  spentOn(sellerBuyId: string, packageRef: string): bigint {
    return this.#spent.get(keyOf(sellerBuyId, packageRef)) ?? 0n;
  }

  /** The counted spend of the whole buy. */
  spentOnBuy(buy: BookedBuy): bigint {
    const reported = this.#packages.get(buy.sellerBuyId)?.keys() ?? [];
    const refs = new Set(['', ...buy.packages.map(({ ref }) => ref ?? ''), ...reported]);
    return [...refs].reduce((sum, ref) => sum + this.spentOn(buy.sellerBuyId, ref), 0n);
  }

  /**
   * An upper bound for the counted spend of the whole buy with these spends: the counted spend, the new ones,
   * and all recorded ones that do not count. If this is below a limit, the exact sum is too.
   */
  mostSpentWith(buy: BookedBuy, spends: readonly bigint[]): bigint {
    const { sellerBuyId } = buy;
    const counted = this.#counted.get(sellerBuyId);
    const others = this.versionsOf(sellerBuyId).filter((version) => counted?.has(version) !== true);
    return [...spends, ...others.map(({ spendMicros }) => spendMicros)].reduce(
      (sum, spend) => sum + spend,
      this.spentOnBuy(buy),
    );
  }

  /** The counted spend of the whole buy if these versions were recorded. Records nothing. */
  spentOnBuyWith(buy: BookedBuy, versions: readonly ReportVersion[]): bigint {
    const before = this.#counted.get(buy.sellerBuyId)?.keys() ?? [];
    const after = countFacts(
      [...this.versionsOf(buy.sellerBuyId), ...versions],
      this.#ends.get(buy.sellerBuyId),
    );
    const sum = (all: Iterable<ReportVersion>): bigint =>
      [...all].reduce((total, { spendMicros }) => total + spendMicros, 0n);
    return this.spentOnBuy(buy) - sum(before) + sum(after);
  }

  /** Adds versions of one seller buy; returns which figures now count and which no longer do. */
  record(sellerBuyId: string, versions: readonly ReportVersion[]): CountChange {
    for (const version of versions) this.#remember(version);
    const counted = this.#counted.get(sellerBuyId) ?? new Map<ReportVersion, CountedFigure>();
    this.#counted.set(sellerBuyId, counted);
    const around = this.#around(sellerBuyId, versions);
    const before = this.#inOrder(around.flatMap((version) => counted.get(version) ?? []));
    const after = this.#inOrder(countFigures(around, this.#ends.get(sellerBuyId)).values());
    for (const version of before.keys()) counted.delete(version);
    for (const [version, figure] of after) counted.set(version, figure);
    const starts = [...after.keys()].filter((version) => !before.has(version));
    const stops = [...before.keys()].filter((version) => !after.has(version));
    for (const version of starts) this.#spend(version, version.spendMicros);
    for (const version of stops) this.#spend(version, -version.spendMicros);
    return { starts, stops, moves: movedShares(before, after) };
  }

  /**
   * The versions of a seller buy whose counting these can change: all that overlap them, and all that overlap one of
   * those. If a stream has ended, any version can.
   */
  #around(sellerBuyId: string, versions: readonly ReportVersion[]): readonly ReportVersion[] {
    const all = this.versionsOf(sellerBuyId);
    if (this.#withEnds.has(sellerBuyId)) return all;
    let start = Math.min(...versions.map(({ periodStart }) => periodStart));
    let end = Math.max(...versions.map(({ periodEnd }) => periodEnd));
    for (let known = -1; ;) {
      const found = all.filter(({ periodStart, periodEnd }) => periodStart < end && periodEnd > start);
      if (found.length === known) return found;
      known = found.length;
      for (const { periodStart, periodEnd } of found) {
        start = Math.min(start, periodStart);
        end = Math.max(end, periodEnd);
      }
    }
  }

  /** By package, in the order of their first versions and the whole buy last, then the shortest and earliest first. */
  #inOrder(figures: Iterable<CountedFigure>): ReadonlyMap<ReportVersion, CountedFigure> {
    const placeOf = ({ sellerBuyId, packageRef }: ReportVersion): number =>
      packageRef === '' ? Infinity : (this.#packages.get(sellerBuyId)?.get(packageRef) ?? 0);
    const sorted = [...figures].sort(
      ({ version: left }, { version: right }) =>
        (left.packageRef === right.packageRef ? 0 : placeOf(left) - placeOf(right)) ||
        left.periodEnd - left.periodStart - (right.periodEnd - right.periodStart) ||
        left.periodStart - right.periodStart,
    );
    return new Map(sorted.map((figure) => [figure.version, figure]));
  }

  /** Records that a stream has sent its last report. */
  end(buy: BookedBuy, end: BookedBuy['ended'][number]): void {
    this.#buys.set(keyOf(buy.connectionId, buy.sellerMediaBuyId), { ...buy, ended: [...buy.ended, end] });
  }

  /** A version that is currently counted, with those in whose place it counts. */
  figureOf(version: ReportVersion): CountedFigure | undefined {
    return this.#counted.get(version.sellerBuyId)?.get(version);
  }

  /** Whether a recorded version is currently counted. */
  isCounted(version: ReportVersion): boolean {
    return this.#counted.get(version.sellerBuyId)?.has(version) === true;
  }

  #remember(version: ReportVersion): void {
    remember(this.#versions, version.sellerBuyId, version);
    const starts = this.#starts.get(version.sellerBuyId) ?? new Map<Instant, ReportVersion[]>();
    this.#starts.set(version.sellerBuyId, starts);
    remember(starts, version.periodStart, version);
    const packages = this.#packages.get(version.sellerBuyId) ?? new Map<string, number>();
    this.#packages.set(version.sellerBuyId, packages);
    if (!packages.has(version.packageRef)) packages.set(version.packageRef, packages.size);
    if (endIn(version).length > 0) this.#withEnds.add(version.sellerBuyId);
  }

  #spend(version: ReportVersion, micros: bigint): void {
    const key = keyOf(version.sellerBuyId, version.packageRef);
    this.#spent.set(key, (this.#spent.get(key) ?? 0n) + micros);
  }
}

/** The difference of two placements of one seller buy. */
function movedShares(
  before: ReadonlyMap<ReportVersion, CountedFigure>,
  after: ReadonlyMap<ReportVersion, CountedFigure>,
): readonly MovedShare[] {
  const moves: MovedShare[] = [];
  for (const [version, figure] of after) {
    const known = before.get(version);
    // Only a split figure stands elsewhere when others around it change.
    if (known !== undefined && !isSplit(version)) continue;
    const now = sharesOf(figure);
    const then = known === undefined ? [] : sharesOf(known);
    if (isSame(now, then)) continue;
    moves.push(...now.map((share) => ({ version, ...share })));
    moves.push(...then.map(({ day, micros }) => ({ version, day, micros: -micros })));
  }
  for (const [version, figure] of before) {
    if (after.has(version)) continue;
    moves.push(...sharesOf(figure).map(({ day, micros }) => ({ version, day, micros: -micros })));
  }
  return moves;
}

function isSame(one: readonly Share[], other: readonly Share[]): boolean {
  return (
    one.length === other.length &&
    one.every(({ day, micros }, at) => other[at]?.day === day && other[at].micros === micros)
  );
}

function remember<Key>(all: Map<Key, ReportVersion[]>, key: Key, version: ReportVersion): void {
  const known = all.get(key);
  if (known === undefined) all.set(key, [version]);
  else known.push(version);
}

function keyOf(first: string, second: string): string {
  return `${first}\u0000${second}`;
}
