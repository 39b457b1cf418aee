import { NativeSelect, SimpleGrid } from '@mantine/core';
import type { Answer } from '../../../api/client.js';
import { DataTable, type Column } from '../../../parts/data-table.js';
import { EmptyState } from '../../../parts/empty-state.js';
import { useFilters } from '../../../parts/filters.js';
import { Go } from '../../../parts/go.js';
import { Money } from '../../../parts/money.js';
import { isMonth, monthOf, MonthInput } from '../../../parts/month.js';
import { Name } from '../../../parts/name.js';
import { PageHead } from '../../../parts/page-head.js';
import { Panel } from '../../../parts/panel.js';
import { PrintButton } from '../../../parts/print.js';
import { useAnswer, useRows } from '../../../parts/use-rows.js';

type Margin = Answer<'GET /v1/billing/margin'>['margins'][number];
type Owing = Answer<'GET /v1/billing/aging'>['clients'][number];

const amounts = [
  ['Media', 'media'],
  ['Markup', 'markup'],
  ['Fees', 'fees'],
  ['Commission', 'commission'],
  ['Media cost', 'media_spend'],
  ['Fees of sellers', 'seller_fees'],
  ['Differences', 'differences'],
  ['Margin', 'margin'],
] as const;

const marginColumns = (by: string): readonly Column<Margin>[] => [
  {
    title: 'Client',
    cell: ({ client }) => <Name of={client ?? 'No client'} most={60} />,
    text: ({ client }) => client ?? '',
  },
  ...(by === 'campaign'
    ? [
        {
          title: 'Campaign',
          cell: ({ campaign }: Margin) => <Name of={campaign ?? 'No campaign'} most={60} />,
          text: ({ campaign }: Margin) => campaign ?? '',
        },
      ]
    : []),
  ...amounts.map(([title, member]) => ({
    title,
    isNumber: true,
    cell: (row: Margin) => <Money amount={row[member]} currency={row.currency} />,
    text: (row: Margin) => row[member],
    unit: ({ currency }: Margin) => currency,
  })),
  {
    title: 'Of billed',
    isNumber: true,
    cell: ({ percent }) => (percent === undefined ? '–' : `${percent}%`),
    text: ({ percent }) => percent,
  },
];

const ages = [
  ['Not due', 'current'],
  ['1 to 30 days late', 'days_1_30'],
  ['31 to 60', 'days_31_60'],
  ['61 to 90', 'days_61_90'],
  ['Over 90', 'over_90'],
  ['In all', 'total'],
] as const;

const owingColumns: readonly Column<Owing>[] = [
  {
    title: 'Client',
    cell: ({ client }) => <Name of={client} most={60} />,
    text: ({ client }) => client,
  },
  ...ages.map(([title, member]) => ({
    title,
    isNumber: true,
    cell: (row: Owing) => <Money amount={row[member]} currency={row.currency} />,
    text: (row: Owing) => row[member],
    unit: ({ currency }: Owing) => currency,
  })),
];

/** What a month brought by client or campaign, and what clients owe. */
export function MarginPage() {
  const [filters, set] = useFilters();
  const { data, isPending } = useAnswer('GET /v1/periods');
  // Of an open month little is billed yet.
  const closed = data?.periods.find(({ state }) => state === 'closed')?.period;
  const period = filters['period'] ?? closed ?? monthOf(new Date(), 1);
  const by = filters['by'] === 'campaign' ? 'campaign' : 'client';
  const margins = useRows(
    'GET /v1/billing/margin',
    (answer) => answer.margins,
    { query: { period, by } },
    isMonth(period) && !isPending,
  );
  const owing = useRows('GET /v1/billing/aging', (answer) => answer.clients);
  return (
    <>
      <PageHead title="Margin" actions={<PrintButton />}>
        What was billed to clients, without tax, less what the media and its sellers cost.
      </PageHead>
      <div className="column">
        <SimpleGrid cols={{ base: 1, sm: 2 }} maw={520}>
          <MonthInput value={period} onChange={(month) => set({ period: month })} />
          <NativeSelect
            label="Rows"
            description="How it is added up"
            data={[
              { value: '', label: 'By client' },
              { value: 'campaign', label: 'By campaign' },
            ]}
            value={by === 'campaign' ? by : ''}
            onChange={({ currentTarget }) => set({ by: currentTarget.value })}
          />
        </SimpleGrid>
        <DataTable
          label="Margin"
          pages={margins}
          columns={marginColumns(by)}
          empty={
            <EmptyState title="Nothing was billed or spent in this month">
              Bill a month at <Go to="/billing">Client billing</Go>.
            </EmptyState>
          }
        />
        <Panel title="What clients owe" about="by how long it has been due" isFlush>
          <DataTable
            label="What clients owe"
            pages={owing}
            columns={owingColumns}
            empty={
              <EmptyState title="No client owes anything">
                Every document is paid, or none was issued.
              </EmptyState>
            }
          />
        </Panel>
      </div>
    </>
  );
}
