import { NativeSelect, Stack, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type Answer } from '../../api/client.js';
import { ConfirmButton } from '../../parts/forms/confirm-button.js';
import { DateInput } from '../../parts/forms/date-input.js';
import { clean } from '../../parts/name.js';
import { bindText } from '../../parts/forms/bind-text.js';

type Client = Answer<'GET /v1/clients'>['clients'][number];

/** Adds a client and its first brand. */
export function NewClient() {
  const [name, setName] = useState('');
  const [brand, setBrand] = useState('');
  const queries = useQueryClient();
  const act = async (): Promise<void> => {
    const made = await api('POST /v1/clients', { body: { name: name.trim() } });
    if (brand.trim() !== '')
      await api('POST /v1/brands', {
        body: { client_id: made.client_id, domain: brand.trim().toLowerCase(), name: name.trim() },
      });
    await queries.invalidateQueries({ queryKey: ['clients'] });
    setName('');
    setBrand('');
  };
  return (
    <ConfirmButton label="New client" variant="default" act={act} done="The client is there.">
      <Stack gap="xs">
        <TextInput label="Name" required data-autofocus maxLength={200} {...bindText(name, setName)} />
        <TextInput label="Domain of its brand" placeholder="acme.example" {...bindText(brand, setBrand)} />
      </Stack>
    </ConfirmButton>
  );
}

/** Adds a brand to a client. Buys of the brand that were made before get the client. */
export function NewBrand({ clients }: { readonly clients: readonly Client[] }) {
  const [clientId, setClient] = useState('');
  const [domain, setDomain] = useState('');
  const queries = useQueryClient();
  const act = async (): Promise<void> => {
    await api('POST /v1/brands', {
      body: { client_id: clientId, domain: domain.trim().toLowerCase(), name: domain.trim() },
    });
    await queries.invalidateQueries();
    setDomain('');
  };
  return (
    <ConfirmButton
      label="New brand"
      variant="default"
      act={act}
      blocked={clientId === '' || domain.trim() === '' ? 'Choose the client and name the brand.' : undefined}
      done="The brand is there. Its earlier buys have the client now."
      disabled={clients.length === 0}
    >
      <Stack gap="xs">
        <ClientSelect clients={clients} value={clientId} onChange={setClient} />
        <TextInput
          label="Domain of the brand"
          required
          placeholder="acme.example"
          {...bindText(domain, setDomain)}
        />
      </Stack>
    </ConfirmButton>
  );
}

const none = { name: '', client_id: '', brand: '', budget: '', currency: 'USD', from: '', to: '' };

const fields = [
  ['name', 'Name'],
  ['brand', 'Brand (domain)'],
  ['budget', 'Budget'],
  ['currency', 'Currency'],
] as const;
const days = [
  ['from', 'First day'],
  ['to', 'Last day'],
] as const;

/** Adds a campaign to a client. */
export function NewCampaign({ clients }: { readonly clients: readonly Client[] }) {
  const [typed, setTyped] = useState(none);
  const queries = useQueryClient();
  const set = (name: keyof typeof none, value: string): void =>
    setTyped((old) => ({ ...old, [name]: value }));
  const act = async (): Promise<void> => {
    if (typed.client_id === '') throw new Error('Choose a client.');
    await api('POST /v1/campaigns', { body: typed });
    await queries.invalidateQueries({ queryKey: ['campaigns'] });
    setTyped(none);
  };
  return (
    <ConfirmButton
      label="New campaign"
      act={act}
      done="The campaign is there."
      disabled={clients.length === 0}
    >
      <Stack gap="xs">
        <ClientSelect clients={clients} value={typed.client_id} onChange={(id) => set('client_id', id)} />
        {fields.map(([name, label]) => (
          <TextInput
            key={name}
            label={label}
            required
            value={typed[name]}
            onChange={({ currentTarget }) => set(name, currentTarget.value)}
          />
        ))}
        {days.map(([name, label]) => (
          <DateInput
            key={name}
            label={label}
            required
            value={typed[name]}
            onChange={(day) => set(name, day)}
          />
        ))}
      </Stack>
    </ConfirmButton>
  );
}

function ClientSelect({
  clients,
  value,
  onChange,
}: {
  readonly clients: readonly Client[];
  readonly value: string;
  readonly onChange: (id: string) => void;
}) {
  return (
    <NativeSelect
      label="Client"
      required
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
      data={[
        { value: '', label: 'Choose a client' },
        ...clients.map(({ client_id: id, name }) => ({ value: id, label: clean(name, 60) })),
      ]}
    />
  );
}
