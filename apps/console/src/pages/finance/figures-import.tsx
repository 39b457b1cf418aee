import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { api } from '../../api/client.js';
import { ImportForm } from './import-form.js';
import { bindText } from '../../parts/forms/bind-text.js';

const fields = {
  media_buy_id: 'Media buy id',
  package_id: 'Package id',
  day: 'Day',
  spend: 'Spend',
  impressions: 'Impressions',
  currency: 'Currency',
  seller: 'Seller',
};
const ofFile = { currency: 'As USD', seller: 'Its short name' };

/** Imports third-party figures: the mapping of columns, a preview, and then storing them. */
export function FiguresImport() {
  const [source, setSource] = useState('');
  return (
    <ImportForm
      title="Import figures of a third party"
      label="Store the figures"
      fileLabel="File of figures"
      about="What an ad server counted, a row for each buy, package and day. It stands beside what the seller reported from the next comparison on; a later file of the same source takes its place."
      command="npx switchyard figures import FILE --source NAME"
      fields={fields}
      ofFile={ofFile}
      isFilledIn={source.trim() !== ''}
      send={(body) => api('POST /v1/figures/import', { body: { source: source.trim(), ...body } })}
      say={({ lines, import_id: id }) =>
        `Rows: ${lines}. ${id === null ? 'Nothing is stored yet.' : 'They are stored: compare the month again.'}`
      }
    >
      <TextInput
        label="Source"
        description="Who counted: small letters, digits, dots and hyphens"
        placeholder="adserver"
        {...bindText(source, setSource)}
      />
    </ImportForm>
  );
}
