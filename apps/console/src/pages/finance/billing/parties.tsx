import { SimpleGrid } from '@mantine/core';
import { api, type Answer } from '../../../api/client.js';
import { ActForm } from '../../../parts/forms/act-form.js';
import { clean } from '../../../parts/name.js';
import { taxes } from './words.js';
import { choice, client, currency, needed, text, useForm } from '../../../parts/forms/use-form.js';

type Entity = Answer<'GET /v1/billing/entities'>['entities'][number];

/** The name and the postal address on documents. */
const address = {
  name: needed(text('Name', 'As its documents have it', { maxLength: 200 })),
  street: needed(text('Street', 'With the number', { maxLength: 200 })),
  post_code: text('Post code', 'Empty where there is none', { maxLength: 20 }),
  city: needed(text('City', 'Town or city', { maxLength: 100 })),
  country: needed(
    text('Country', 'As DE', {
      maxLength: 2,
      fits: (code) => /^[a-z]{2}$/i.test(code),
      read: (code) => code.trim().toUpperCase(),
    }),
  ),
};
const taxId = text('Tax id', 'As DE123456789', { maxLength: 50 });

const company = {
  ...address,
  tax_id: needed(taxId),
  series: text('Numbers begin with', 'As NW-', { maxLength: 20 }),
  currency: needed(currency('Currency', 'As EUR')),
  iban: text('IBAN', 'Where clients pay', { maxLength: 50, read: (iban) => iban.replaceAll(/\s/g, '') }),
  bic: text('BIC', 'Of that bank', { maxLength: 20 }),
};

export function AddCompany() {
  const form = useForm(company);
  const add = async (): Promise<void> => {
    const { street, post_code = '', city, country, series = '', ...entity } = form.filled();
    await api('POST /v1/billing/entities', {
      body: { ...entity, series, address: { street, post_code, city, country } },
    });
    form.clear();
  };
  return (
    <ActForm
      title="Add a company"
      label="Ask for the company"
      done="The company is entered."
      act={add}
      isReady={form.isReady()}
    >
      <SimpleGrid cols={{ base: 1, sm: 2 }}>{form.inputs()}</SimpleGrid>
    </ActForm>
  );
}

const billed = {
  tax_percent: needed(text('Tax, percent', 'As 19', { inputMode: 'decimal', first: '0' })),
  tax_category: choice('Kind of tax', taxes, 'As in the e-invoice'),
  term_days: needed(
    text('Pays within, days', 'After the day of issue', {
      first: '30',
      fits: (days) => /^\d{1,3}$/.test(days),
    }),
  ),
  detail: choice(
    'Its documents show',
    { open: 'Media and markup', closed: 'One amount for both' },
    'Media, or all as one amount',
  ),
  reference: text('Their reference', 'What they ask us to name', { maxLength: 100 }),
  email: text('Mail for reminders', 'Of accounts payable', { maxLength: 200 }),
};

/** Says by whom a client is billed, where to, and with which tax. */
export function BillClient({ entities }: { readonly entities: readonly Entity[] }) {
  const companies =
    entities.length === 0
      ? { '': 'Add a company first' }
      : Object.fromEntries(entities.map(({ entity_id: id, name }) => [id, clean(name, 60)]));
  const form = useForm({
    client_id: needed(client()),
    entity_id: needed(choice('Billed by', companies, 'The company on its documents')),
    ...address,
    tax_id: taxId,
    ...billed,
  });
  const set = async (): Promise<void> => {
    const { street, post_code = '', city, country, term_days: days, ...said } = form.filled();
    await api('POST /v1/billing/clients', {
      body: { ...said, address: { street, post_code, city, country }, term_days: Number(days) },
    });
    form.clear();
  };
  return (
    <ActForm
      title="Say how a client is billed"
      label="Set it"
      done="The client is billed so from the next run on."
      act={set}
      isReady={form.isReady()}
    >
      <SimpleGrid cols={{ base: 1, sm: 2 }}>{form.inputs()}</SimpleGrid>
    </ActForm>
  );
}
