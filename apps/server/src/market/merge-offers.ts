import { interleave, type Merged, type Offer, type Sourced } from '@switchyard/fanout';
import { slicesOf, weightOf } from '@switchyard/values';

/** The limits of a merged answer: more than a client reads, and little enough to be written as one text. */
const mostItems = 10_000;
const mostWeight = 250_000;
/** The weight merged, and counted, in one turn of the event loop. */
const mergedPerTurn = 20_000;
const countedPerTurn = 50_000;

interface MergedOffers<Item> extends Merged<Item> {
  /** Sellers whose items could not be merged because of a mistake of ours. */
  readonly failed: readonly string[];
  /** Sellers with items left out because there are too many. */
  readonly cut: readonly string[];
}

/**
 * Merges sellers' items, one seller at a time, so that the event loop is not held and an error affects one seller
 * alone. If there are too many items in total, each seller loses those that it ranks last.
 */
export function* mergeOffers<Item>(
  offers: readonly Offer<Item>[],
  merge: (offers: readonly Offer<Item>[]) => Merged<Item>,
  wanted = Number.POSITIVE_INFINITY,
): Generator<void, MergedOffers<Item>> {
  const filteredOut: Record<string, number> = {};
  const failed: string[] = [];
  const stored: Offer<Item>[] = [];
  let done = 0;
  for (const { seller, items } of offers) {
    const merged: Item[] = [];
    try {
      for (const slice of slicesOf(items, mergedPerTurn, (item) => weightOf(item, mergedPerTurn))) {
        done += slice.weight;
        if (done > mergedPerTurn) {
          yield;
          done = slice.weight;
        }
        const some = merge([{ seller, items: slice.items }]);
        filteredOut[seller] = (filteredOut[seller] ?? 0) + (some.filteredOut[seller] ?? 0);
        for (const { item } of some.items) merged.push(item);
      }
      stored.push({ seller, items: merged });
    } catch {
      failed.push(seller);
    }
    if (filteredOut[seller] === 0) Reflect.deleteProperty(filteredOut, seller);
  }
  const all = interleave(stored);
  const items = yield* fitting(all.slice(0, Math.min(wanted, mostItems)));
  const isCut = items.length < Math.min(wanted, all.length);
  const cut = isCut ? [...new Set(all.slice(items.length).map(({ seller }) => seller))] : [];
  return { items, filteredOut, failed, cut };
}

/** The first items whose total weight fits into one answer. */
function* fitting<Item>(items: readonly Sourced<Item>[]): Generator<void, readonly Sourced<Item>[]> {
  const taken: Sourced<Item>[] = [];
  let weight = 0;
  for (const slice of slicesOf(items, countedPerTurn, ({ item }) => weightOf(item, mostWeight))) {
    if (weight > 0) yield;
    weight += slice.weight;
    if (weight > mostWeight && taken.length > 0) return taken;
    taken.push(...slice.items);
  }
  return taken;
}
