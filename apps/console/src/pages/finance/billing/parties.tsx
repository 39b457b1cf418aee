import { NativeSelect, SimpleGrid, TextInput } from '@mantine/core';
import { useState } from 'react';
import { api, type Answer } from '../../../api/client.js';
import { ActForm } from '../../../parts/forms/act-form.js';
import { ScopeSelect } from '../../../parts/forms/scope-select.js';
import { useTyped } from '../../../parts/forms/use-typed.js';
import { clean } from '../../../parts/name.js';
import { taxes } from './words.js';
import { bindText } from '../../../parts/forms/bind-text.js';

type Entity = Answer<'GET /v1/billing/entities'>['entities'][number];

const place = { name: '', street: '', post_code: '', city: '', country: '', tax_id: '' };

/** The inputs of a name and its postal address. */
function AddressFields({
  field,
  hasTaxId,
}: {
  readonly field: (member: keyof typeof place) => Parameters<typeof TextInput>[0];
  readonly hasTaxId: boolean;
}) {
  return (
    <>
      <TextInput
        label="Name"
        description="As its documents have it"
        required
        maxLength={200}
        {...field('name')}
      />
      <TextInput label="Street" description="With the number" required maxLength={200} {...field('street')} />
      <TextInput
        label="Post code"
        description="Empty where there is none"
        maxLength={20}
        {...field('post_code')}
      />
      <TextInput label="City" description="Town or city" required maxLength={100} {...field('city')} />
      <TextInput label="Country" description="As DE" required maxLength={2} {...field('country')} />
      <TextInput
        label="Tax id"
        description="As DE123456789"
        required={hasTaxId}
        maxLength={50}
        {...field('tax_id')}
      />
    </>
  );
}

const addressOf = (typed: Readonly<Record<keyof typeof place, string>>) => ({
  street: typed.street.trim(),
  post_code: typed.post_code.trim(),
  city: typed.city.trim(),
  country: typed.country.trim().toUpperCase(),
});

const hasAddress = ({ name, street, city, country }: typeof place): boolean =>
  [name, street, city].every((text) => text.trim() !== '') && /^[a-z]{2}$/i.test(country.trim());

const company = { ...place, series: '', currency: '', iban: '', bic: '' };

export function AddCompany() {
  const { field, typed, filled, clear } = useTyped(company);
  const add = async (): Promise<void> => {
    const { iban, bic } = filled();
    await api('POST /v1/billing/entities', {
      body: {
        name: typed.name.trim(),
        address: addressOf(typed),
        tax_id: typed.tax_id.trim(),
        series: typed.series.trim(),
        currency: typed.currency.trim().toUpperCase(),
        ...(iban !== undefined && { iban: iban.replaceAll(/\s/g, '') }),
        ...(bic !== undefined && { bic }),
      },
    });
    clear();
  };
  return (
    <ActForm
      title="Add a company"
      label="Ask for the company"
      done="The company is entered."
      act={add}
      isReady={hasAddress(typed) && typed.tax_id.trim() !== '' && /^[a-z]{3}$/i.test(typed.currency.trim())}
    >
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <AddressFields field={field} hasTaxId />
        <TextInput label="Numbers begin with" description="As NW-" maxLength={20} {...field('series')} />
        <TextInput label="Currency" description="As EUR" required maxLength={3} {...field('currency')} />
        <TextInput label="IBAN" description="Where clients pay" maxLength={50} {...field('iban')} />
        <TextInput label="BIC" description="Of that bank" maxLength={20} {...field('bic')} />
      </SimpleGrid>
    </ActForm>
  );
}

const billed = { ...place, reference: '', email: '', days: '30', tax: '0' };

/** Says by whom a client is billed, where to, and with which tax. */
export function BillClient({ entities }: { readonly entities: readonly Entity[] }) {
  const { field, typed, filled, clear } = useTyped(billed);
  const [client, setClient] = useState('');
  const [chosen, setChosen] = useState('');
  const [category, setCategory] = useState<keyof typeof taxes>('S');
  const [detail, setDetail] = useState<'open' | 'closed'>('open');
  const entityId = chosen || (entities[0]?.entity_id ?? '');
  const set = async (): Promise<void> => {
    const { reference, email, tax_id: taxId } = filled();
    await api('POST /v1/billing/clients', {
      body: {
        client_id: client.replace('client:', ''),
        entity_id: entityId,
        name: typed.name.trim(),
        address: addressOf(typed),
        term_days: Number(typed.days),
        detail,
        tax_percent: typed.tax.trim(),
        tax_category: category,
        ...(taxId !== undefined && { tax_id: taxId }),
        ...(reference !== undefined && { reference }),
        ...(email !== undefined && { email }),
      },
    });
    clear();
    setClient('');
  };
  return (
    <ActForm
      title="Say how a client is billed"
      label="Set it"
      done="The client is billed so from the next run on."
      act={set}
      isReady={client !== '' && entityId !== '' && hasAddress(typed) && /^\d{1,3}$/.test(typed.days.trim())}
    >
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <ScopeSelect
          label="Client"
          description="Type the beginning of a name."
          fixed={{}}
          parts={['client']}
          value={client}
          onChange={setClient}
        />
        <NativeSelect
          label="Billed by"
          description="The company on its documents"
          data={[
            ...(entities.length === 0 ? [{ value: '', label: 'Add a company first' }] : []),
            ...entities.map(({ entity_id: value, name }) => ({ value, label: clean(name, 60) })),
          ]}
          {...bindText(entityId, setChosen)}
        />
        <AddressFields field={field} hasTaxId={false} />
        <TextInput label="Tax, percent" description="As 19" required inputMode="decimal" {...field('tax')} />
        <NativeSelect
          label="Kind of tax"
          description="As in the e-invoice"
          data={Object.entries(taxes).map(([value, label]) => ({ value, label }))}
          value={category}
          onChange={({ currentTarget }) => setCategory(currentTarget.value as keyof typeof taxes)}
        />
        <TextInput
          label="Pays within, days"
          description="After the day of issue"
          required
          {...field('days')}
        />
        <NativeSelect
          label="Its documents show"
          description="Media, or all as one amount"
          data={[
            { value: 'open', label: 'Media and markup' },
            { value: 'closed', label: 'One amount for both' },
          ]}
          value={detail}
          onChange={({ currentTarget }) => setDetail(currentTarget.value === 'closed' ? 'closed' : 'open')}
        />
        <TextInput
          label="Their reference"
          description="What they ask us to name"
          maxLength={100}
          {...field('reference')}
        />
        <TextInput
          label="Mail for reminders"
          description="Of accounts payable"
          maxLength={200}
          {...field('email')}
        />
      </SimpleGrid>
    </ActForm>
  );
}
