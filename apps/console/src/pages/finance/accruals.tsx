import { DataTable, type Column } from '../../parts/data-table.js';
import type { Answer } from '../../api/client.js';
import { EmptyState } from '../../parts/empty-state.js';
import { useFilters } from '../../parts/filters.js';
import { Go } from '../../parts/go.js';
import { Money } from '../../parts/money.js';
import { Name } from '../../parts/name.js';
import { PageHead } from '../../parts/page-head.js';
import { useRows } from '../../parts/use-rows.js';
import { isMonth, monthOf, MonthInput } from '../../parts/month.js';

const columns: readonly Column<Answer<'GET /v1/periods/{period}/accruals'>['accruals'][number]>[] = [
  { title: 'Seller', text: ({ seller }) => seller, cell: ({ seller }) => <Name of={seller} /> },
  {
    title: 'Delivered, not invoiced',
    isNumber: true,
    text: ({ amount }) => amount,
    unit: ({ currency }) => currency,
    cell: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
  },
];

/** What was delivered by the end of a month and is not invoiced. */
export function AccrualsPage() {
  const [filters, set] = useFilters();
  const typed = filters['period'] ?? monthOf();
  const accruals = useRows(
    'GET /v1/periods/{period}/accruals',
    ({ accruals: all }) => all,
    { params: { period: typed } },
    isMonth(typed),
  );
  return (
    <>
      <PageHead title="Accruals">
        What was delivered by the end of a month, and no invoice has billed.
      </PageHead>
      <div style={{ maxWidth: 240, marginBottom: 16 }}>
        <MonthInput value={typed} onChange={(period) => set({ period })} />
      </div>
      <DataTable
        label="Accruals"
        pages={accruals}
        columns={columns}
        empty={
          <EmptyState title="Nothing is left without an invoice">
            All that was delivered by the end of {typed} is billed, or nothing was delivered. See{' '}
            <Go to="/reports">spend</Go>.
          </EmptyState>
        }
      />
    </>
  );
}
