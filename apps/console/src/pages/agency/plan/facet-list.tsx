import { Checkbox, TextInput } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { useFilters } from '../../../parts/filters.js';
import { decimal, micros, moneyText } from '../../../parts/money.js';
import { Name } from '../../../parts/name.js';
import { useSellerNames } from '../../../parts/seller-name.js';
import { countsOf, type Facet } from './facets.js';
import type { Offer } from './offers.js';
import { channelNames } from './wishes.js';

/** So many values of a facet are shown before the others are asked for. */
const fewValues = 6;

/** The questions that narrow a list of offers, each with how many offers a value has. */
export function Facets({
  facets,
  offers,
  chosen,
}: {
  readonly facets: readonly Facet[];
  readonly offers: readonly Offer[];
  readonly chosen: ReadonlyMap<string, ReadonlySet<string>>;
}) {
  const [filters, setFilters] = useFilters();
  const used = chosen.size + Number(Boolean(filters['least'])) + Number(Boolean(filters['most']));
  const clear = {
    ...Object.fromEntries(facets.map(({ key }) => [key, undefined])),
    least: undefined,
    most: undefined,
  };
  return (
    <details className="facets" open={window.innerWidth > 768}>
      <summary>Filters{used > 0 && `, ${used} in use`}</summary>
      <h2 className="unseen">Filters</h2>
      {facets.map((facet) => (
        <OneFacet
          key={facet.key}
          facet={facet}
          counts={countsOf(facet, offers, facets, chosen)}
          chosen={chosen}
        >
          {facet.key === 'price' && <PriceRange offers={offers} />}
        </OneFacet>
      ))}
      {used > 0 && (
        <button type="button" className="text-button" onClick={() => setFilters(clear)}>
          Clear filters
        </button>
      )}
    </details>
  );
}

function OneFacet({
  facet: { key, title, isEach },
  counts,
  chosen,
  children,
}: {
  readonly children?: ReactNode;
  readonly facet: Facet;
  readonly counts: readonly (readonly [value: string, count: number])[];
  readonly chosen: ReadonlyMap<string, ReadonlySet<string>>;
}) {
  const [, setFilters] = useFilters();
  const [isWhole, setWhole] = useState(false);
  const nameOf = useSellerNames();
  const own = chosen.get(key) ?? new Set<string>();
  const toggle = (value: string): void => {
    const next = new Set(own);
    if (!next.delete(value)) next.add(value);
    setFilters({ [key]: next.size === 0 ? undefined : [...next].join(',') });
  };
  const fewest = isEach === true ? 1 : 2;
  if (counts.length < fewest && own.size === 0 && !children) return undefined;
  const few = isWhole ? counts : counts.slice(0, fewValues);
  return (
    <fieldset>
      <legend>{title}</legend>
      {few.map(([value, count]) => (
        <div key={value}>
          <Checkbox
            size="xs"
            label={
              <Name
                of={
                  key === 'seller'
                    ? nameOf(value)
                    : (channelNames[value] ?? upper(value.replaceAll('_', ' ')))
                }
                most={40}
              />
            }
            checked={own.has(value)}
            onChange={() => toggle(value)}
          />
          <span className="count">{count}</span>
        </div>
      ))}
      {counts.length > few.length && (
        <button type="button" className="text-button" onClick={() => setWhole(true)}>
          {counts.length - few.length} more<span className="unseen"> of {title}</span>
        </button>
      )}
      {children}
    </fieldset>
  );
}

/** From and to which price offers are shown; what there is stands in the fields as long as nothing is typed. */
function PriceRange({ offers }: { readonly offers: readonly Offer[] }) {
  const [filters, setFilters] = useFilters();
  const prices = offers.flatMap(({ price }) => micros(price) ?? []);
  if (prices.length < 2) return undefined;
  const ends = {
    least: prices.reduce((a, b) => (a < b ? a : b)),
    most: prices.reduce((a, b) => (a > b ? a : b)),
  };
  return (
    <div>
      {(['least', 'most'] as const).map((key) => (
        <TextInput
          key={key}
          size="xs"
          w="48%"
          aria-label={key === 'least' ? 'Price from' : 'Price to'}
          leftSection={key === 'least' ? '≥' : '≤'}
          inputMode="decimal"
          placeholder={moneyText(decimal(ends[key]))}
          value={filters[key] ?? ''}
          onChange={({ currentTarget: { value } }) => setFilters({ [key]: value === '' ? undefined : value })}
        />
      ))}
    </div>
  );
}

const upper = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
