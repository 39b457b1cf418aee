import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { clean } from '../name.js';
import { useAnswer, useMay } from '../use-rows.js';

const most = { query: { limit: '100' } };
const kinds = ['client', 'brand', 'campaign', 'seller'] as const;
type Kind = (typeof kinds)[number];
interface Place {
  readonly kind: Kind;
  /** `client:ID`, as in the API. */
  readonly value: string;
  readonly label: string;
}

const placeOf = (kind: Kind, id: string, name: string): Place => ({
  kind,
  value: `${kind}:${id}`,
  label: `${kind} ${clean(name, 60)}`,
});

/** A scope as text with the name of its client or campaign, if that is among the first hundred. */
export function useScopeText(): (scope: string) => string {
  const places = usePlaces(['client', 'campaign']);
  return (scope) => places.find(({ value }) => value === scope)?.label ?? scope;
}

/** A part of the organization, selected by name, so that no id is needed. */
export function ScopeSelect({
  label,
  description,
  fixed,
  parts,
  value,
  onChange,
}: {
  readonly label: string;
  readonly description: string;
  /** Other choices, such as the whole organization, with their labels. */
  readonly fixed: Readonly<Record<string, string>>;
  readonly parts: readonly Kind[];
  readonly value: string;
  readonly onChange: (scope: string) => void;
}) {
  const [typed, setTyped] = useState('');
  const [q] = useDebouncedValue(typed.trim(), 200);
  const found = useAnswer('GET /v1/search', { query: { q } }, useMay()('media_buys.read') && q.length >= 2);
  const hits = (found.data?.results ?? []).flatMap(({ kind, id, name, brand }) => {
    const part = parts.find((text) => text === kind);
    return part === undefined ? [] : [placeOf(part, part === 'brand' ? (brand ?? id) : id, name || id)];
  });
  const all = new Map([...usePlaces(parts), ...hits].map((place) => [place.value, place]));
  if (!all.has(value) && !(value in fixed)) all.set(value, { kind: 'client', value, label: value });
  return (
    <Select
      label={label}
      description={description}
      required
      searchable
      allowDeselect={false}
      nothingFoundMessage="No name begins so."
      data={[
        ...Object.entries(fixed).map(([value, label]) => ({ value, label })),
        ...[...all.values()].map(({ value, label }) => ({ value, label })),
      ]}
      value={value}
      onSearchChange={setTyped}
      onChange={(scope) => {
        if (scope !== null) onChange(scope);
      }}
    />
  );
}

/** The parts of an organization by name: the first hundred of each kind. */
function usePlaces(wanted: readonly Kind[]): readonly Place[] {
  const may = useMay();
  const mayRead = may('clients.read');
  const clients = useAnswer('GET /v1/clients', most, mayRead && wanted.includes('client'));
  const brands = useAnswer('GET /v1/brands', most, mayRead && wanted.includes('brand'));
  const campaigns = useAnswer('GET /v1/campaigns', most, mayRead && wanted.includes('campaign'));
  const sellers = useAnswer('GET /v1/sellers', most, may('sellers.read') && wanted.includes('seller'));
  return [
    ...(clients.data?.clients ?? []).map((client) => placeOf('client', client.client_id, client.name)),
    ...(brands.data?.brands ?? []).map((brand) => placeOf('brand', brand.domain, brand.domain)),
    ...(campaigns.data?.campaigns ?? []).map((campaign) =>
      placeOf('campaign', campaign.campaign_id, campaign.name),
    ),
    ...(sellers.data?.sellers ?? []).map((seller) => placeOf('seller', seller.slug, seller.slug)),
  ];
}
