import { NativeSelect, Select, TextInput } from '@mantine/core';
import { useState } from 'react';
import { clean } from '../../../parts/name.js';
import { useAnswer, useMay } from '../../../parts/use-rows.js';
import { useCampaignsOf } from '../use-campaigns-of.js';
import { basketNow, changeBasket, isDomain } from './basket.js';

/** The days of a campaign, for a plan that has none or ends outside of it. */
function daysIn({ from, to }: { readonly from: string; readonly to: string }) {
  const { end } = basketNow();
  if (end !== '' && end >= from && end <= to) return {};
  return { end: to, start: from > new Date().toISOString().slice(0, 10) ? from : '' };
}

/** The choice of a brand that is not in the list; no domain looks so. */
const another = '*';

/** A brand chosen by its name. Whoever may not read brands, or has none, types its domain. */
export function BrandPicker({
  value,
  onChange,
  isRequired = false,
}: {
  /** A domain. */
  readonly value: string;
  readonly onChange: (domain: string) => void;
  readonly isRequired?: boolean;
}) {
  const { data } = useAnswer('GET /v1/brands', { query: { limit: '500' } }, useMay()('clients.read'));
  const all = data?.brands ?? [];
  const [isTyped, setTyped] = useState(false);
  const isKnown = value === '' || all.some(({ domain }) => domain === value);
  if (all.length === 0 || isTyped || !isKnown)
    return (
      <TextInput
        label="Brand"
        required={isRequired}
        description="Its domain, as sellers see it"
        placeholder="acme.example"
        value={value}
        onChange={({ currentTarget }) => onChange(currentTarget.value.trim().toLowerCase())}
        error={value !== '' && !isDomain(value) && 'Write it as a domain, such as acme.example.'}
      />
    );
  return (
    <Select
      label="Brand"
      required={isRequired}
      description="Limits hold for it"
      placeholder={isRequired ? 'Choose' : 'Any'}
      searchable
      clearable={!isRequired}
      clearButtonProps={{ 'aria-label': 'No brand' }}
      nothingFoundMessage="No brand has this name."
      data={[
        ...all.map(({ domain, name, client }) => ({
          value: domain,
          label: clean(`${name === '' ? domain : name}, ${client}`, 70),
        })),
        { value: another, label: 'Another brand: type its domain' },
      ]}
      value={value === '' ? null : value}
      onChange={(domain) => (domain === another ? setTyped(true) : onChange(domain ?? ''))}
    />
  );
}

/**
 * A campaign of the brand; without a brand of all brands. Choosing it chooses its brand, and its days where the plan has
 * none or others than those of the campaign.
 */
export function CampaignPicker({
  brand,
  value,
}: {
  readonly brand: string;
  /** Its id; empty for none. */
  readonly value: string;
}) {
  const campaigns = useCampaignsOf(brand === '' ? null : brand, useMay()('clients.read')) ?? [];
  const open = campaigns.filter(({ status }) => status !== 'closed');
  return (
    <NativeSelect
      label="Campaign"
      description={brand === '' ? 'Of any brand' : 'Of this brand'}
      value={value}
      onChange={({ currentTarget: { value: id } }) => {
        const chosen = campaigns.find((campaign) => campaign.campaign_id === id);
        changeBasket({ brand: chosen?.brand ?? brand });
        changeBasket({ campaignId: id, ...(chosen !== undefined && daysIn(chosen)) });
      }}
      data={[
        { value: '', label: 'None: assign later' },
        ...open.map(({ campaign_id: id, name }) => ({ value: id, label: clean(name, 60) })),
      ]}
    />
  );
}
