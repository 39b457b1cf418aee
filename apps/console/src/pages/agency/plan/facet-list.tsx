import { Checkbox } from '@mantine/core';
import { useState } from 'react';
import { useFilters } from '../../../parts/filters.js';
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
  const [, setFilters] = useFilters();
  const clear = Object.fromEntries(facets.map(({ key }) => [key, undefined]));
  return (
    <details className="facets" open={window.innerWidth > 768}>
      <summary>Filters{chosen.size > 0 && `, ${chosen.size} in use`}</summary>
      <h2 className="unseen">Filters</h2>
      {facets.map((facet) => (
        <OneFacet
          key={facet.key}
          facet={facet}
          counts={countsOf(facet, offers, facets, chosen)}
          chosen={chosen}
        />
      ))}
      {chosen.size > 0 && (
        <button type="button" className="text-button" onClick={() => setFilters(clear)}>
          Clear filters
        </button>
      )}
    </details>
  );
}

function OneFacet({
  facet: { key, title },
  counts,
  chosen,
}: {
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
  if (counts.length < 2 && own.size === 0) return undefined;
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
    </fieldset>
  );
}

const upper = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
