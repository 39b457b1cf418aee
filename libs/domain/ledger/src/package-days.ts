import { isJsonObject, type JsonObject } from '@switchyard/values';
import { movesIn, versionsOf, type PostingRow } from './entry/audit-entry.js';
import type { EntryBody } from './entry/entry-body.js';
import { groupBy } from './group-by.js';
import type { PackageMonth } from './ledger-source.js';
import type { LedgerPage } from './ledger-source.js';

interface Figure {
  readonly packageRef: string;
  /** `YYYY-MM-DD`: of an entry that states no moves, the UTC day of its period's start. */
  readonly day: string;
  readonly micros: bigint;
}

/**
 * Sums of packages by day, from the texts of all entries of a ledger in their order. Requires intact texts. A late
 * figure is booked on the first open day; older entries do not have that day in their text, so it is read from their
 * postings (docs/ledger.md#closing-a-period). It keeps the figure of every version in memory: a later entry may count it
 * again, or no longer.
 */
export class PackageDays {
  /** Micros by package and day. */
  readonly #sums = new Map<string, bigint>();
  readonly #figures = new Map<string, Figure>();

  add({ rows, postings }: Pick<LedgerPage, 'rows' | 'postings'>): void {
    const linesOf = groupBy(postings, ({ entryId }) => entryId);
    for (const { entry } of rows) if (entry !== undefined) this.#addEntry(entry, linesOf.get(entry.id) ?? []);
  }

  /** Packages of which a stored day, or the sum of a stored month, differs from the entries. Used once. */
  async *differing(stored: AsyncIterable<PackageMonth>): AsyncGenerator<string> {
    for await (const { sellerBuyId, mediaBuyId, seller, packageRef, currency, ...sums } of stored) {
      const total = sums.days.reduce<bigint>((sum, micros) => sum + (micros ?? 0n), 0n);
      if (total !== sums.amountMicros) yield [sellerBuyId, packageRef, sums.month, currency].join(' ');
      for (const [place, micros] of sums.days.entries()) {
        const day = `${sums.month}-${String(place + 1).padStart(2, '0')}`;
        const key = keyOf([sellerBuyId, packageRef, day, currency, mediaBuyId, seller]);
        if ((this.#sums.get(key) ?? 0n) !== (micros ?? 0n)) yield placeOf(key);
        this.#sums.delete(key);
      }
    }
    for (const [key, micros] of this.#sums) if (micros !== 0n) yield placeOf(key);
  }

  #addEntry({ mediaBuyId, seller, facts, ...body }: EntryBody, postings: readonly PostingRow[]): void {
    const { report } = facts;
    if (!isJsonObject(report)) return;
    const stated = movesIn({ facts });
    const dayOf = bookedDay(facts, postings);
    const add = (packageRef: string, day: string, micros: bigint): void => {
      const of = [textOf(report['seller_buy_id']), packageRef, day, textOf(report['currency'])];
      const key = keyOf([...of, mediaBuyId ?? '', seller]);
      this.#sums.set(key, (this.#sums.get(key) ?? 0n) + micros);
    };
    const move = ({ packageRef, day, micros }: Figure): void => {
      if (stated === undefined) add(packageRef, dayOf(day), micros);
    };
    for (const { packageRef, day, micros } of stated ?? []) add(packageRef, day, micros);
    for (const version of versionsOf({ mediaBuyId, seller, facts, ...body })) {
      const day = textOf(report['period_start']).slice(0, 10);
      const micros = BigInt(textOf(version['spend_micros']) || '0');
      const figure = { packageRef: textOf(version['package_ref']), day, micros };
      this.#figures.set(textOf(version['id']), figure);
      if (version['counts'] === true) move(figure);
    }
    for (const figure of this.#named(facts['counts_again'])) move(figure);
    for (const figure of this.#named(facts['no_longer_counts'])) move({ ...figure, micros: -figure.micros });
  }

  #named(ids: unknown): readonly Figure[] {
    return Array.isArray(ids) ? ids.flatMap((id) => this.#figures.get(textOf(id)) ?? []) : [];
  }
}

/** The day on which a figure of a day is booked. */
function bookedDay(facts: JsonObject, postings: readonly PostingRow[]): (day: string) => string {
  const { closed_periods: closed, booked_on: stated } = facts;
  if (!Array.isArray(closed)) return (day) => day;
  const [first] = postings.map(({ day }) => day).sort();
  const bookedOn = typeof stated === 'string' ? stated : first;
  return (day) => (closed.includes(day.slice(0, 7)) ? (bookedOn ?? day) : day);
}

const keyOf = (parts: readonly string[]): string => parts.join('\u0000');
/** Seller buy, package, day and currency. */
const placeOf = (key: string): string => key.split('\u0000').slice(0, 4).join(' ');
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
