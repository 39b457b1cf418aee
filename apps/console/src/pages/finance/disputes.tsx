import type { Schemas } from '../../generated/routes.js';
import { Chips } from '../../parts/chips.js';
import { DataTable, type Column } from '../../parts/data-table.js';
import { EmptyState } from '../../parts/empty-state.js';
import { useFilters, worded } from '../../parts/filters.js';
import { Go } from '../../parts/go.js';
import { Money } from '../../parts/money.js';
import { Name } from '../../parts/name.js';
import { PageHead } from '../../parts/page-head.js';
import { Quiet } from '../../parts/quiet.js';
import { SellerName } from '../../parts/seller-name.js';
import { StatusBadge } from '../../parts/status.js';
import { dayText, monthName } from '../../parts/time.js';
import { usePages } from '../../parts/use-pages.js';

export type Dispute = Schemas['dispute'];

export const outcomes: Readonly<Record<NonNullable<Dispute['outcome']>, string>> = {
  credited: 'Credited',
  partly: 'Credited in part',
  accepted: 'Invoice accepted',
  withdrawn: 'Withdrawn',
};

/** Whether the seller still has time to answer, or what came of it. */
export function DisputeState({
  of: { state, outcome, due_on: due },
  today = new Date().toISOString().slice(0, 10),
}: {
  readonly of: Pick<Dispute, 'state' | 'outcome' | 'due_on'>;
  readonly today?: string;
}) {
  if (state === 'closed')
    return <StatusBadge of={outcome === undefined ? 'Closed' : outcomes[outcome]} tone="gray" />;
  return due < today ? (
    <StatusBadge of={`Answer was due ${dayText(due)}`} tone="bad" />
  ) : (
    <StatusBadge of={`Answer due ${dayText(due)}`} tone="warn" />
  );
}

const columns: readonly Column<Dispute>[] = [
  {
    title: 'Dispute',
    cell: ({ dispute_id: id, number, reason }) => (
      <>
        <Go to={`/disputes/${id}`}>
          <Name of={number} />
        </Go>
        <Quiet>
          <Name of={reason} most={100} />
        </Quiet>
      </>
    ),
    text: ({ number }) => number,
  },
  { title: 'Seller', cell: ({ seller: slug }) => <SellerName of={slug} />, text: ({ seller }) => seller },
  {
    title: 'Invoice',
    cell: ({ invoice_id: id, invoice, period }) => (
      <>
        <Go to={`/invoices/${id}`}>
          <Name of={invoice} />
        </Go>
        <Quiet>{monthName(period)}</Quiet>
      </>
    ),
    text: ({ invoice }) => invoice,
  },
  {
    title: 'Amount',
    isNumber: true,
    cell: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
    text: ({ amount }) => amount,
    unit: ({ currency }) => currency,
  },
  {
    title: 'Not paid',
    isNumber: true,
    cell: ({ held, currency }) => <Money amount={held} currency={currency} />,
    text: ({ held }) => held,
    unit: ({ currency }) => currency,
  },
  { title: 'State', cell: (row) => <DisputeState of={row} />, text: ({ due_on: due }) => due },
];

/** Differences that sellers have to answer. */
export function DisputesPage() {
  const [{ state = 'open' }, set] = useFilters();
  const pages = usePages('GET /v1/disputes', 'disputes', {
    state: state === 'all' ? undefined : worded(state),
  });
  return (
    <>
      <PageHead title="Disputes">
        What a seller has to answer. The disputed amount is not paid until the case is closed.
      </PageHead>
      <Chips
        label="State"
        value={state}
        options={[
          { value: 'open', title: 'Open' },
          { value: 'closed', title: 'Closed' },
          { value: 'all', title: 'All' },
        ]}
        onChange={(value) => set({ state: value })}
      />
      <DataTable
        label="Disputes"
        pages={pages}
        columns={columns}
        empty={
          <EmptyState title="No dispute yet">
            A dispute is opened from a difference (<Go to="/reconcile">Reconcile</Go>) or from an invoice.
          </EmptyState>
        }
      />
    </>
  );
}
