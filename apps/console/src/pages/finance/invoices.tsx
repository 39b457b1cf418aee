import { Stack, TextInput, Group, Text } from '@mantine/core';
import { type Answer, api } from '../../api/client.js';
import { DataTable, type Column } from '../../parts/data-table.js';
import { EmptyState } from '../../parts/empty-state.js';
import { useFilters } from '../../parts/filters.js';
import { Go } from '../../parts/go.js';
import { Money } from '../../parts/money.js';
import { Name, clean } from '../../parts/name.js';
import { PageHead } from '../../parts/page-head.js';
import { SellerSelect } from '../../parts/forms/seller-select.js';
import { SellerName } from '../../parts/seller-name.js';
import { StatusBadge } from '../../parts/status.js';
import { stateOf } from './invoice.js';
import { Time } from '../../parts/time.js';
import { usePages } from '../../parts/use-pages.js';
import { useMay } from '../../parts/use-rows.js';
import { isMonth } from '../../parts/month.js';
import { useState } from 'react';
import { ImportForm } from './import-form.js';

/** The columns of a list of invoices. */
export const invoiceColumns: readonly Column<Answer<'GET /v1/invoices'>['invoices'][number]>[] = [
  {
    title: 'Number',
    text: ({ number }) => number,
    cell: ({ invoice_id: id, number }) => (
      <Go to={`/invoices/${id}`}>
        <Name of={number} />
      </Go>
    ),
  },
  { title: 'Seller', text: ({ seller }) => seller, cell: ({ seller }) => <SellerName of={seller} /> },
  {
    title: 'State',
    text: (row) => stateOf(row).words,
    cell: (row) => <StatusBadge of={stateOf(row).words} tone={stateOf(row).tone} />,
  },
  { title: 'Month', text: ({ period }) => period, cell: ({ period }) => period },
  {
    title: 'Issued',
    text: ({ issued_on: day }) => day,
    cell: ({ issued_on: day }) => <Time at={day} dateOnly />,
  },
  {
    title: 'Total',
    isNumber: true,
    text: ({ total }) => total,
    unit: ({ currency }) => currency,
    cell: ({ total, currency }) => <Money amount={total} currency={currency} />,
  },
  { title: 'File', cell: ({ file }) => <Name of={file} most={60} /> },
  { title: 'Imported', cell: ({ imported_at: at }) => <Time at={at} /> },
];

/** Invoices of sellers, and the import of more. */
export function InvoicesPage() {
  const [filters, set] = useFilters();
  const isAllowed = useMay()('ledger.write');
  const invoices = usePages('GET /v1/invoices', 'invoices', {
    ...(filters['seller'] && { seller: filters['seller'] }),
    ...(isMonth(filters['period'] ?? '') && { period: filters['period'] }),
  });
  return (
    <>
      <PageHead title="Invoices">
        What sellers billed. The file is kept as it came; its lines are compared when you{' '}
        <Go to="/reconcile">reconcile</Go>.
      </PageHead>
      <Stack>
        <Group align="flex-end" gap="sm">
          <TextInput
            label="Only this month"
            placeholder="YYYY-MM"
            value={filters['period'] ?? ''}
            onChange={({ currentTarget }) => set({ period: currentTarget.value })}
          />
          <SellerSelect none="All" value={filters['seller'] ?? ''} onChange={(seller) => set({ seller })} />
        </Group>
        <div>
          <DataTable
            label="Invoices"
            peek={{
              idOf: (row) => row.invoice_id,
              nameOf: (row) => clean(row.number, 80),
              toOf: (row) => `/invoices/${row.invoice_id}`,
            }}
            pages={invoices}
            columns={invoiceColumns}
            empty={
              <EmptyState title="No invoice is here">
                Import a file that a seller sent: CSV or XLSX with a header row, or JSON. It is shown to you
                before it is booked.
              </EmptyState>
            }
          />
        </div>
        {isAllowed && <InvoiceImport />}
      </Stack>
    </>
  );
}

const importFields = {
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
function InvoiceImport() {
  const [seller, setSeller] = useState('');
  return (
    <ImportForm
      title="Import an invoice"
      label="Book the invoice"
      about="We read the file like this. Change what is wrong: what holds for the whole file, and below it which column holds what each row says. Then look at it. Where you choose no column at all, they are read as in the last file of this seller."
      command="npx switchyard invoices import FILE --seller SLUG"
      fields={importFields}
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
