import { micros } from '../../../parts/money.js';
import type { Offer } from './offers.js';
import { typedAmount } from './typed-amount.js';

/** A question about offers: each of its values narrows the list, and several of one question widen it. */
export interface Facet {
  /** True where each value is a condition of its own: several narrow the list further. */
  readonly isEach?: true;
  /** Its name in the address. */
  readonly key: 'channel' | 'price' | 'currency' | 'can' | 'format' | 'seller';
  readonly title: string;
  readonly valuesOf: (offer: Offer) => readonly string[];
}

/**
 * The questions, of which some need the budget that somebody typed, as decimal text, or the formats of the creatives that
 * there are.
 */
export function facetsOf(budget: string, ownFormats: ReadonlySet<string> = new Set()): readonly Facet[] {
  const money = micros(budget) ?? 0n;
  return [
    { key: 'channel', title: 'Channel', valuesOf: ({ channels }) => channels },
    { key: 'price', title: 'Price', valuesOf: ({ isAuction }) => [isAuction ? 'auction' : 'fixed'] },
    { key: 'currency', title: 'Currency', valuesOf: ({ currency }) => [currency] },
    {
      key: 'can',
      title: 'Can I buy it?',
      isEach: true,
      valuesOf: ({ formats, minimum }) => [
        ...(formats.some((format) => ownFormats.has(format)) ? ['a creative of mine fits'] : []),
        ...(money > 0n && (micros(minimum) ?? 0n) <= money ? ['least spend is within my budget'] : []),
      ],
    },
    { key: 'seller', title: 'Seller', valuesOf: ({ seller }) => [seller] },
    { key: 'format', title: 'Format', valuesOf: ({ formats }) => formats },
  ];
}

/** The values that are chosen, by facet: `video,audio` in the address. */
export const chosenIn = (
  facets: readonly Facet[],
  filters: Readonly<Record<string, string>>,
): ReadonlyMap<string, ReadonlySet<string>> =>
  new Map(
    facets.flatMap(({ key }) => {
      const values = (filters[key] ?? '').split(',').filter((value) => value !== '');
      return values.length === 0 ? [] : [[key, new Set(values)] as const];
    }),
  );

/** Whether the price of an offer lies between two amounts as people type them; either may be missing. */
export function isPriced({ price }: Offer, { least, most }: Readonly<Record<string, string>>): boolean {
  const [from, to] = [least, most].map((text) => micros(typedAmount(text ?? '') ?? ''));
  const own = micros(price);
  if (from === undefined && to === undefined) return true;
  return own !== undefined && (from === undefined || own >= from) && (to === undefined || own <= to);
}

/** Whether an offer has a chosen value of each facet; `except` leaves one facet out, to count its values. */
export const fits = (
  offer: Offer,
  facets: readonly Facet[],
  chosen: ReadonlyMap<string, ReadonlySet<string>>,
  except?: Facet['key'],
): boolean =>
  facets.every(({ key, valuesOf, isEach }) => {
    const wanted = chosen.get(key);
    if (wanted === undefined || key === except) return true;
    const own = new Set(valuesOf(offer));
    return isEach === true
      ? [...wanted].every((value) => own.has(value))
      : [...wanted].some((value) => own.has(value));
  });

/** The values of a facet with how many offers each would show, most first. */
export function countsOf(
  facet: Facet,
  offers: readonly Offer[],
  facets: readonly Facet[],
  chosen: ReadonlyMap<string, ReadonlySet<string>>,
): readonly (readonly [value: string, count: number])[] {
  const counts = new Map<string, number>();
  for (const offer of offers)
    for (const value of new Set(facet.valuesOf(offer))) {
      if (value === '') continue;
      const isShown = fits(offer, facets, chosen, facet.key);
      counts.set(value, (counts.get(value) ?? 0) + Number(isShown));
    }
  return [...counts].sort((a, b) => b[1] - a[1] || a[0].localeCompare(b[0]));
}
