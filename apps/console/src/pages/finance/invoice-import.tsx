import { Group, Text } from '@mantine/core';
import { useState } from 'react';
import { api } from '../../api/client.js';
import { Go } from '../../parts/go.js';
import { Money } from '../../parts/money.js';
import { clean } from '../../parts/name.js';
import { SellerSelect } from '../../parts/seller-select.js';
import { ImportForm } from './import-form.js';

const fields = {
  invoice_number: 'Invoice number',
  period: 'Month',
  issued_on: 'Day of issue',
  currency: 'Currency',
  media_buy_id: 'Media buy id',
  package_id: 'Package id',
  po_number: 'PO number',
  description: 'Description',
  units: 'Units',
  amount: 'Amount',
};
const ofFile = {
  invoice_number: 'As the seller wrote it',
  period: 'As 2026-03',
  issued_on: 'As 2026-03-31',
  currency: 'As USD',
};

/** Imports an invoice of a seller: the mapping of columns, a preview, and then booking. */
export function InvoiceImport() {
  const [seller, setSeller] = useState('');
  return (
    <ImportForm
      title="Import an invoice"
      label="Book the invoice"
      about="Say here what holds for the whole file, and below it which column holds what each row says. Then look at it. Where you choose no column at all, they are read as in the last file of this seller."
      command="npx switchyard invoices import FILE --seller SLUG"
      fields={fields}
      ofFile={ofFile}
      isFilledIn={seller !== ''}
      send={(body) => api('POST /v1/invoices/import', { body: { seller, ...body } })}
      say={(result) => (
        <Group gap="xs">
          <Text size="sm">
            {result.number !== undefined && `Invoice ${clean(result.number, 60)}: `}
            {result.lines} lines, <Money amount={result.total} currency={result.currency} /> in all.{' '}
            {result.invoice_id === null ? 'Nothing is booked yet.' : 'It is booked.'}
          </Text>
          {result.invoice_id !== null && <Go to={`/invoices/${result.invoice_id}`}>Open the invoice</Go>}
        </Group>
      )}
    >
      <SellerSelect value={seller} onChange={setSeller} />
    </ImportForm>
  );
}
