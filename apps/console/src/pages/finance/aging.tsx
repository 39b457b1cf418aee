import { NativeSelect } from '@mantine/core';
import { DataTable, type Column } from '../../parts/data-table.js';
import type { Answer } from '../../api/client.js';
import { EmptyState } from '../../parts/empty-state.js';
import { useFilters } from '../../parts/filters.js';
import { Go } from '../../parts/go.js';
import { Money } from '../../parts/money.js';
import { Name } from '../../parts/name.js';
import { SellerName } from '../../parts/seller-name.js';
import { PageHead } from '../../parts/page-head.js';
import { PrintButton } from '../../parts/print.js';
import { useRows } from '../../parts/use-rows.js';

type Row = Answer<'GET /v1/aging'>['aging'][number];

const ways = {
  seller: 'By seller',
  client: 'By client',
  'client,seller': 'By client and seller',
} as const;

const seller: Column<Row> = {
  title: 'Seller',
  text: ({ seller: slug }) => slug,
  cell: ({ seller: slug }) => (
    <Go to="/invoices" search={{ seller: slug ?? '' }}>
      <SellerName of={slug} />
    </Go>
  ),
};
const client: Column<Row> = {
  title: 'Client',
  text: ({ client: name }) => name,
  cell: ({ client: name }) => <Name of={name ?? 'No client'} />,
};
const ages = [
  ['Not due', 'current'],
  ['1 to 30 days late', 'days_1_30'],
  ['31 to 60', 'days_31_60'],
  ['61 to 90', 'days_61_90'],
  ['Over 90', 'over_90'],
  ['In all', 'total'],
] as const;
const amounts: readonly Column<Row>[] = ages.map(([title, member]) => ({
  title,
  isNumber: true,
  text: (row) => row[member],
  unit: ({ currency }) => currency,
  cell: (row) => <Money amount={row[member]} currency={row.currency} />,
}));
const count: Column<Row> = {
  title: 'Invoices',
  isNumber: true,
  text: ({ invoices }) => String(invoices),
  cell: ({ invoices }) => invoices,
};

/** What is open of the invoices, by how long it has been due. */
export function AgingPage() {
  const [filters, set] = useFilters();
  const by = Object.keys(ways).find((text) => text === filters['by']) ?? 'seller';
  const aging = useRows('GET /v1/aging', ({ aging: all }) => all, { query: { by } });
  const groups = by === 'seller' ? [seller] : by === 'client' ? [client] : [client, seller];
  return (
    <>
      <PageHead title="By age" actions={<PrintButton />}>
        What is not paid of the invoices{aging.data && `, on ${aging.data.date}`}, by how long it has been
        due.
      </PageHead>
      <NativeSelect
        label="Rows"
        maw={240}
        mb="md"
        data={Object.entries(ways).map(([value, label]) => ({ value, label }))}
        value={by}
        onChange={({ currentTarget }) => set({ by: currentTarget.value })}
      />
      <DataTable
        label="Aging"
        pages={aging}
        columns={[...groups, ...amounts, count]}
        empty={
          <EmptyState title="No invoice is open">
            Every invoice is paid, or none was imported. <Go to="/invoices">Import an invoice</Go>
          </EmptyState>
        }
      />
    </>
  );
}
